#include "operator/controllers/autoscaler_freshness.h"

#include <chrono>
#include <optional>

#include "operator/cluster/end_silence.h"
#include "operator/cluster/watch_silence.h"
#include "operator/process/log.h"

namespace ballast::controllers {
namespace {

// Events take a while to arrive; after this everything is listed again.
constexpr std::chrono::seconds kAnswerTtl{10};

}  // namespace

void AutoscalerFreshness::Answered(const api::ObjectReference& autoscaler, const std::string& uid,
                                   const session::StatusAnswer& answer) {
  const bool gone = !answer.version.ok() && answer.version.error().code == Code::kNotFound;
  if (answer.written || (!answer.version.ok() && !gone)) {
    return;
  }
  const std::lock_guard lock(mutex_);
  answers_[autoscaler] = {uid, gone ? "" : *answer.version, clock_.Steady()};
}

std::string AutoscalerFreshness::WhyOutOfDate(const api::Autoscaler& seen) {
  const std::string& namespace_ = seen.metadata.namespace_;
  std::string silent;
  const auto look_at = [&](const auto& watch) {
    if (IsSilent(watch, namespace_)) {
      silent += (silent.empty() ? "" : ", ") + watch.name();
    }
  };
  // A policy yields to HPAs, and to older policies. All are listed at once.
  look_at(watches_.hpas);
  if (seen.is_policy()) {
    look_at(watches_.policies);
  }
  look_at(watches_.overrides);
  if (!silent.empty()) {
    return "the API server has told nothing of " + silent + " for longer than --max-view-age";
  }
  return IsContradicted(seen, seen.is_policy() ? watches_.policies : watches_.hpas)
             ? "the API server says that it has changed, and its watch does not show how"
             : "";
}

void AutoscalerFreshness::Forget(const api::ObjectReference& autoscaler) {
  const std::lock_guard lock(mutex_);
  answers_.erase(autoscaler);
}

bool AutoscalerFreshness::Contradicts(const LiveVersion& answer, const api::Autoscaler& seen,
                                      const Watch& watch) const {
  const auto as_of = watch.AsOf(seen.metadata.namespace_);
  const bool listed_since = as_of && *as_of > answer.at;
  const bool shown =
      !answer.version.empty() &&
      api::VersionNumber(seen.metadata.resource_version) >= api::VersionNumber(answer.version);
  return seen.metadata.uid == answer.uid && !listed_since && !shown;
}

bool AutoscalerFreshness::IsContradicted(const api::Autoscaler& seen, const Watch& watch) {
  LiveVersion answer;
  {
    const std::lock_guard lock(mutex_);
    const auto found = answers_.find(seen.reference());
    if (found == answers_.end()) {
      return false;
    }
    if (!Contradicts(found->second, seen, watch)) {
      answers_.erase(found);
      return false;
    }
    answer = found->second;
  }
  const std::string name = seen.Print();
  log::Warn(log::About{name},
            "an autoscaler is not evaluated: the watch does not show what the API server says",
            {{"autoscaler", name},
             {"watched", seen.metadata.resource_version},
             {"present", answer.version.empty() ? "none" : answer.version}});
  if (clock_.Steady() - answer.at >= kAnswerTtl) {
    watch.Reread(seen.metadata.namespace_);
  }
  return true;
}

bool AutoscalerFreshness::IsSilent(const auto& watch, const std::string& namespace_) const {
  const std::chrono::nanoseconds most(max_silence_.nanoseconds);
  const auto lasted = cluster::EndSilence(watch, namespace_, clock_.Steady(), most);
  if (!lasted) {
    return true;  // there is no first list
  }
  if (*lasted <= most) {
    return false;
  }
  log::Warn(log::About{watch.name(), namespace_},
            "no autoscaler is evaluated that depends on a watch that has been silent for longer "
            "than --max-view-age",
            {{"detail", cluster::Describe({{watch.name(), *lasted}}, most)}});
  return true;
}

}  // namespace ballast::controllers
