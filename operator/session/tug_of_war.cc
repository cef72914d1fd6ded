#include "operator/session/tug_of_war.h"

#include <utility>

#include "api/autoscaling/condition_types.h"
#include "operator/engine/policy/opponent.h"

namespace ballast::session {

void TugOfWar::Wrote(std::int32_t from, std::int32_t to) { last_ = OwnWrite{from, to}; }

bool TugOfWar::Changed(const store::ForeignChange& change, process::SteadyTime now) {
  const auto write = std::exchange(last_, std::nullopt);
  if (!write || change.from != write->to ||
      (write->to > write->from) == (change.to > change.from)) {
    return false;
  }
  undone_.push_back({now, change});
  if (undone_.size() > kMany) {
    undone_.erase(undone_.begin());
  }
  return true;
}

std::optional<engine::Opponent> TugOfWar::OpponentAt(process::SteadyTime now) const {
  if (undone_.size() < kMany || now - undone_.front().noticed > kWithin) {
    return std::nullopt;
  }
  const store::ForeignChange& last = undone_.back().change;
  return engine::Opponent{last.manager, last.from, last.to};
}

std::optional<engine::Event> TugOfWar::News(process::SteadyTime now) {
  const auto opponent = OpponentAt(now);
  const bool told = std::exchange(told_, opponent.has_value());
  return opponent && !told
             ? std::optional(engine::Event{"Warning", api::kTugOfWar, engine::Describe(*opponent)})
             : std::nullopt;
}

}  // namespace ballast::session
