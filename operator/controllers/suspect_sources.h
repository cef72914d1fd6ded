// A source of snapshots that suspects a source of metrics in them if that breaks for five policies
// or more at once. One idle workload is normal; five that turn idle together more often are one
// broken source.
//
// A source has broken for a policy in one of two ways. Its values were above zero within the last
// ten minutes, and are not any more. Or its samples cover less than half of the pods that they
// covered, and less than half of the pods that there are and are older than two minutes.
//
// A source is one of metrics.k8s.io, custom.metrics.k8s.io, external.metrics.k8s.io and the sources
// of metrics of type Prometheus. A request that fails says nothing: without a value nothing is
// scaled in anyway. Of HPAs nothing is looked at.
//
// A suspicion concerns the policies that lost their values, each from the evaluation on that saw
// it. How long it holds them, the engine decides by its beginning, which stays the same until the
// values have been back for ten minutes on end: a source that comes and goes is one suspicion. The
// policies evaluated before the fifth was are only held from their next evaluation on.
//
// After a restart, the policy's memory has the beginning of its suspicion, or after a crash its
// status, which also has the values before.
//
// Thread-safety: any thread.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "api/base/time.h"
#include "api/decision/snapshot.h"
#include "operator/session/ports.h"

namespace ballast::controllers {

class SuspectSources final : public session::SourceDecorator {
 public:
  using SourceDecorator::SourceDecorator;

  // Takes the answers of a policy's evaluation into account, and adds which source is suspect for
  // it.
  session::Gathered Gather(const session::MetricsAnswer& answer, const session::SeenTarget& target,
                           engine::Snapshot& snapshot) override {
    session::Gathered gathered = SourceDecorator::Gather(answer, target, snapshot);
    snapshot.suspect_source = Look(snapshot);
    return gathered;
  }

  // How many metrics are known, and sources and policies without any.
  std::size_t size() const;

 private:
  // What an answer has of one metric.
  struct AnsweredMetric {
    bool above_zero = false;
    std::size_t samples = 0;  // of pods; 0 for a metric that has none of its own for each
    std::size_t pods = 0;     // that should have one
  };
  // One metric of one policy.
  struct MetricHistory {
    Time seen;
    bool lost = false;         // its values, and was well before
    std::optional<Time> well;  // when it last was
    Time well_since;           // if it is
    std::size_t most = 0;      // samples while it was well, of the last ten minutes
    Time most_at;
    std::optional<Time> since;  // suspect since then

    // Its invariants, once it has been looked at.
    bool Check() const {
      return (!well || *well <= seen) && well_since <= seen && most_at <= seen &&
             (!since || *since <= seen) && (!since || lost || well);
    }
  };
  using Metrics = std::map<std::string, MetricHistory>;  // by identity
  using Policies = std::map<std::string, Metrics>;       // by uid

  std::optional<engine::SuspectSource> Look(const engine::Snapshot& snapshot);
  static std::optional<AnsweredMetric> LevelOf(const engine::Snapshot& snapshot, std::size_t index);
  static MetricHistory FirstSeen(const engine::Snapshot& snapshot, std::size_t index,
                                 const AnsweredMetric& level);
  // The clock was set to `now`: what was then in the future is no longer.
  static void MoveToPast(MetricHistory& metric, Time now);
  static void Update(MetricHistory& metric, const AnsweredMetric& level, Time now);
  // Whether enough policies lost their values of late.
  static bool IsSuspect(const Policies& policies, Time now);
  // What is known of the policy's metric; null: nothing.
  MetricHistory* Known(const std::string& source, const std::string& uid,
                       const api::MetricSpec& spec);
  void Sweep(Time now);

  mutable std::mutex mutex_;                              // guards: the rest
  std::map<std::string, Policies, std::less<>> sources_;  // by name
  std::optional<Time> swept_;
};

}  // namespace ballast::controllers
