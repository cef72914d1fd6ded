#include "operator/session/publisher.h"

#include "operator/process/log.h"

namespace ballast::session {
namespace {

// Whether the same status would be refused again.
bool IsRefusal(Code code) { return code == Code::kInvalid || code == Code::kForbidden; }

}  // namespace

void Publisher::Read(const std::optional<std::string>& version,
                     const std::optional<std::string>& writer) {
  if (version) {
    version_ = *version;
  }
  if (writer) {
    report_.StoredWriter(*writer);
  }
}

void Publisher::Emit(const api::Autoscaler& autoscaler, const std::vector<engine::Event>& events) {
  for (const engine::Event& event : events) {
    ports_.emit(autoscaler, event);
  }
}

// `log` returns whether it wrote the line: a line that the rate limiter dropped is logged later.
template <typename Log>
void Publisher::LogOnce(Log log) {
  if (logged_problem_ != problem_ && log()) {
    logged_problem_ = problem_;
  }
}

void Publisher::Evaluated(const api::Autoscaler& autoscaler, const std::string& problem) {
  problem_ = problem;
  LogOnce([&] {
    const std::string name = autoscaler.Print();
    const std::string reason = problem.substr(0, problem.find(':'));
    return problem.empty()
               ? log::Info(log::About{name}, "an autoscaler works again", {{"autoscaler", name}})
               : log::Warn(log::About{name, reason}, "an autoscaler has a problem",
                           {{"autoscaler", name}, {"problem", problem}});
  });
}

void Publisher::Refused(const api::Autoscaler& autoscaler, const engine::Refusal& refusal) {
  if (problem_ != refusal.message()) {
    Emit(autoscaler, {{"Warning", refusal.name(), refusal.message()}});
  }
  problem_ = refusal.message();
  LogOnce([&] {
    const std::string name = autoscaler.Print();
    return log::Warn(log::About{name, refusal.reason}, "an autoscaler is not evaluated",
                     {{"autoscaler", name}, {"reason", refusal.reason}, {"message", problem_}});
  });
}

void Publisher::Scaled(const Attempt& attempt, const engine::Outcome& outcome) {
  const std::string name = attempt.snapshot->autoscaler.Print();
  if (attempt.unsent) {
    log::Info(log::About{name}, "a scale was not sent",
              {{"autoscaler", name},
               {"from", attempt.change.from},
               {"to", attempt.change.to},
               {"reason", outcome.message}});
    return;
  }
  if (outcome.kind != engine::Outcome::Kind::kWritten) {
    log::Warn(log::About{name}, "the scale could not be written",
              {{"autoscaler", name},
               {"from", attempt.change.from},
               {"to", attempt.change.to},
               {"error", outcome.message}});
    return;
  }
  log::Info("scaled", {{"autoscaler", name},
                       {"from", attempt.change.from},
                       {"to", attempt.change.to},
                       {"reason", attempt.decision.rescale_reason}});
  const engine::Step* limit = engine::BindingStep(attempt.decision.trace);
  last_decision_ = LastDecision{attempt.id, attempt.snapshot->now,
                                limit == nullptr ? std::nullopt : std::optional(limit->rule)};
}

std::optional<WriteStatus> Publisher::Report(const api::Autoscaler& autoscaler,
                                             const api::AutoscalerStatus& status,
                                             const std::optional<StatusMemory>& memory,
                                             const engine::Tolerances& tolerances) {
  auto due =
      report_.Due(autoscaler, status, last_decision_, memory, tolerances, ports_.clock.Steady());
  if (!due) {
    return std::nullopt;
  }
  const std::string& watched = autoscaler.metadata.resource_version;
  const bool behind = api::VersionNumber(watched) < api::VersionNumber(version_);
  return WriteStatus{autoscaler.reference(),
                     {autoscaler.metadata.uid, behind ? version_ : watched},
                     std::move(due->status),
                     std::move(due->memory)};
}

void Publisher::Answered(const api::Autoscaler& autoscaler, const StatusAnswer& answer) {
  Marked(autoscaler, answer);
  if (answer.written) {
    report_.Sent(ports_.clock.Steady(), answer.remembered);
  } else if (answer.version.ok() || MayHaveHappened(answer.version.error().code)) {
    report_.Lost();
  } else if (IsRefusal(answer.version.error().code)) {
    report_.Refused(ports_.clock.Steady());
  }
}

void Publisher::Marked(const api::Autoscaler& hpa, const StatusAnswer& answer) {
  if (answer.version.ok()) {
    // What another controller has made of an HPA's status must not be overwritten unseen. A lower
    // version is that of a cluster that was restored, whose watch has no higher one.
    const bool set_back = api::VersionNumber(*answer.version) < api::VersionNumber(version_);
    if (answer.written || hpa.is_policy() || set_back) {
      version_ = *answer.version;
    }
    return;
  }
  const Error& problem = answer.version.error();
  if (problem.code != Code::kNotFound) {  // else it was deleted meanwhile
    const std::string name = hpa.Print();
    log::Warn(log::About{name, Name(problem.code)},
              "the status could not be written; it will be tried again",
              {{"autoscaler", name}, {"error", problem.message}});
  }
}

}  // namespace ballast::session
