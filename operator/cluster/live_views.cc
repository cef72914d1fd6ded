#include "operator/cluster/live_views.h"

#include <cstdint>
#include <utility>

namespace ballast::cluster {
namespace {

constexpr std::chrono::hours kUnused{2};

std::uint64_t Version(const api::Scale& scale) {
  return api::VersionNumber(scale.metadata.resource_version);
}

}  // namespace

std::optional<Result<api::Scale>> LiveViews::Find(const std::string& target,
                                                  const api::Scale* seen) {
  const process::SteadyTime now = clock_.Steady();
  const std::lock_guard lock(mutex_);
  const auto found = views_.find(target);
  if (found != views_.end()) {
    View& view = found->second;
    if (IsBehind(seen, view)) {
      view.used_at = now;
      const bool believed = seen != nullptr && now - view.learned_at < kAnswerTtl;
      return believed ? view.answer : std::nullopt;
    }
    views_.erase(found);
  }
  if (seen == nullptr) {
    return std::nullopt;
  }
  return *seen;
}

void LiveViews::Learn(const std::string& target, const api::Scale* seen,
                      const Result<api::Scale>& answer) {
  if (!answer.ok() && answer.error().code != Code::kNotFound) {
    return;
  }
  const process::SteadyTime now = clock_.Steady();
  const std::lock_guard lock(mutex_);
  const auto known = views_.find(target);
  if (known != views_.end() && answer.ok() && known->second.answer && known->second.answer->ok() &&
      now - known->second.learned_at < kAnswerTtl &&
      Version(*answer) < Version(**known->second.answer)) {
    return;  // an older answer that arrived after a newer one: two requests overlapped
  }
  View view{answer, "", now, now, now};
  if (answer.ok()) {
    view.uid = answer->metadata.uid;
  } else if (seen != nullptr) {
    view.uid = seen->metadata.uid;
  }
  if (IsBehind(seen, view)) {
    Put(target, std::move(view));
  } else if (known != views_.end()) {
    views_.erase(known);
  }
}

void LiveViews::Invalidate(const std::string& target) {
  const process::SteadyTime now = clock_.Steady();
  const std::lock_guard lock(mutex_);
  Put(target, {std::nullopt, "", now, now, now});
}

std::optional<process::SteadyTime> LiveViews::BehindSince(const std::string& target) const {
  const std::lock_guard lock(mutex_);
  const auto found = views_.find(target);
  if (found == views_.end() || !found->second.answer) {
    return std::nullopt;
  }
  return found->second.since;
}

void LiveViews::OnDelivered(const std::string& target, const api::Scale* before,
                            const api::Scale* after) {
  const std::lock_guard lock(mutex_);
  const auto found = views_.find(target);
  if (found == views_.end()) {
    return;
  }
  // A watch that is behind may report the deletion of an earlier object of the same name.
  const View& view = found->second;
  const bool ended = after == nullptr && before->metadata.uid == view.uid;
  if (ended || !IsBehind(after, view)) {
    views_.erase(found);
  }
}

// A view in doubt stays behind, regardless of the watch, until the API server has been asked.
bool LiveViews::IsBehind(const api::Scale* seen, const View& view) {
  if (!view.answer) {
    return true;
  }
  if (!view.answer->ok()) {
    return seen != nullptr && seen->metadata.uid == view.uid;
  }
  return seen == nullptr || Version(*seen) < Version(**view.answer);
}

void LiveViews::Put(const std::string& target, View view) {
  const process::SteadyTime now = view.used_at;
  if (const auto known = views_.find(target); known != views_.end() && known->second.answer) {
    view.since = known->second.since;
  }
  views_.insert_or_assign(target, std::move(view));
  sweeper_.Sweep([&](const auto& entry) { return now - entry.second.used_at >= kUnused; }, views_);
}

std::size_t LiveViews::size() const {
  const std::lock_guard lock(mutex_);
  return views_.size();
}

}  // namespace ballast::cluster
