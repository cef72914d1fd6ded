#include "operator/process/log_limiter.h"

#include <iterator>
#include <utility>

namespace ballast::log {
namespace {

// Longer than any object's namespace and name. The beginning distinguishes longer texts.
constexpr std::size_t kMaxPart = 520;

std::string NameOf(std::string_view message, std::string_view object, std::string_view cause) {
  std::string name(message);
  for (const std::string_view part : {object, cause}) {
    name.append(1, '\0').append(part.substr(0, kMaxPart));
  }
  return name;
}

}  // namespace

std::optional<std::uint64_t> Limiter::Admit(std::string_view message, std::string_view object,
                                            std::string_view cause, SteadyTime now) {
  std::string name = NameOf(message, object, cause);
  const std::lock_guard lock(mutex_);
  auto found = by_name_.find(name);
  if (found == by_name_.end() && !MakeRoom(now)) {
    name = message;
    found = by_name_.find(name);
  }
  if (found != by_name_.end()) {
    return AdmitKind(found->second, now);
  }
  kinds_.push_back({std::move(name), now});
  by_name_.emplace(kinds_.back().name, std::prev(kinds_.end()));
  return 0;
}

std::optional<std::uint64_t> Limiter::AdmitKind(std::list<Kind>::iterator kind, SteadyTime now) {
  if (now - kind->written < kPeriod) {
    ++kind->held_back;
    return std::nullopt;
  }
  kind->written = now;
  kinds_.splice(kinds_.end(), kinds_, kind);
  return std::exchange(kind->held_back, 0);
}

// Kinds are kept longer than their minute, so that the number of held back lines is not lost.
bool Limiter::MakeRoom(SteadyTime now) {
  if (kinds_.size() >= max_kinds_ && now - kinds_.front().written >= kPeriod) {
    by_name_.erase(kinds_.front().name);
    kinds_.pop_front();
  }
  return kinds_.size() < max_kinds_;
}

}  // namespace ballast::log
