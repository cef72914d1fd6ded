// Runs seeds in virtual time, and prints the first that breaks an invariant. See
// docs/simulation.md.
//
// Each run has a process of its own, so that a crash is a finding like any other, and nothing is
// left over from one run to the next.
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "api/base/defect.h"
#include "operator/flags/command_line.h"
#include "operator/runtime/log.h"
#include "tests/simulation/world.h"

namespace ballast {
namespace {
std::vector<std::string>& PutBack() {
  static std::vector<std::string> defects;
  return defects;
}
}  // namespace

bool HasDefect(std::string_view name) {
  return std::ranges::find(PutBack(), name) != PutBack().end();
}

}  // namespace ballast

namespace ballast::simulation {
namespace {

constexpr int kLongestRun = 120;  // real seconds; a run that takes longer hangs

// That can be put back (docs/simulation.md).
const std::vector<std::string> kDefects{"core-H2",        "core-H3",    "core-M4",
                                        "core-M14",       "runtime-M3", "seen-invented-write",
                                        "seen-stale-view"};

double RealSeconds() {
  timespec time{};
  syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

[[noreturn]] void Exit(int status) {
  std::fflush(stdout);
  syscall(SYS_exit_group, status);
  __builtin_unreachable();
}

// Of many runs together.
struct Totals {
  std::uint64_t runs = 0;
  double hours = 0;  // simulated
  std::int64_t applied = 0;
  std::int64_t replayed = 0;
  std::map<std::string, std::map<std::string, std::uint64_t>> coverage;  // by fault, by phase
};

struct Outcome {
  std::string invariant;  // empty: none was broken
  std::string text;       // for people
  Totals totals;
  double failed_at = 0;  // seconds after the start
};

Fault FaultOf(const std::string& name) {
  for (std::size_t i = 0; i < kFaultNames.size(); ++i) {
    if (name == kFaultNames[i]) {
      return static_cast<Fault>(i);
    }
  }
  std::printf("there is no fault \"%s\"\n", name.c_str());
  Exit(2);
}

std::string Join(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) {
    text += (text.empty() ? "" : ",") + word;
  }
  return text;
}

// The command that repeats a run.
std::string CommandOf(const WorldOptions& options) {
  std::vector<std::string> faults;
  for (const Fault fault : options.swarm.on) {
    faults.emplace_back(Name(fault));
  }
  return "ballast_simulation --seed " + std::to_string(options.seed) + " --faults " +
         (faults.empty() ? "none" : Join(faults)) + (options.swarm.extreme ? " --extreme" : "") +
         " --policies " + std::to_string(options.policies) + " --replicas " +
         std::to_string(options.replicas) + " --seconds " +
         std::to_string(options.length / kSecond) +
         (PutBack().empty() ? "" : " --defect " + Join(PutBack()));
}

// Line by line: "coverage FAULT PHASE COUNT", "totals ...", "broken INVARIANT", "at SECONDS", and
// text.
void Report(const World& world) {
  for (const auto& [met, count] : world.coverage()) {
    std::printf("coverage %s|%s|%llu\n", Name(met.first), met.second.c_str(),
                static_cast<unsigned long long>(count));
  }
  const double seconds = static_cast<double>(world.now() - 3600 * kSecond) / 1e9;
  std::printf("totals %f %lld %lld\n", seconds / 3600, static_cast<long long>(world.applied()),
              static_cast<long long>(world.replayed()));
  std::printf("= %.1f h, %lld scalings, %lld records replayed, digest %016llx\n", seconds / 3600,
              static_cast<long long>(world.applied()), static_cast<long long>(world.replayed()),
              static_cast<unsigned long long>(world.digest()));
  if (const auto& failure = world.failure()) {
    for (const std::string& line : world.trace()) {
      std::printf("=   %s\n", line.c_str());
    }
    std::printf("= broken: %s: %s\n", failure->invariant.c_str(), failure->what.c_str());
    std::printf("broken %s\nat %f\n", failure->invariant.c_str(),
                static_cast<double>(failure->at - 3600 * kSecond) / 1e9);
  }
}

Outcome Read(const std::string& text) {
  Outcome outcome;
  std::istringstream lines(text);
  bool complete = false;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string word;
    words >> word;
    if (word == "coverage") {
      std::string fault;
      std::string phase;
      std::uint64_t count = 0;
      std::getline(words >> std::ws, fault, '|');
      std::getline(words, phase, '|');
      words >> count;
      outcome.totals.coverage[fault][phase] += count;
    } else if (word == "totals") {
      words >> outcome.totals.hours >> outcome.totals.applied >> outcome.totals.replayed;
      outcome.totals.runs = 1;
      complete = true;
    } else if (word == "broken") {
      words >> outcome.invariant;
    } else if (word == "at") {
      words >> outcome.failed_at;
    } else {
      outcome.text += (word == "=" ? line.substr(2) : line) + "\n";
    }
  }
  if (!complete) {
    outcome.invariant = "crash";
    outcome.text +=
        "broken: the run crashed, or took longer than " + std::to_string(kLongestRun) + " s\n";
  }
  return outcome;
}

// Runs it in a process of its own.
Outcome Run(const WorldOptions& options) {
  int ends[2];
  if (pipe(ends) != 0) {
    std::perror("pipe");
    Exit(2);
  }
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], STDOUT_FILENO);
    dup2(ends[1], STDERR_FILENO);
    close(ends[0]);
    alarm(kLongestRun);
    log::SetLevel(log::Level::kError);
    auto* const world = new World(options);  // its fibers do not end
    world->Run();
    Report(*world);
    Exit(0);
  }
  close(ends[1]);
  std::string text;
  char buffer[4096];
  for (ssize_t count = 0; (count = read(ends[0], buffer, sizeof buffer)) > 0;) {
    text.append(buffer, static_cast<std::size_t>(count));
  }
  close(ends[0]);
  waitpid(child, nullptr, 0);
  return Read(text);
}

// Drops faults, policies, replicas and time while the same invariant breaks.
WorldOptions Shrink(WorldOptions options, const Outcome& failed) {
  const auto keep = [&](const WorldOptions& smaller) {
    const bool fails = Run(smaller).invariant == failed.invariant;
    if (fails) {
      options = smaller;
    }
    return fails;
  };
  WorldOptions smaller = options;
  smaller.length = static_cast<Nanoseconds>(failed.failed_at + 1) * kSecond;
  if (smaller.length < options.length) {
    keep(smaller);
  }
  smaller = options;
  smaller.replicas = 1;
  keep(smaller);
  for (const Fault fault : std::set<Fault>(options.swarm.on)) {
    smaller = options;
    smaller.swarm.on.erase(fault);
    keep(smaller);
  }
  smaller = options;
  smaller.swarm.extreme = false;
  keep(smaller);
  for (smaller = options; smaller.policies > 1;) {
    smaller.policies = (options.policies + 1) / 2;
    if (!keep(smaller) || options.policies == 1) {
      break;
    }
  }
  return options;
}

void Add(Totals& all, const Totals& one) {
  all.runs += one.runs;
  all.hours += one.hours;
  all.applied += one.applied;
  all.replayed += one.replayed;
  for (const auto& [fault, phases] : one.coverage) {
    for (const auto& [phase, count] : phases) {
      all.coverage[fault][phase] += count;
    }
  }
}

void Print(const Totals& totals, double seconds) {
  std::printf(
      "%llu runs, %.0f simulated hours in %.0f s (%.0f times as fast), %lld scalings, %lld records "
      "replayed\n",
      static_cast<unsigned long long>(totals.runs), totals.hours, seconds,
      totals.hours * 3600 / seconds, static_cast<long long>(totals.applied),
      static_cast<long long>(totals.replayed));
  std::printf("how often each fault met what:\n");
  for (const auto& [fault, phases] : totals.coverage) {
    std::printf("  %-16s", fault.c_str());
    for (const auto& [phase, count] : phases) {
      std::printf(" %s %llu;", phase.c_str(), static_cast<unsigned long long>(count));
    }
    std::printf("\n");
  }
}

struct Options {
  WorldOptions world;
  double seconds = 2 * 3600;
  double budget = 0;
  std::vector<std::string> faults;
  bool extreme = false;
  bool shrink = false;
  std::string finds;
};

WorldOptions Of(const Options& options, std::uint64_t seed) {
  WorldOptions world = options.world;
  world.seed = seed;
  world.length = static_cast<Nanoseconds>(options.seconds) * kSecond;
  world.swarm = Swarm::Draw(seed);
  if (!options.faults.empty()) {
    world.swarm = {};
    world.swarm.extreme = options.extreme;
    for (const std::string& name : options.faults) {
      if (name != "none") {
        world.swarm.on.insert(FaultOf(name));
      }
    }
  }
  return world;
}

int Tell(const Options& options, const WorldOptions& world, const Outcome& outcome) {
  std::printf("%s", outcome.text.c_str());
  if (!options.finds.empty()) {
    const bool found = outcome.invariant == options.finds;
    std::printf(found ? "found, as it should be\n" : "NOT found: the simulator is blind to it\n");
    return found ? 0 : 1;
  }
  if (outcome.invariant.empty()) {
    return 0;
  }
  std::printf("repeat it: %s\n", CommandOf(world).c_str());
  if (options.shrink) {
    const WorldOptions small = Shrink(world, outcome);
    std::printf("%sthe smallest that still fails: %s\n", Run(small).text.c_str(),
                CommandOf(small).c_str());
  }
  return 1;
}

int Search(const Options& options, std::uint64_t seed) {
  std::printf("seeds from %llu on, for %.0f s\n", static_cast<unsigned long long>(seed),
              options.budget);
  const double began = RealSeconds();
  Totals totals;
  for (; RealSeconds() - began < options.budget; ++seed) {
    const WorldOptions world = Of(options, seed);
    const Outcome outcome = Run(world);
    Add(totals, outcome.totals);
    if (!outcome.invariant.empty()) {
      Print(totals, RealSeconds() - began);
      std::printf("seed %llu:\n", static_cast<unsigned long long>(seed));
      return Tell(options, world, outcome);
    }
  }
  Print(totals, RealSeconds() - began);
  return options.finds.empty() ? 0 : 1;
}

int Main(int argc, char** argv) {
  Options options;
  std::uint64_t seed = 0;
  flags::Command app(
      "ballast_simulation",
      "Hunts for broken invariants of the operator, in virtual time (docs/simulation.md).");
  app.AddOption("--seed", seed, "The run, or the first one; by default a new one.");
  app.AddOption("--for", options.budget, "Tries seeds for so many seconds.");
  app.AddOption("--faults", options.faults, "These instead of the seed's; none: no faults.")
      .Split(',');
  app.AddFlag("--extreme", options.extreme, "Faults are four times as frequent (with --faults).");
  app.AddOption("--policies", options.world.policies, "");
  app.AddOption("--replicas", options.world.replicas, "");
  app.AddOption("--seconds", options.seconds, "Simulated, until all is calm.");
  app.AddOption("--defect", PutBack(), "Puts defects of the past back.").Split(',').OneOf(kDefects);
  app.AddOption("--finds", options.finds, "Succeeds if that invariant is found broken.");
  app.AddFlag("--shrink", options.shrink, "Looks for the smallest run that still fails.");
  app.AddFlag("--trace", options.world.trace, "Prints all that happens.");
  if (const Status parsed = app.Parse({argv + 1, argv + argc}); !parsed.ok()) {
    std::fputs(parsed.error().message.c_str(), stderr);
    return 2;
  }
  if (!app.Given("--seed")) {
    timespec time{};
    syscall(SYS_clock_gettime, CLOCK_REALTIME, &time);
    seed = static_cast<std::uint64_t>(time.tv_sec) * 1000;
  }
  if (options.budget > 0) {
    return Search(options, seed);
  }
  const double began = RealSeconds();
  const WorldOptions world = Of(options, seed);
  std::printf("seed %llu\n", static_cast<unsigned long long>(seed));
  const Outcome outcome = Run(world);
  Print(outcome.totals, RealSeconds() - began);
  return Tell(options, world, outcome);
}

}  // namespace
}  // namespace ballast::simulation

int main(int argc, char** argv) {
  ballast::simulation::Exit(ballast::simulation::Main(argc, argv));
}
