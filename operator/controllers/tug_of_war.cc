#include "operator/controllers/tug_of_war.h"

#include <utility>

#include "api/autoscaling/condition_types.h"
#include "operator/engine/conditions.h"

namespace ballast::controllers {
namespace {

constexpr const char* kTugOfWar = "TugOfWar";  // of Conflicted, and of an event

}  // namespace

void TugOfWar::Wrote(std::int32_t from, std::int32_t to) { last_ = OwnWrite{from, to}; }

bool TugOfWar::Changed(const store::ForeignChange& change) {
  const auto write = std::exchange(last_, std::nullopt);
  if (!write || change.from != write->to ||
      (write->to > write->from) == (change.to > change.from)) {
    return false;
  }
  undone_.push_back(change);
  if (undone_.size() > kMany) {
    undone_.erase(undone_.begin());
  }
  return true;
}

std::optional<std::string> TugOfWar::Describe(Time now) const {
  if (undone_.size() < kMany || now - undone_.front().time > kWithin) {
    return std::nullopt;
  }
  const store::ForeignChange& last = undone_.back();
  return (last.manager.empty() ? "another client" : last.manager) +
         " keeps undoing what this autoscaler does, last from " + std::to_string(last.from) +
         " to " + std::to_string(last.to) +
         " replicas: leave spec.replicas out of what it applies, or pause or delete the autoscaler";
}

void TugOfWar::Tell(Time now, bool is_policy, engine::Conclusion& conclusion) {
  const auto tug = Describe(now);
  if (tug && !told_) {
    conclusion.events.push_back({"Warning", kTugOfWar, *tug});
  }
  told_ = tug.has_value();
  engine::Conditions conditions(conclusion.status.conditions, now);
  if (tug && is_policy) {
    conditions.True(api::kConflicted, kTugOfWar, *tug);
  } else {
    conditions.Remove(api::kConflicted);
  }
}

}  // namespace ballast::controllers
