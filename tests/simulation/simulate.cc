// Runs seeds, and prints the first that breaks an invariant. See docs/simulation.md.
//
// Each seed runs in a process of its own, so that a crash is a finding like any other.
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include "operator/runtime/log.h"
#include "tests/simulation/world.h"

namespace ballast::simulation {
namespace {

double RealSeconds() {
  timespec time{};
  syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

struct Plan {
  WorldOptions world;
  std::vector<std::string> without;
  std::vector<std::string> only;
};

Fault FaultOf(const std::string& name) {
  for (std::size_t i = 0; i < kFaultNames.size(); ++i) {
    if (name == kFaultNames[i]) {
      return static_cast<Fault>(i);
    }
  }
  std::fprintf(stderr, "there is no fault \"%s\"\n", name.c_str());
  std::exit(2);
}

// Runs one seed here.
int RunHere(const WorldOptions& options, bool verbose) {
  log::SetLevel(log::Level::kError);
  auto* const world = new World(options);  // its fibers never end
  world->Run();
  if (verbose) {
    const double hours = static_cast<double>(world->now() - 3600 * kSecond) / 3.6e12;
    std::printf("seed %llu: %.1f h, %llu switches, %lld scalings, %lld records, %lld replayed, digest %016llx\n",
                static_cast<unsigned long long>(options.seed), hours,
                static_cast<unsigned long long>(Fibers::Get().switches()),
                static_cast<long long>(world->checks().applied()),
                static_cast<long long>(world->checks().recorded()),
                static_cast<long long>(world->checks().replayed()),
                static_cast<unsigned long long>(world->digest()));
  }
  if (const auto& failure = world->failure()) {
    for (const std::string& line : world->trace()) {
      std::printf("  %s\n", line.c_str());
    }
    std::printf("seed %llu breaks \"%s\": %s\n", static_cast<unsigned long long>(options.seed),
                failure->invariant.c_str(), failure->what.c_str());
    return 1;
  }
  return 0;
}

}  // namespace
}  // namespace ballast::simulation

int main(int argc, char** argv) {
  using namespace ballast::simulation;
  Plan plan;
  CLI::App app("Hunts for broken invariants of the operator in virtual time.");
  app.add_option("--seed", plan.world.seed);
  app.add_option("--policies", plan.world.policies);
  app.add_option("--replicas", plan.world.replicas);
  double hours = 2;
  app.add_option("--hours", hours);
  app.add_flag("--trace", plan.world.trace);
  app.add_option("--only", plan.only)->delimiter(',');
  CLI11_PARSE(app, argc, argv);
  plan.world.length = static_cast<Nanoseconds>(hours * 3600) * kSecond;
  plan.world.swarm = Swarm::Draw(plan.world.seed);
  if (app.count("--only") > 0) {
    plan.world.swarm.on.clear();
    for (const auto& name : plan.only) {
      if (name != "none") plan.world.swarm.on.insert(FaultOf(name));
    }
  }
  const double began = RealSeconds();
  const int status = RunHere(plan.world, true);
  std::printf("%.2f s\n", RealSeconds() - began);
  std::fflush(stdout);
  syscall(SYS_exit_group, status);
}
