#include "operator/controllers/tug_of_war.h"

#include <utility>

namespace ballast::controllers {

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

}  // namespace ballast::controllers
