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

#include "tests/faults/api_server.h"
#include "tests/faults/check_answers.h"
#include "tests/faults/check_hpa.h"
#include "tests/faults/check_reviews.h"
#include "tests/faults/check_webhook.h"
#include "tests/faults/checks.h"
#include "tests/faults/faults.h"
#include "tests/faults/fibers.h"
#include "tests/faults/hpa_controller.h"
#include "tests/faults/load_curve.h"
#include "tests/faults/metric_model.h"

namespace ballast::faults {

class Process;
class Replica;

struct WorldOptions {
  std::uint64_t seed = 1;
  Swarm swarm;
  Nanoseconds length = 2 * 3'600 * kSecond;  // with faults; the calm part comes after it
  int policies = 6;
  int replicas = 2;
  bool trace = false;  // print what happens
  Skipped skipped;
  std::vector<std::string> defects;  // that are put back (defect.h)
};

// What becomes of the watches and lists of a kind.
enum class WatchState { kWorks, kRefused, kHangs };

// Why a policy is not evaluated for a while.
enum class Obstacle {
  kHpa,          // an HPA has its target, which somebody else scales
  kOlderPolicy,  // a copy of it has its target, and is older
  kInvalidSpec,
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
  Answers& answers() { return answers_; }
  Nanoseconds now() const { return Fibers::Get().now(); }
  Dice& DiceOf(Fault fault) { return dice_[static_cast<std::size_t>(fault)]; }
  // Whether that fault strikes now, which happens once in `one_in`. Counts it for the phase. Each
  // is an event.
  bool Strikes(Fault fault, const std::string& phase, std::uint64_t one_in);
  // That call fails; what it was for comes with a later evaluation.
  void CallFails(const kube::Request& request, const std::string& phase);
  // The process asks for a metric, and gets the answer that the source gave at `handled`.
  void Asks(const Process& process, const kube::Request& request);
  void Delivered(Process& process, const kube::Request& request, Nanoseconds handled);
  void Met(Fault fault, const std::string& phase) { ++coverage_[{fault, phase}]; }
  void Trace(const std::string& text);
  // Stops the process, as by SIGSTOP, for that long.
  void Pause(Process& process, Nanoseconds span);
  bool calm() const { return calm_; }
  WatchState StateOfWatch(const std::string& kind) const;
  // Somebody would make a policy, and the process's webhook is asked.
  void Review(const Process& process, webhooks::Lookup& lookup);
  // What a wall clock without error shows, as RFC 3339.
  static std::string Stamp(Nanoseconds world, Nanoseconds ahead = 0);

  using Coverage = std::map<std::pair<Fault, std::string>, std::uint64_t>;
  const Coverage& coverage() const { return coverage_; }
  // How many events of each kind there were, with those that were skipped.
  const std::map<std::string, std::uint64_t>& events() const { return events_; }
  // The last things that happened.
  const std::vector<std::string>& trace() const { return trace_; }
  std::int64_t applied() const { return checks_.applied(); }
  std::int64_t replayed() const { return checks_.replayed(); }
  std::int64_t asked() const { return answers_.asked(); }
  // A number that differs between runs that differ.
  std::uint64_t digest() const { return digest_; }

 private:
  void MakePolicies();
  void PutAutoscaler(std::size_t index);
  void PutTarget(std::size_t index, std::int64_t replicas);
  // What happens, all drawn; null: nothing can.
  using Event = std::function<void()>;
  void Every(Fault fault, Nanoseconds about, std::function<Event(Dice&)> draw);
  // Counts an event of that kind; false: it is skipped.
  bool Happens(const std::string& kind);
  void ScheduleFaults();
  void ScheduleReplicaFaults();
  void Disturb(Fault fault, Replica& replica);
  void StopLeader();
  void ScheduleServerFaults();
  void StopWatches(const std::string& kind, WatchState state, Nanoseconds until);
  void EvaluateAfterSilence(Nanoseconds lasted);
  void ScheduleRivals();
  void TraceLoads();
  void FailMetric(std::size_t index);
  // The metric, or every second pod's.
  void FailUntil(std::size_t index, Nanoseconds until, bool of_pods);
  void CutPower(Replica& replica, Nanoseconds start_after);
  void StepClock(Replica& replica, Nanoseconds by, Nanoseconds until);
  void SetClock(Replica& replica, Nanoseconds by);
  void SchedulePeople();
  void EditMax(std::size_t index, std::int64_t max);
  // Deletes the autoscaler, and makes it after that span.
  void MakeAgain(std::size_t index, Nanoseconds after);
  void Make(std::size_t index);
  void RemoveTarget(std::size_t index);
  void MakeTarget(std::size_t index, std::int64_t replicas);
  Event LoseTarget(std::size_t index, Dice& dice);
  Event Edit(std::size_t index, Dice& dice);
  Event EditField(std::size_t index, Dice& dice);
  Event Suspend(std::size_t index, Dice& dice);
  void Resume(std::size_t index);
  bool IsBeingMade(std::size_t index) const;
  // windows.cc: overrides and schedules.
  void ScheduleWindows();
  Event Override(std::size_t index, Dice& dice);
  // Whether somebody makes such an override beside those that there are: most come one at a time.
  bool MayBeMade(std::size_t index, WindowKind kind);
  void SwitchOff(std::int64_t& upper);
  Event AddSchedule(std::size_t index, Dice& dice);
  void PutSchedule(std::size_t index, const Load::Schedule& schedule);
  void OpenWindows(std::size_t index, const Load::Schedule& schedule, const Load::Window& window);
  void Open(std::size_t index, Load::Window window);
  // Deletes it, or marks it as ended.
  enum class EarlyEnd { kDeleted, kMarked };
  void EndOverride(const std::string& name, EarlyEnd how);
  void RemoveSchedule(std::size_t index, const std::string& name);
  void PutEdited(std::size_t index);
  void EndWindows(const std::string& name);
  void EndAllWindows(std::size_t index);
  // A moment at which a window begins or ends, or almost, for half of the clocks that are set.
  std::optional<Nanoseconds> AnyBoundary(Dice& dice) const;
  // calendars.cc: schedules with times of every kind.
  void BeginNearZoneChange();
  Event ChangeSchedules(std::size_t index, Dice& dice);
  Load::Schedule AnySchedule(std::size_t index, Dice& dice);
  Nanoseconds AnyBegin(std::size_t index, Dice& dice) const;
  // interruptions.cc
  void ScheduleInterruptions();
  Event Retarget(std::size_t index, Dice& dice);
  Event Remove(std::size_t index, Dice& dice);
  Event Obstruct(std::size_t index, Nanoseconds span, Obstacle obstacle);
  void BeginObstacle(std::size_t index, Obstacle obstacle, Nanoseconds until);
  void EndObstacle(std::size_t index);
  void EndInterruptions(std::size_t index);
  // The policy's copy, if there is one, follows it.
  void PutCopy(std::size_t index, const JsonValue& policy);
  void WakeLater(std::size_t index);
  void RivalScales(std::size_t index, std::int64_t replicas);
  bool IsSuspended(std::size_t index) const;
  static std::string TierOf(std::size_t index) { return index % 2 == 0 ? "front" : "back"; }
  static const char* KindOf(const Load& load) { return load.hpa ? kHpas : kPolicies; }
  // What the metric asks for; absent: it fails.
  std::optional<std::int64_t> WishOf(std::size_t index) const;
  // Spec.replicas of the target; absent: it is deleted at present.
  std::optional<std::int64_t> ReplicasOf(std::size_t index) const;
  // A replica and a policy, at random.
  Replica& AnyReplica(Dice& dice);
  std::optional<std::size_t> Find(const std::string& name) const;  // of the policy and its load
  std::optional<std::size_t> PolicyOf(const kube::Request& request) const;
  std::size_t AnyPolicy(Dice& dice) { return dice.Below(loads_.size()); }
  void ManagePods(std::size_t index);
  void RollOut(std::size_t index);
  MetricModel::View MetricView();
  void OnScale(const ScaleWrite& write);
  void WatchHpas();
  void Look();
  void LookOnce();
  void LookAtWebhook();
  // Runs for a while, unless something is broken.
  void RunUntil(Nanoseconds end);
  void Describe(const std::string& what);

  const WorldOptions options_;
  std::vector<Dice> dice_;
  Dice layout_;
  ApiServer server_;
  std::vector<Load> loads_;
  Checks checks_;
  Answers answers_;
  Coverage coverage_;
  std::map<std::string, std::uint64_t> events_;
  std::vector<std::string> trace_;
  std::uint64_t digest_ = 14695981039346656037ULL;
  bool calm_ = false;
  const char* changing_zone_ = nullptr;  // its clocks are set within the run

  std::int64_t pods_made_ = 0;
  struct Pod {
    api::ObjectKey key;
    std::optional<Nanoseconds> ready;  // since when
  };
  std::vector<std::vector<Pod>> pods_;  // of each policy's target, oldest first
  // The metric that fails, of policies in an outage: a part of the load, or the main one.
  std::map<std::size_t, std::optional<std::size_t>> failing_;
  std::set<std::size_t> missing_;               // policies of whose pods every second has no sample
  std::map<std::size_t, Nanoseconds> outages_;  // when the last of a policy's ends
  struct Obstructed {
    Obstacle by;
    Nanoseconds since;
  };
  std::map<std::size_t, Obstructed> obstructed_;
  std::map<std::string, std::pair<WatchState, Nanoseconds>> watches_;  // by kind, until when
  const MetricModel metrics_{loads_, MetricView()};
  HpaChecks hpa_checks_{loads_, checks_};
  WebhookChecks webhook_checks_{options_.swarm, server_, checks_};
  ReviewChecks review_checks_{options_.swarm, server_, loads_, checks_};
  HpaController rival_{server_, loads_, [this](std::size_t index) { return WishOf(index); }};
  std::vector<std::unique_ptr<Replica>> replicas_;
};

}  // namespace ballast::faults
