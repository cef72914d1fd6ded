// Runs seeds in virtual time, and prints the first that breaks an invariant. See
// docs/simulation.md.
//
// Each run has a process of its own, so that a crash is a finding like any other, and nothing is
// left over from one run to the next.
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "api/base/defect.h"
#include "operator/flags/command_line.h"
#include "operator/runtime/log.h"
#include "tests/simulation/archive.h"
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

// Seconds of processor time for each simulated hour; a run that takes longer hangs.
constexpr double kLongestHour = 60;

// That can be put back (docs/simulation.md).
const std::vector<std::string> kDefects{"core-H1",
                                        "core-H2",
                                        "core-H3",
                                        "core-M3",
                                        "core-M4",
                                        "core-M14",
                                        "runtime-M3",
                                        "runtime-M10",
                                        "seen-invented-write",
                                        "seen-stale-view",
                                        "made-unsynced-commits",
                                        "made-early-retirement"};

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
  std::int64_t asked = 0;
  std::map<std::string, std::map<std::string, std::uint64_t>> coverage;  // by fault, by phase
};

struct Outcome {
  std::string invariant;  // empty: none was broken
  std::string text;       // for people
  Totals totals;
  double failed_at = 0;                         // seconds after the start
  std::map<std::string, std::uint64_t> events;  // by kind
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

// "kills:0-3", "load:7".
std::vector<std::string> Print(const Skipped& skipped) {
  std::vector<std::string> words;
  for (const auto& [kind, numbers] : skipped) {
    for (auto at = numbers.begin(); at != numbers.end();) {
      const std::uint64_t first = *at;
      std::uint64_t last = first;
      for (++at; at != numbers.end() && *at == last + 1; ++at) {
        ++last;
      }
      words.push_back(kind + ":" + std::to_string(first) +
                      (last == first ? "" : "-" + std::to_string(last)));
    }
  }
  return words;
}

Skipped ParseSkipped(const std::vector<std::string>& words) {
  Skipped skipped;
  for (const std::string& word : words) {
    std::istringstream in(word);
    std::string kind;
    std::uint64_t first = 0;
    std::uint64_t last = 0;
    char dash = 0;
    std::getline(in, kind, ':');
    in >> first;
    last = in >> dash >> last ? last : first;
    for (std::uint64_t number = first; number <= last; ++number) {
      skipped[kind].insert(number);
    }
  }
  return skipped;
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
         (options.skipped.empty() ? "" : " --skip " + Join(Print(options.skipped))) +
         (PutBack().empty() ? "" : " --defect " + Join(PutBack()));
}

// Line by line: "coverage FAULT PHASE COUNT", "events KIND COUNT", "totals ...", "broken
// INVARIANT", "at SECONDS", and text.
void Report(const World& world) {
  for (const auto& [met, count] : world.coverage()) {
    std::printf("coverage %s|%s|%llu\n", Name(met.first), met.second.c_str(),
                static_cast<unsigned long long>(count));
  }
  for (const auto& [kind, count] : world.events()) {
    std::printf("events %s %llu\n", kind.c_str(), static_cast<unsigned long long>(count));
  }
  const double seconds = static_cast<double>(world.now() - 3600 * kSecond) / 1e9;
  std::printf("totals %f %lld %lld %lld\n", seconds / 3600, static_cast<long long>(world.applied()),
              static_cast<long long>(world.replayed()), static_cast<long long>(world.asked()));
  std::printf("= %.1f h, %lld scalings, %lld records replayed, %lld answers, digest %016llx\n",
              seconds / 3600, static_cast<long long>(world.applied()),
              static_cast<long long>(world.replayed()), static_cast<long long>(world.asked()),
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
    } else if (word == "events") {
      std::string kind;
      words >> kind >> outcome.events[kind];
    } else if (word == "totals") {
      words >> outcome.totals.hours >> outcome.totals.applied >> outcome.totals.replayed >>
          outcome.totals.asked;
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
    outcome.text += "broken: the run crashed, or took too long for its simulated time (SIGXCPU)\n";
  }
  return outcome;
}

// Runs it in a process of its own, which ends without an outcome after so many seconds; 0: never.
Outcome Run(const WorldOptions& options, double at_most = 0) {
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
    const auto longest = static_cast<rlim_t>(
        kLongestHour * (1 + static_cast<double>(options.length / kSecond) / 3600));
    const rlimit limit{longest, longest};
    setrlimit(RLIMIT_CPU, &limit);
    alarm(static_cast<unsigned>(std::ceil(at_most)));
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
  std::filesystem::remove_all(ArchiveFolder(child));
  return Read(text);
}

// Makes a failing run smaller, while the same invariant breaks.
class Shrinker {
 public:
  Shrinker(WorldOptions options, Outcome failed)
      : options_(std::move(options)), failed_(std::move(failed)) {}

  void Shrink() {
    DropWhatIsLarge();
    DropEvents();
    EndWhenItFails();
  }
  const WorldOptions& options() const { return options_; }
  const Outcome& failed() const { return failed_; }  // the smallest run

 private:
  static constexpr double kFor = 120;  // seconds, of either half

  bool Keep(const WorldOptions& smaller) {
    const double left = until_ - RealSeconds();
    if (left <= 0) {
      return false;
    }
    Outcome outcome = Run(smaller, left);
    if (RealSeconds() >= until_ || outcome.invariant != failed_.invariant) {
      return false;
    }
    options_ = smaller;
    failed_ = std::move(outcome);
    return true;
  }

  void EndWhenItFails() {
    WorldOptions smaller = options_;
    smaller.length = static_cast<Nanoseconds>(failed_.failed_at + 1) * kSecond;
    if (smaller.length < options_.length) {
      Keep(smaller);
    }
  }

  // Time, replicas, faults and policies.
  void DropWhatIsLarge() {
    until_ = RealSeconds() + kFor;
    EndWhenItFails();
    WorldOptions smaller = options_;
    smaller.replicas = 1;
    Keep(smaller);
    for (const Fault fault : std::set<Fault>(options_.swarm.on)) {
      smaller = options_;
      smaller.swarm.on.erase(fault);
      Keep(smaller);
    }
    smaller = options_;
    smaller.swarm.extreme = false;
    Keep(smaller);
    for (smaller = options_; smaller.policies > 1;) {
      smaller.policies = (options_.policies + 1) / 2;
      if (!Keep(smaller) || options_.policies == 1) {
        break;
      }
    }
  }

  // All of a kind, else halves of them, quarters, and so on.
  void DropEvents() {
    until_ = RealSeconds() + kFor;
    const std::map<std::string, std::uint64_t> kinds = failed_.events;
    for (const auto& [kind, count] : kinds) {
      for (std::uint64_t size = count; size > 0; size /= 2) {
        for (std::uint64_t from = 0; from < failed_.events[kind]; from += size) {
          WorldOptions smaller = options_;
          for (std::uint64_t i = 0; i < size; ++i) {
            smaller.skipped[kind].insert(from + i);
          }
          if (smaller.skipped != options_.skipped) {
            Keep(smaller);
          }
        }
      }
    }
  }

  WorldOptions options_;
  Outcome failed_;
  double until_ = 0;
};

void Add(Totals& all, const Totals& one) {
  all.runs += one.runs;
  all.hours += one.hours;
  all.applied += one.applied;
  all.replayed += one.replayed;
  all.asked += one.asked;
  for (const auto& [fault, phases] : one.coverage) {
    for (const auto& [phase, count] : phases) {
      all.coverage[fault][phase] += count;
    }
  }
}

void Print(const Totals& totals, double seconds) {
  std::printf(
      "%llu runs, %.0f simulated hours in %.0f s (%.0f times as fast), %lld scalings, %lld records "
      "replayed, %lld answers\n",
      static_cast<unsigned long long>(totals.runs), totals.hours, seconds,
      totals.hours * 3600 / seconds, static_cast<long long>(totals.applied),
      static_cast<long long>(totals.replayed), static_cast<long long>(totals.asked));
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
  std::vector<std::string> skipped;
  bool extreme = false;
  bool shrink = false;
  bool twice = false;
  std::string finds;
};

WorldOptions Of(const Options& options, std::uint64_t seed) {
  WorldOptions world = options.world;
  world.seed = seed;
  world.length = static_cast<Nanoseconds>(options.seconds) * kSecond;
  world.swarm = Swarm::Draw(seed);
  world.skipped = ParseSkipped(options.skipped);
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
    Shrinker shrinker(world, outcome);
    shrinker.Shrink();
    std::printf("%sthe smallest that still fails: %s\n", shrinker.failed().text.c_str(),
                CommandOf(shrinker.options()).c_str());
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
      std::printf("seed %llu:\n", static_cast<unsigned long long>(seed));
      if (options.finds.empty() || outcome.invariant == options.finds) {
        Print(totals, RealSeconds() - began);
        return Tell(options, world, outcome);
      }
      std::printf("%s", outcome.text.c_str());
    }
  }
  Print(totals, RealSeconds() - began);
  std::printf("the last seed was %llu\n", static_cast<unsigned long long>(seed - 1));
  return options.finds.empty() ? 0 : 1;
}

// Whether a second run is the same as the first one.
int Compare(const WorldOptions& world, const Outcome& first) {
  const Outcome second = Run(world);
  const bool same = second.text == first.text;
  std::printf(same ? "a second run was the same\n" : "a second run DIFFERED:\n%s",
              second.text.c_str());
  return same ? 0 : 1;
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
  app.AddOption("--policies", options.world.policies, "How many autoscalers there are.");
  app.AddOption("--replicas", options.world.replicas, "Of the operator.");
  app.AddOption("--seconds", options.seconds, "Simulated, until all is calm.");
  app.AddOption("--skip", options.skipped, "Events that do not happen, as --shrink prints them.")
      .Split(',');
  app.AddOption("--defect", PutBack(), "Puts defects of the past back.").Split(',').OneOf(kDefects);
  app.AddOption("--finds", options.finds, "Succeeds if that invariant is found broken.");
  app.AddFlag("--shrink", options.shrink, "Looks for the smallest run that still fails.");
  app.AddFlag("--twice", options.twice, "Runs the seed twice, and compares.");
  app.AddFlag("--trace", options.world.trace, "Prints all that happens.");
  if (const Status parsed = app.Parse({argv + 1, argv + argc}); !parsed.ok()) {
    std::fputs(parsed.error().message.c_str(), stderr);
    return 2;
  }
  if (app.Given("--help")) {
    return 0;
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
  const int told = Tell(options, world, outcome);
  return options.twice && told == 0 ? Compare(world, outcome) : told;
}

}  // namespace
}  // namespace ballast::simulation

int main(int argc, char** argv) {
  ballast::simulation::Exit(ballast::simulation::Main(argc, argv));
}
