#include "operator/controllers/evaluation_slots.h"

#include <algorithm>
#include <chrono>

namespace ballast::controllers {
namespace {

// The slots of a group are a golden section of the period apart: however many there are, they are
// spread evenly, and none moves when another is added.
constexpr double kGoldenSection = 0.6180339887498949;

// From the beginning of each period.
std::int64_t PointOf(const std::string& namespace_, std::size_t slot, std::int64_t period) {
  const auto length = static_cast<std::uint64_t>(period);
  const auto step = static_cast<std::uint64_t>(static_cast<double>(period) * kGoldenSection);
  const std::uint64_t first = std::hash<std::string>()(namespace_) % length;
  return static_cast<std::int64_t>((first + slot % length * step) % length);
}

}  // namespace

process::SteadyTime EvaluationSlots::NextRun(const api::ObjectReference& autoscaler,
                                             Duration period, process::SteadyTime now) {
  using std::chrono::nanoseconds;
  const std::int64_t length = std::max<std::int64_t>(period.nanoseconds, 1);
  const Group group{across_() ? "" : autoscaler.namespace_, length};
  const std::lock_guard lock(mutex_);
  const auto found = places_.find(autoscaler);
  if (found == places_.end() || found->second.group != group) {
    LeaveLocked(autoscaler);
    Enter(autoscaler, group);
  }
  const std::int64_t point = PointOf(group.first, places_.at(autoscaler).slot, length);
  const std::int64_t past = (nanoseconds(now.time_since_epoch()).count() - point) % length;
  return now + nanoseconds(past < 0 ? -past : length - past);
}

void EvaluationSlots::Leave(const api::ObjectReference& autoscaler) {
  const std::lock_guard lock(mutex_);
  LeaveLocked(autoscaler);
}

void EvaluationSlots::Enter(const api::ObjectReference& autoscaler, const Group& group) {
  std::vector<std::size_t>& slots = taken_[group];
  auto slot = std::ranges::find_if(slots, [](std::size_t taken) { return taken < kRoom; });
  if (slot == slots.end()) {
    slot = slots.insert(slot, 0);
  }
  ++*slot;
  places_[autoscaler] = {group, static_cast<std::size_t>(slot - slots.begin())};
}

void EvaluationSlots::LeaveLocked(const api::ObjectReference& autoscaler) {
  const auto place = places_.find(autoscaler);
  if (place == places_.end()) {
    return;
  }
  const auto group = taken_.find(place->second.group);
  std::vector<std::size_t>& slots = group->second;
  --slots[place->second.slot];
  while (!slots.empty() && slots.back() == 0) {
    slots.pop_back();
  }
  if (slots.empty()) {
    taken_.erase(group);
  }
  places_.erase(place);
}

}  // namespace ballast::controllers
