#include "operator/controllers/scale_senders.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <initializer_list>

namespace ballast::controllers {
namespace {

constexpr std::chrono::hours kKept{1};

std::size_t HashOf(const std::string& uid) { return std::hash<std::string>()(uid); }

}  // namespace

void ScaleSenders::Sends(const std::string& target, const std::string& autoscaler,
                         process::SteadyTime now) {
  const Sender sender{HashOf(autoscaler), now};
  const std::lock_guard lock(mutex_);
  Senders& senders = of_[HashOf(target)];
  if (senders.last.autoscaler != sender.autoscaler) {
    senders.before = senders.last;
  }
  senders.last = sender;
  if (of_.size() > sweep_at_) {
    std::erase_if(of_, [&](const auto& entry) { return entry.second.last.at < now - kKept; });
    sweep_at_ = std::max(sweep_at_, 2 * of_.size());
  }
}

bool ScaleSenders::OthersSent(const std::string& target, const std::string& autoscaler,
                              process::SteadyTime since) const {
  const Hash own = HashOf(autoscaler);
  const std::lock_guard lock(mutex_);
  const auto found = of_.find(HashOf(target));
  return found != of_.end() &&
         std::ranges::any_of(
             std::initializer_list<Sender>{found->second.last, found->second.before},
             [&](const Sender& sender) { return sender.autoscaler != own && sender.at >= since; });
}

}  // namespace ballast::controllers
