// What another controller did with a HorizontalPodAutoscaler, as its status and its events tell.
// Nothing is requested for it.
//
// Thread-safety: belongs to one HPA; one thread at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "api/autoscaling/types.h"
#include "api/base/boxed.h"
#include "api/base/time.h"
#include "store/records.h"

namespace ballast::hpa {

// An event of an HPA's controller about a scaling.
struct SeenRescale {
  std::string message;
  Time time;
};

class HpaObserver {
 public:
  // How long the status may be known before the event that explains it.
  static constexpr Duration kEventDelay = Duration::Seconds(3);

  HpaObserver() = default;
  // Continues from what is known of an earlier run: when it was looked at last, and its replicas.
  HpaObserver(std::optional<Time> observed, std::optional<std::int32_t> replicas);

  // The event about the last scaling to `size` replicas, at `since` or later; absent: there is
  // none.
  using FindEvent = std::function<std::optional<SeenRescale>(std::int32_t size, Time since)>;

  // What is to be recorded of `hpa` at `now`; it is looked at every `period`. Absent: nothing yet,
  // because it has no status, or because the event that explains its scaling may still arrive.
  std::optional<store::EvaluationRecord> See(const api::Autoscaler& hpa, Time now, Duration period,
                                             const FindEvent& find);

  // How soon to call See() again, if before the period is over: the event may have come, or there
  // is more to record.
  std::optional<Duration> again() const { return again_; }

  // The change of replicas by somebody else that See() noticed last, once. See() does not know who
  // it was.
  std::optional<store::ForeignChange> TakeForeignChange();

 private:
  struct Scaling {
    Time time;
    std::int32_t from = 0;
    std::int32_t to = 0;
  };
  std::optional<Scaling> FindScaling(const api::AutoscalerStatus& status, Time now) const;
  std::optional<SeenRescale> FindMissed(std::int32_t present, const FindEvent& find) const;
  Time Within(Time time, Time now) const;
  store::EvaluationRecord Describe(const api::Autoscaler& hpa, Time now, Duration period) const;
  void ForgetOtherTarget(const api::Autoscaler& hpa);
  void SeePresent(const store::EvaluationRecord& evaluation, const api::AutoscalerStatus& status);
  void NoteForeignChange(std::int32_t present, Time time);
  void Record(const Scaling& scaling, std::string message, store::EvaluationRecord& evaluation);

  std::optional<Time> observed_;          // the last observation
  std::optional<std::int32_t> replicas_;  // as last observed
  bool looked_ = false;                   // at a status, since the construction
  std::optional<Time> scaled_;            // its lastScaleTime
  std::string target_;                    // the HPA's; empty: not looked at yet
  std::optional<Time> waiting_;           // for an event, since then
  std::optional<Duration> again_;
  Boxed<store::ForeignChange> foreign_change_;
};

// Whether the status is one that an HPA's controller wrote: before, others may have set conditions.
bool HasBeenServed(const api::AutoscalerStatus& status);

// Whether the change is more than a drift of metric values, and not Ballast's own writing of the
// status, so that the HPA should be looked at at once.
bool IsNews(const api::Autoscaler& before, const api::Autoscaler& after);

}  // namespace ballast::hpa
