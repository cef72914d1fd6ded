#include "operator/hpa/hpa_reconciler.h"

#include <utility>
#include <variant>

#include "operator/hpa/manage_blocker.h"
#include "operator/process/clock.h"

namespace ballast::hpa {
namespace {

// The watch has nothing new when a claim was only confirmed.
constexpr Duration kAfterMarks = Duration::Milliseconds(1);

}  // namespace

HpaReconciler::HpaReconciler(const Surroundings& around, const api::Autoscaler& hpa)
    : session::Reconciler(around.ports, around.options, hpa,
                          [this](const engine::Snapshot& snapshot, const engine::Decision& decision,
                                 Time now) { role_.Judge(snapshot, decision, now); }),
      around_(around),
      key_(hpa.key()),
      role_(around.ports, around.options, around.hpa_options) {
  role_.Continue(session().memory(), session().scale());
}

session::Progress HpaReconciler::Begin(session::Session::AutoscalerPointer hpa,
                                       const session::MetricsAnswer& answer) {
  marked_.reset();
  const api::ServingMode& mode = around_.options.ModeOf(*hpa);
  // An observer knows the scale by the HPA's status, and a claim has to read it.
  session::FetchMetrics needed{
      .autoscaler = hpa,
      .period = around_.options.PeriodOf(*hpa),
      .metrics = mode.evaluates && (mode.observes || role_.manages()),
      .scale = mode.evaluates,
      .managed = asks_who_set_,
  };
  needed = session().Completed(std::move(needed), needed.metrics);
  if ((needed.scale || needed.managed || needed.live != nullptr) && !Has(answer, needed)) {
    return needed;
  }
  const HpaRole::RoleAction action = NextAction(*hpa, answer);
  asks_who_set_ = action.asks_who_set;
  if (asks_who_set_ && !action.write) {
    needed.managed = true;
    return needed;
  }
  if (action.evaluate && !answer.request.metrics) {
    needed.metrics = true;
    return session().Completed(std::move(needed), true);
  }
  if (action.evaluate) {
    return session().Evaluate(std::move(hpa), answer);
  }
  if (action.write) {
    marked_ = std::move(hpa);
    return *action.write;
  }
  return session::NextEvaluation{action.period, action.sooner};
}

HpaRole::RoleAction HpaReconciler::NextAction(const api::Autoscaler& hpa,
                                              const session::MetricsAnswer& answer) {
  around_.others.See(hpa, process::ReadBoth(around_.ports.clock));
  session::Session& known = session();
  known.LookAt(hpa, answer);
  HpaRole::RoleAction action = role_.Next(
      hpa, ManageBlockerOf(hpa, around_.hpa_options.take_over_in),
      [&](std::int32_t size, Time since) { return around_.find_event(hpa, size, since); },
      {known.memory(), known.scale(), around_.others, answer, known.written_version(),
       known.unsettled()});
  if (!action.events.empty()) {
    known.PublisherOf(hpa).Emit(hpa, action.events);
  }
  if (action.begun) {
    known.StartAnew(hpa);
  }
  return action;
}

session::Progress HpaReconciler::Resume(const session::Answer& answer) {
  const auto* status = std::get_if<session::StatusAnswer>(&answer);
  if (marked_) {
    return EndOfMarks(*std::exchange(marked_, nullptr), *status);
  }
  session::Progress progress = session::Reconciler::Resume(answer);
  if (status != nullptr && status->version.ok() && !status->written) {
    role_.Conflicted(*status->version);
  }
  return progress;
}

session::NextEvaluation HpaReconciler::EndOfMarks(const api::Autoscaler& hpa,
                                                  const session::StatusAnswer& answer) {
  if (!answer.remembered) {
    around_.options.metrics.CountMemoryFailure();
  }
  role_.Answered(hpa, answer);
  session().PublisherOf(hpa).Marked(hpa, answer);
  return {around_.options.PeriodOf(hpa),
          role_.begins() || asks_who_set_ ? std::optional(kAfterMarks) : std::nullopt};
}

std::optional<session::WriteStatus> HpaReconciler::Forget() {
  if (!role_.has_managed()) {
    return std::nullopt;
  }
  return session::WriteStatus{.autoscaler = {api::kHpaKind, key_.namespace_, key_.name},
                              .memory = ""};
}

}  // namespace ballast::hpa
