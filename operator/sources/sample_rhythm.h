// The rhythm in which a source takes its samples, learnt from looks at one of its answers: how far
// apart its moments are, a moment being when new samples become visible.
//
//   if (clock.Steady() >= rhythm.next_look()) {
//     rhythm.Looked(asked, answered, what);  // what the answer has beside the one before
//   }
//   if (const auto known = rhythm.known()) {
//     ... known->After(now): behind it, new samples can be asked for ...
//   }
//
// It searches with a look a second until new samples have come twice. Then it only looks around the
// moments that it expects: once before, and then until the samples are there. At first it does so
// at each moment, later at every third.
//
// Whatever cannot be learnt surely is no rhythm: samples that come faster than looks, or with each
// answer; those that come at random; several replicas that answer in turn, each with samples of its
// own. Such a source is left alone for ten minutes. One that stops, changes its rhythm or its phase
// is forgotten after three moments at which nothing new came, and searched again.
//
// Thread-safety: none; the caller's lock.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <optional>

#include "operator/process/clock.h"

namespace ballast::sources {

// What a look found, beside the one before.
enum class LookResult {
  kNothing,  // no answer, or nothing to compare
  kSame,     // the same samples
  kNewer,    // some are newer, none is older
  kOlder,    // some are older: another replica answered
};

struct Rhythm {
  std::chrono::nanoseconds interval;
  process::SteadyTime moment;  // by which new samples are visible; so they are intervals later
  bool steady = true;          // they come always at the same time before it

  // The first moment after `now`.
  process::SteadyTime After(process::SteadyTime now) const;
  bool operator==(const Rhythm&) const = default;
};

// New samples are visible so long before a moment, as far as was seen.
inline constexpr std::chrono::milliseconds kMomentMargin{100};

class SampleRhythm {
 public:
  static constexpr std::chrono::seconds kShortest{4};  // interval
  static constexpr std::chrono::seconds kLongest{60};

  // A look was asked for and answered at these times.
  void Looked(process::SteadyTime asked, process::SteadyTime answered, LookResult found);
  // When to look again; min(): now.
  process::SteadyTime next_look() const { return next_look_; }
  // Absent: there is none, or none that is sure.
  const std::optional<Rhythm>& known() const { return known_; }

 private:
  using Nanoseconds = std::chrono::nanoseconds;

  // New samples became visible after `before` and until `by`.
  struct Arrival {
    std::int64_t number;  // of its moment
    process::SteadyTime before;
    process::SteadyTime by;

    Nanoseconds width() const { return by - before; }
  };
  // Moments that are exactly `interval` apart, the first at the `by` of the oldest arrival, and how
  // the arrivals lie beside them.
  struct Grid {
    Nanoseconds interval;
    Nanoseconds earliest;  // no samples were there yet, of any arrival
    Nanoseconds latest;    // those of each arrival were

    Nanoseconds width() const { return latest - earliest; }
  };
  Grid GridOf(Nanoseconds interval) const;
  // That of the interval that fits the arrivals.
  Grid BestGrid() const;
  process::SteadyTime MomentOf(const Grid& grid, std::int64_t number) const;
  bool is_precise() const;
  bool is_sure() const;
  // What of the arrivals is known for sure.
  void Conclude();

  void Search(process::SteadyTime asked, process::SteadyTime answered, LookResult found);
  void BeginSearch(process::SteadyTime at);
  void Track(process::SteadyTime asked, process::SteadyTime answered, LookResult found);
  void EndMoment(process::SteadyTime now, bool arrived);
  // Plans the looks around the first moment from that number on that is ahead.
  void Expect(std::int64_t number, process::SteadyTime now);
  void Rest(process::SteadyTime now);

  process::SteadyTime next_look_ = process::SteadyTime::min();
  // The last look of those without a pause or a failure between them.
  std::optional<process::SteadyTime> last_look_;

  // While it searches: until when, and when new samples came last.
  std::optional<process::SteadyTime> search_until_;
  std::optional<process::SteadyTime> found_at_;

  // Once the search has found an interval:
  std::optional<Nanoseconds> interval_;
  std::deque<Arrival> arrivals_;  // the latest, oldest first
  std::deque<bool> arrived_;      // whether there was one, of the last moments looked at
  std::int64_t expected_ = 0;     // the number of the moment that it looks around now
  Nanoseconds step_{};            // between these looks
  process::SteadyTime due_;       // when the samples should be there
  process::SteadyTime until_;     // and when they will not come any more
  std::optional<Rhythm> known_;
};

}  // namespace ballast::sources
