#include "operator/sources/sample_rhythm.h"

#include <algorithm>
#include <utility>

namespace ballast::sources {
namespace {

using process::SteadyTime;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;

// A search sees two arrivals of the longest interval.
constexpr std::chrono::seconds kSearchFor = 2 * SampleRhythm::kLongest + std::chrono::seconds(10);
constexpr std::chrono::seconds kSearchStep{1};
constexpr std::chrono::seconds kWidestFound{2};  // an arrival, for the search to count it
constexpr std::chrono::minutes kRestFor{10};

// Clocks drift between two moments that are looked at, and answers take a little longer at times.
constexpr milliseconds kShortestStep{100};
constexpr milliseconds kLongestStep{400};
constexpr int kSteps = 8;               // until samples should be there
constexpr milliseconds kPrecise{750};   // the width of an arrival: a step, and the answer
constexpr std::size_t kSure = 4;        // arrivals that are steady; others: all remembered
constexpr std::size_t kRemembered = 8;  // arrivals, and moments looked at
constexpr std::ptrdiff_t kLost = 3;     // of these moments without an arrival
constexpr milliseconds kSteady{750};    // arrivals that are no further apart
constexpr std::chrono::seconds kLongestDelay{2};
constexpr std::chrono::seconds kWidest{5};
// Every third moment: an odd number, so that a source that skips every second one is found out.
constexpr std::int64_t kSpared = 3;

// How far a rounded interval may fit worse than a measured one, at least: those of real sources are
// whole seconds.
constexpr milliseconds kRounding{100};

// A moment that is known stays as it is while it is by no more than this too late: where it moves,
// what was evaluated at it is evaluated once more.
constexpr milliseconds kStays{150};

nanoseconds WidestOf(nanoseconds interval) { return std::min<nanoseconds>(interval / 3, kWidest); }

}  // namespace

SteadyTime Rhythm::After(SteadyTime now) const {
  const nanoseconds past = (now - moment) % interval;
  return now + (past.count() < 0 ? -past : interval - past);
}

void SampleRhythm::Looked(SteadyTime asked, SteadyTime answered, LookResult found) {
  if (found == LookResult::kOlder) {
    Rest(answered);
  } else if (interval_) {
    Track(asked, answered, found);
  } else {
    Search(asked, answered, found);
  }
}

void SampleRhythm::Conclude() {
  if (!is_sure()) {
    known_.reset();
    return;
  }
  const Grid grid = BestGrid();
  const SteadyTime by = MomentOf(grid, arrivals_.back().number) + grid.latest;
  const bool steady = grid.width() <= kSteady;
  if (known_) {
    const SteadyTime nearest = known_->After(by - known_->interval / 2);
    const nanoseconds stays = kMomentMargin + std::max<nanoseconds>(kStays, grid.width() / 2);
    if (by <= nearest && nearest <= by + stays && known_->steady == steady) {
      return;
    }
  }
  known_ = {grid.interval, by + kMomentMargin, steady};
}

bool SampleRhythm::is_precise() const {
  return !arrivals_.empty() && arrivals_.front().width() <= kPrecise;  // so are all others
}

bool SampleRhythm::is_sure() const {
  return is_precise() && (arrivals_.size() == kRemembered ||
                          (arrivals_.size() >= kSure && BestGrid().width() <= kSteady));
}

SampleRhythm::Grid SampleRhythm::GridOf(Nanoseconds interval) const {
  Grid grid{interval, Nanoseconds::max(), Nanoseconds::min()};
  for (const Arrival& arrival : arrivals_) {
    const SteadyTime moment = MomentOf(grid, arrival.number);
    grid.earliest = std::min<Nanoseconds>(grid.earliest, arrival.before - moment);
    grid.latest = std::max<Nanoseconds>(grid.latest, arrival.by - moment);
  }
  return grid;
}

SampleRhythm::Grid SampleRhythm::BestGrid() const {
  const Arrival& first = arrivals_.front();
  const Arrival& last = arrivals_.back();
  if (first.number == last.number) {
    return GridOf(*interval_);
  }
  const Grid measured = GridOf((last.by - first.by) / (last.number - first.number));
  const auto nearest = std::chrono::round<std::chrono::seconds>(measured.interval);
  Grid best = GridOf(nearest);
  for (const std::chrono::seconds other :
       {nearest - std::chrono::seconds(1), nearest + std::chrono::seconds(1)}) {
    if (const Grid grid = GridOf(other); grid.width() < best.width()) {
      best = grid;
    }
  }
  const nanoseconds worse = std::max<nanoseconds>(kRounding, measured.width() / 4);
  return best.width() <= measured.width() + worse ? best : measured;
}

SteadyTime SampleRhythm::MomentOf(const Grid& grid, std::int64_t number) const {
  const Arrival& first = arrivals_.front();
  return first.by + grid.interval * (number - first.number);
}

void SampleRhythm::BeginSearch(SteadyTime at) {
  interval_.reset();
  known_.reset();
  arrivals_.clear();
  arrived_.clear();
  last_look_.reset();
  found_at_.reset();
  search_until_ = at + kSearchFor;
  next_look_ = at;
}

void SampleRhythm::Search(SteadyTime asked, SteadyTime answered, LookResult found) {
  if (!search_until_) {
    BeginSearch(asked);
  }
  next_look_ = std::max(asked + kSearchStep, answered);
  const auto before = std::exchange(
      last_look_, found == LookResult::kNothing ? std::nullopt : std::optional(asked));
  if (found == LookResult::kNewer && before) {
    const auto earlier = std::exchange(found_at_, answered);
    if (answered - *before > kWidestFound) {
      found_at_.reset();
    } else if (earlier) {
      const Nanoseconds interval = answered - *earlier;
      if (interval < kShortest || interval > kLongest + kSearchStep) {
        Rest(answered);
        return;
      }
      interval_ = interval;
      arrivals_ = {{0, *before, answered}};
      Expect(1, answered);
      return;
    }
  }
  if (answered >= *search_until_) {
    Rest(answered);
  }
}

void SampleRhythm::Track(SteadyTime asked, SteadyTime answered, LookResult found) {
  const auto before = std::exchange(
      last_look_, found == LookResult::kNothing ? std::nullopt : std::optional(asked));
  if (found == LookResult::kNewer && before) {
    const bool precise = answered - *before <= kPrecise;
    if (precise) {
      arrivals_.push_back({expected_, *before, answered});
      // The search's own is not as precise, and serves until there are others.
      if (arrivals_.size() > kRemembered || (arrivals_.size() >= kSure && !is_precise())) {
        arrivals_.pop_front();
      }
    }
    EndMoment(answered, precise);
  } else if (answered >= until_) {
    EndMoment(answered, false);
  } else {
    // The later they are, the less does it matter how exactly.
    next_look_ = std::max(asked + std::clamp<Nanoseconds>((asked - due_) / 4, step_, kLongestStep),
                          answered);
  }
}

void SampleRhythm::EndMoment(SteadyTime now, bool arrived) {
  last_look_.reset();
  arrived_.push_back(arrived);
  if (arrived_.size() > kRemembered) {
    arrived_.pop_front();
  }
  Conclude();
  const auto missed = std::ranges::count(arrived_, false);
  const Grid grid = BestGrid();
  if (missed >= kLost && is_sure()) {
    BeginSearch(now);
  } else if (missed >= kLost || (is_precise() && grid.width() > WidestOf(grid.interval))) {
    Rest(now);
  } else {
    const bool steady = arrived_.size() == kRemembered && missed == 0 && grid.width() <= kSteady;
    Expect(expected_ + (steady ? kSpared : 1), now);
  }
}

void SampleRhythm::Expect(std::int64_t number, SteadyTime now) {
  const Grid grid = BestGrid();
  // The interval is not known precisely yet while the search's arrival is one of two.
  const bool vague = !is_precise();
  const Nanoseconds slack =
      vague ? grid.interval / 8 : std::max<Nanoseconds>(grid.width() / 2, kShortestStep);
  const Nanoseconds wait =
      vague ? grid.interval / 4 : std::min<Nanoseconds>(grid.interval / 4, kLongestDelay);
  while (MomentOf(grid, number) + grid.earliest - slack <= now) {
    ++number;
  }
  expected_ = number;
  step_ = std::clamp<Nanoseconds>((grid.width() + slack) / kSteps, kShortestStep, kLongestStep);
  due_ = MomentOf(grid, number) + grid.latest;
  until_ = due_ + wait;
  next_look_ = MomentOf(grid, number) + grid.earliest - slack;
}

void SampleRhythm::Rest(SteadyTime now) {
  BeginSearch(now);
  search_until_.reset();
  next_look_ = now + kRestFor;
}

}  // namespace ballast::sources
