// Runs seeds in virtual time, and prints the first that breaks an invariant. See
// docs/fault-simulator.md.
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdio>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "operator/flags/command_line.h"
#include "tests/faults/one_run.h"
#include "tests/faults/seed_search.h"
#include "tests/faults/world.h"

namespace ballast::faults {
namespace {

// That can be put back (docs/fault-simulator.md).
const std::vector<std::string> kDefects{"ceiling-where-a-floor-ends",
                                        "core-H2",
                                        "core-H3",
                                        "core-M3",
                                        "core-M4",
                                        "core-M14",
                                        "hpa-memory-of-the-future",
                                        "leader-old-lists",
                                        "memory-revived-outage",
                                        "review-of-silent-watch",
                                        "review-of-the-gone",
                                        "runtime-M3",
                                        "runtime-M10",
                                        "seen-invented-write",
                                        "seen-stale-view",
                                        "session-memory-of-refused",
                                        "session-other-target",
                                        "session-release-of-refused",
                                        "session-target-while-down",
                                        "views-never-doubted",
                                        "made-unsynced-commits",
                                        "made-silence-unseeded",
                                        "made-removed-override",
                                        "made-early-retirement",
                                        "made-forgotten-scale-up",
                                        "made-greatest-rate",
                                        "made-unnoticed-pass",
                                        "made-unwritten-memory",
                                        "made-oldest-override",
                                        "made-schedules-in-utc",
                                        "made-second-showing",
                                        "made-zero-is-none"};

// That may break (docs/fault-simulator.md).
const std::vector<std::string> kInvariants{
    "answer",  "beginning", "bounds",  "claim",      "convergence", "crash",  "decision", "disk",
    "early",   "fallback",  "fence",   "hpa-status", "late",        "lease",  "ledger",   "memory",
    "metrics", "mirror",    "observe", "rate",       "refused",     "replay", "review",   "sample",
    "status",  "suspended", "track",   "trust",      "why",         "work"};

double RealSeconds() {
  timespec time{};
  syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

Fault FaultOf(const std::string& name) {
  for (std::size_t i = 0; i < kFaultNames.size(); ++i) {
    if (name == kFaultNames[i]) {
      return static_cast<Fault>(i);
    }
  }
  std::printf("there is no fault \"%s\"\n", name.c_str());
  Exit(2);
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
  std::uint64_t tries = 1;
  std::vector<std::string> faults;
  std::vector<std::string> skipped;
  bool extreme = false;
  bool shrink = false;
  bool twice = false;
  std::vector<std::string> finds;
  std::string command;  // as it was given
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

// How to find out whose defect it is.
void TellOfMain(const WorldOptions& world, const Outcome& outcome) {
  const std::string command = CommandOf(world);
  std::printf(
      "This may be an old defect that a change without a fault uncovers: with one random number "
      "more or less, a seed\nis another run. Look whether main breaks `%s`, too, with this seed or "
      "with others:\n"
      "  git worktree add --detach ../main origin/main && cd ../main && cmake --preset release &&\n"
      "    cmake --build --preset release --target ballast_faults\n"
      "  build/%s\n"
      "  build/%s --tries 200 --finds %s\n",
      outcome.invariant.c_str(), command.c_str(), command.c_str(), outcome.invariant.c_str());
}

int Tell(const Options& options, const WorldOptions& world, const Outcome& outcome) {
  std::printf("%s", outcome.text.c_str());
  if (outcome.invariant.empty()) {
    return 0;
  }
  std::printf("repeat it: %s\n", CommandOf(world).c_str());
  if (world.defects.empty()) {
    TellOfMain(world, outcome);
  }
  if (options.shrink) {
    Shrinker shrinker(world, outcome);
    shrinker.Shrink();
    std::printf("%sthe smallest that still fails: %s\n", shrinker.failed().text.c_str(),
                CommandOf(shrinker.options()).c_str());
  }
  return 1;
}

// New seeds, until the time or the tries are over.
int Search(const Options& options, std::uint64_t first) {
  if (options.budget > 0) {
    std::printf("seeds from %llu on, for %.0f s\n", static_cast<unsigned long long>(first),
                options.budget);
  }
  const double began = RealSeconds();
  Totals totals;
  std::uint64_t seed = first;
  for (; options.budget > 0 ? RealSeconds() - began < options.budget : seed < first + options.tries;
       ++seed) {
    const WorldOptions world = Of(options, seed);
    const Outcome outcome = Run(world);
    Add(totals, outcome.totals);
    if (!outcome.invariant.empty()) {
      std::printf("seed %llu:\n", static_cast<unsigned long long>(seed));
      Print(totals, RealSeconds() - began);
      return Tell(options, world, outcome);
    }
  }
  Print(totals, RealSeconds() - began);
  std::printf("the last seed was %llu\n", static_cast<unsigned long long>(seed - 1));
  return 0;
}

// Looks for the seed that finds what --finds names (seed_search.h), and says what each one does.
class Finder {
 public:
  explicit Finder(const Options& options) : options_(options) {}

  int Find(std::uint64_t first) {
    SeedSearch search{.first = first,
                      .tries = options_.tries,
                      .invariants = options_.finds,
                      .with_defect = [this](std::uint64_t seed) { return With(seed); },
                      .without_defect = nullptr};
    const bool has_defect = !options_.world.defects.empty();
    if (has_defect) {
      search.without_defect = [this](std::uint64_t seed) { return Without(seed); };
    }
    const auto found = FindSeed(search);
    const std::string defects = has_defect ? " " + Join(options_.world.defects) : "";
    if (!found) {
      Print(totals_, RealSeconds() - began_);
      std::printf("NOT found%s: none of the %llu seeds from %llu on breaks %s\nrepeat it: %s\n",
                  defects.c_str(), static_cast<unsigned long long>(options_.tries),
                  static_cast<unsigned long long>(first), Join(options_.finds).c_str(),
                  options_.command.c_str());
      return 1;
    }
    std::printf(
        "found%s by %s with seed %llu, number %llu of %llu, after %.1f simulated hours and "
        "%.1f s\nrepeat it: %s\n",
        defects.c_str(), broken_.c_str(), static_cast<unsigned long long>(*found),
        static_cast<unsigned long long>(*found - first + 1),
        static_cast<unsigned long long>(options_.tries), totals_.hours, RealSeconds() - began_,
        CommandOf(Of(options_, *found)).c_str());
    return 0;
  }

 private:
  std::string With(std::uint64_t seed) { return broken_ = RunOne(Of(options_, seed)); }
  std::string Without(std::uint64_t seed) {
    WorldOptions world = Of(options_, seed);
    world.defects.clear();
    return RunOne(world);
  }

  std::string RunOne(const WorldOptions& world) {
    const Outcome outcome = Run(world);
    Add(totals_, outcome.totals);
    const std::string with = world.defects.empty() ? "" : " with " + Join(world.defects);
    std::printf("seed %llu%s: ", static_cast<unsigned long long>(world.seed), with.c_str());
    if (outcome.invariant.empty()) {
      std::printf("nothing broke\n");
    } else {
      std::printf("%s broke after %.0f s: %s\n  repeat it: %s\n", outcome.invariant.c_str(),
                  outcome.failed_at, outcome.what.c_str(), CommandOf(world).c_str());
    }
    return outcome.invariant;
  }

  const Options& options_;
  const double began_ = RealSeconds();
  Totals totals_;
  std::string broken_;  // by the last run with the defect
};

// Whether a second run is the same as the first one.
int Compare(const WorldOptions& world, const Outcome& first) {
  const Outcome second = Run(world);
  const bool same = second.text == first.text;
  std::printf(same ? "a second run was the same\n" : "a second run DIFFERED:\n%s",
              second.text.c_str());
  return same ? 0 : 1;
}

std::string CommandLine(int argc, char** argv) {
  std::string line = "ballast_faults";
  for (int i = 1; i < argc; ++i) {
    line += std::string(" ") + argv[i];
  }
  return line;
}

int Main(int argc, char** argv) {
  Options options;
  std::uint64_t seed = 0;
  flags::Command app(
      "ballast_faults",
      "Hunts for broken invariants of the operator, in virtual time (docs/fault-simulator.md).");
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
  app.AddOption("--defect", options.world.defects, "Puts defects of the past back.")
      .Split(',')
      .OneOf(kDefects);
  app.AddFlag("--shrink", options.shrink, "Looks for the smallest run that still fails.");
  app.AddFlag("--twice", options.twice, "Runs the seed twice, and compares.");
  app.AddFlag("--trace", options.world.trace, "Prints all that happens.");
  app.AddOption("--tries", options.tries, "Tries so many seeds, one after the other.")
      .Between(1, 1'000'000)
      .Excludes("--for")
      .Excludes("--twice");
  app.AddOption("--finds", options.finds,
                "Succeeds if a seed breaks one of these invariants, and none without the defect.")
      .Split(',')
      .OneOf(kInvariants)
      .Excludes("--for")
      .Excludes("--shrink")
      .Excludes("--twice")
      .Excludes("--trace");
  if (const Status parsed = app.Parse({argv + 1, argv + argc}); !parsed.ok()) {
    std::fputs(parsed.error().message.c_str(), stderr);
    return 2;
  }
  if (app.Given("--help")) {
    return 0;
  }
  options.command = CommandLine(argc, argv);
  if (!app.Given("--seed")) {
    timespec time{};
    syscall(SYS_clock_gettime, CLOCK_REALTIME, &time);
    seed = static_cast<std::uint64_t>(time.tv_sec) * 1000;
    options.command += " --seed " + std::to_string(seed);
  }
  if (!options.finds.empty()) {
    return Finder(options).Find(seed);
  }
  if (options.budget > 0 || options.tries != 1) {
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
}  // namespace ballast::faults

int main(int argc, char** argv) { ballast::faults::Exit(ballast::faults::Main(argc, argv)); }
