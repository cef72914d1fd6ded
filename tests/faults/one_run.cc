#include "tests/faults/one_run.h"

#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <sstream>

#include "operator/process/log.h"
#include "tests/faults/defect.h"

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

namespace ballast::faults {
namespace {

// Seconds of processor time for each simulated hour; a run that takes longer hangs.
constexpr double kLongestHour = 60;

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

// Line by line: "coverage FAULT PHASE COUNT", "events KIND COUNT", "totals ...", "broken
// INVARIANT WHAT", "at SECONDS", and text.
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
    std::printf("broken %s %s\nat %f\n", failure->invariant.c_str(), failure->what.c_str(),
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
      std::getline(words >> outcome.invariant >> std::ws, outcome.what);
    } else if (word == "at") {
      words >> outcome.failed_at;
    } else {
      outcome.text += (word == "=" ? line.substr(2) : line) + "\n";
    }
  }
  if (!complete) {
    outcome.invariant = "crash";
    outcome.what = "the run crashed, or took too long for its simulated time (SIGXCPU)";
    outcome.text += "broken: " + outcome.what + "\n";
  }
  return outcome;
}

// The folder of a run's files. The run works in it, so that its files have the same names in all
// runs: they are in errors that are recorded, whose length decides what SQLite writes.
std::filesystem::path FolderOf(pid_t run) {
  return std::filesystem::temp_directory_path() / ("ballast-faults-" + std::to_string(run));
}

}  // namespace

[[noreturn]] void Exit(int status) {
  std::fflush(stdout);
  syscall(SYS_exit_group, status);
  __builtin_unreachable();
}

std::string Join(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) {
    text += (text.empty() ? "" : ",") + word;
  }
  return text;
}

std::string CommandOf(const WorldOptions& options) {
  std::vector<std::string> faults;
  for (const Fault fault : options.swarm.on) {
    faults.emplace_back(Name(fault));
  }
  return "ballast_faults --seed " + std::to_string(options.seed) + " --faults " +
         (faults.empty() ? "none" : Join(faults)) + (options.swarm.extreme ? " --extreme" : "") +
         " --policies " + std::to_string(options.policies) + " --replicas " +
         std::to_string(options.replicas) + " --seconds " +
         std::to_string(options.length / kSecond) +
         (options.skipped.empty() ? "" : " --skip " + Join(Print(options.skipped))) +
         (options.defects.empty() ? "" : " --defect " + Join(options.defects));
}

Outcome Run(const WorldOptions& options, double at_most) {
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
    PutBack() = options.defects;
    const std::filesystem::path folder = FolderOf(getpid());
    std::filesystem::remove_all(folder);  // of a run of the same number that was killed
    std::filesystem::create_directories(folder);
    std::filesystem::current_path(folder);
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
  std::filesystem::remove_all(FolderOf(child));
  return Read(text);
}

}  // namespace ballast::faults
