// The world of one run: the API server, the controllers of Deployments, the metrics, people who
// edit, and the replicas of the operator with their disks. It injects the faults that the swarm has
// switched on, and keeps the record that the checks (checks.h) compare with.
//
// The last part of a run is calm: no more faults, and everything must converge.
//
// Thread-safety: one thread.
// Errors: the first broken invariant is failure().
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tests/simulation/api_server.h"
#include "tests/simulation/checks.h"
#include "tests/simulation/faults.h"
#include "tests/simulation/fibers.h"
#include "tests/simulation/load_curve.h"
#include "tests/simulation/metric_model.h"

namespace ballast::simulation {

class Replica;

struct WorldOptions {
  std::uint64_t seed = 1;
  Swarm swarm;
  Nanoseconds length = 2 * 3'600 * kSecond;  // with faults; the calm part comes after it
  int policies = 6;
  int replicas = 2;
  bool trace = false;  // print what happens
};

class World {
 public:
  explicit World(const WorldOptions& options);
  ~World();

  // Runs to the end, or to the first broken invariant.
  void Run();
  const std::optional<Failure>& failure() const { return checks_.failure(); }

  // ---- For the parts of the world
  const WorldOptions& options() const { return options_; }
  ApiServer& server() { return server_; }
  Checks& checks() { return checks_; }
  Nanoseconds now() const { return Fibers::Get().now(); }
  Dice& DiceOf(Fault fault) { return dice_[static_cast<std::size_t>(fault)]; }
  // Whether that fault strikes now, which happens once in `one_in`. Counts it for the phase.
  bool Strikes(Fault fault, const std::string& phase, std::uint64_t one_in);
  void Met(Fault fault, const std::string& phase) { ++coverage_[{fault, phase}]; }
  void Trace(const std::string& text);
  bool calm() const { return calm_; }
  // What a wall clock without error shows, as RFC 3339.
  static std::string Stamp(Nanoseconds world, Nanoseconds ahead = 0);

  using Coverage = std::map<std::pair<Fault, std::string>, std::uint64_t>;
  const Coverage& coverage() const { return coverage_; }
  // The last things that happened.
  const std::vector<std::string>& trace() const { return trace_; }
  std::int64_t applied() const { return checks_.applied(); }
  std::int64_t replayed() const { return checks_.replayed(); }
  // A number that differs between runs that differ.
  std::uint64_t digest() const { return digest_; }

 private:
  void MakePolicies();
  void PutPolicy(std::size_t index, std::int64_t max);
  void PutTarget(std::size_t index);
  void Every(Fault fault, Nanoseconds about, std::function<void(Dice&)> act);
  void ScheduleFaults();
  void ScheduleReplicaFaults();
  void Disturb(Fault fault, Replica& replica);
  void StopLeader();
  void ScheduleServerFaults();
  void SchedulePeople();
  // A replica and a policy, at random.
  Replica& AnyReplica(Dice& dice);
  std::optional<std::size_t> Find(const std::string& name) const;  // of the policy and its load
  std::size_t AnyPolicy(Dice& dice) { return dice.Below(loads_.size()); }
  void ManagePods(std::size_t index);
  void RollOut(std::size_t index);
  MetricModel::View MetricView();
  void OnScale(const ScaleWrite& write);
  void Look();

  const WorldOptions options_;
  std::vector<Dice> dice_;
  Dice layout_;
  ApiServer server_;
  std::vector<Load> loads_;
  Checks checks_;
  Coverage coverage_;
  std::vector<std::string> trace_;
  std::uint64_t digest_ = 14695981039346656037ULL;
  bool calm_ = false;
  std::int64_t pods_made_ = 0;
  struct Pod {
    api::ObjectKey key;
    std::optional<Nanoseconds> ready;  // since when
  };
  std::vector<std::vector<Pod>> pods_;  // of each policy's target, oldest first
  std::set<std::size_t> missing_;       // policies of whose pods every second has no sample
  const MetricModel metrics_{loads_, MetricView()};
  std::vector<std::unique_ptr<Replica>> replicas_;
};

}  // namespace ballast::simulation
