#include "operator/sources/sample_rhythm.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include "api/base/time.h"

namespace ballast::sources {
namespace {

using namespace std::chrono_literals;
using process::SteadyTime;
using std::chrono::nanoseconds;

constexpr SteadyTime kStart{1h};

// A number from 0 to `below` that looks random, and is the same for equal arguments.
nanoseconds Scatter(std::int64_t seed, nanoseconds below) {
  auto bits = static_cast<std::uint64_t>(seed) * 0x9E3779B97F4A7C15U;
  bits ^= bits >> 29U;
  bits *= 0xBF58476D1CE4E5B9U;
  bits ^= bits >> 32U;
  return nanoseconds(bits % static_cast<std::uint64_t>(below.count()));
}

// The times, since the start, at which new samples become visible: in order.
using Times = std::vector<nanoseconds>;

// `interval` apart, from `first` on, each up to `jitter` late.
Times Every(nanoseconds interval, nanoseconds jitter = 0ns, nanoseconds first = 4'321ms,
            nanoseconds until = 2h) {
  Times times;
  for (std::int64_t i = 0; first + i * interval < until; ++i) {
    times.push_back(first + i * interval + (jitter == 0ns ? 0ns : Scatter(i, jitter)));
  }
  return times;
}

Times AtRandom(nanoseconds mean) {
  Times times{1s};
  while (times.back() < 2h) {
    times.push_back(times.back() + 1s +
                    Scatter(static_cast<std::int64_t>(times.size()), 2 * (mean - 1s)));
  }
  return times;
}

Times Join(Times before, nanoseconds at, const Times& after) {
  std::erase_if(before, [at](nanoseconds time) { return time >= at; });
  std::ranges::copy_if(after, std::back_inserter(before), [at](auto time) { return time >= at; });
  return before;
}

// A source whose n-th answer has the samples of one of its replicas.
struct Source {
  std::vector<Times> replicas;
  std::function<std::size_t(int)> which = [](int) { return std::size_t{0}; };
  nanoseconds takes = 5ms;  // to answer

  // The newest sample that is visible then; 0: none.
  nanoseconds At(nanoseconds time, int look) const {
    const Times& times = replicas[which(look)];
    const auto next = std::ranges::upper_bound(times, time);
    return next == times.begin() ? 0ns : *std::prev(next);
  }
};

class Player {
 public:
  explicit Player(Source source) : source_(std::move(source)) {}

  void RunUntil(nanoseconds end) {
    now_ = std::max(now_, kStart);
    while (std::max(rhythm_.next_look(), now_) < kStart + end) {
      now_ = std::max(rhythm_.next_look(), now_);
      const nanoseconds sample = source_.At(now_ - kStart, looks_++);
      const SteadyTime asked = std::exchange(now_, now_ + source_.takes);
      rhythm_.Looked(asked, now_,
                     sample == 0ns        ? LookResult::kNothing
                     : !sample_           ? LookResult::kNothing
                     : sample > *sample_  ? LookResult::kNewer
                     : sample == *sample_ ? LookResult::kSame
                                          : LookResult::kOlder);
      sample_ = sample;
    }
    now_ = kStart + end;
  }
  std::optional<Rhythm> known() const { return rhythm_.known(); }
  int looks() const { return looks_; }
  // How long after the newest sample's arrival the moment after `time` comes; absent: no rhythm.
  std::optional<nanoseconds> Behind(nanoseconds time) const {
    const auto known = rhythm_.known();
    if (!known) {
      return std::nullopt;
    }
    const nanoseconds moment = known->After(kStart + time) - kStart;
    return moment - source_.At(moment, 0);
  }

 private:
  const Source source_;
  SampleRhythm rhythm_;
  SteadyTime now_;
  std::optional<nanoseconds> sample_;
  int looks_ = 0;
};

struct LearntCase {
  const char* name;
  Source source;
  nanoseconds interval;
  nanoseconds within;         // it is learnt
  nanoseconds most;           // that a moment comes behind its samples
  double looks;               // for an interval, later
  nanoseconds early = 0ns;    // so far before a late sample does a moment come at worst
  nanoseconds off_by = 10ms;  // the interval
};

TEST(SampleRhythm, LearnsWhenSamplesBecomeVisible) {
  const LearntCase kCases[] = {
      {"as metrics-server does", {{Every(15s)}}, 15s, 110s, 300ms, 2},
      {"every half a minute", {{Every(30s)}}, 30s, 4min, 300ms, 2},
      {"every minute", {{Every(60s)}}, 60s, 7min, 300ms, 2},
      {"every five seconds", {{Every(5s)}}, 5s, 45s, 300ms, 2},
      {"no whole seconds", {{Every(13'370ms)}}, 13'370ms, 2min, 500ms, 2, 0ns, 60ms},
      {"it drifts", {{Every(15'003ms)}}, 15s, 2min, 300ms, 2},
      {"it answers slowly", {{Every(15s)}, [](int) { return 0U; }, 250ms}, 15s, 2min, 600ms, 2},
      {"with a jitter of half a second", {{Every(15s, 500ms)}}, 15s, 3min, 1s, 12, 200ms, 1s},
  };
  for (const LearntCase& of : kCases) {
    SCOPED_TRACE(of.name);
    Player player(of.source);
    player.RunUntil(of.within);
    ASSERT_TRUE(player.known());
    player.RunUntil(of.within + 20 * of.interval);
    const int before = player.looks();
    int early = 0;
    for (int i = 20; i < 60; ++i) {
      const nanoseconds now = of.within + i * of.interval;
      player.RunUntil(now);
      ASSERT_TRUE(player.known()) << i;
      EXPECT_LE(std::chrono::abs(player.known()->interval - of.interval), of.off_by);
      const nanoseconds behind = *player.Behind(now);
      if (behind > of.interval - of.early - 50ms) {
        ++early;  // the sample before
      } else {
        EXPECT_LE(behind, of.most) << i;
      }
    }
    EXPECT_LE(early, of.early > 0ns ? 4 : 0);
    EXPECT_LE(player.looks() - before, of.looks * 40);
  }
}

// With so much of it the rhythm may be lost at times. While it is known, a moment comes behind its
// samples, and not by more than they are scattered.
TEST(SampleRhythm, ToleratesAJitterOfTwoSeconds) {
  Player player({{Every(15s, 2s)}});
  int known = 0;
  int early = 0;
  for (nanoseconds now = 10min; now < 110min; now += 15s) {
    player.RunUntil(now);
    if (const auto behind = player.Behind(now)) {
      ++known;
      early += *behind > 12s ? 1 : 0;  // the samples before
      EXPECT_TRUE(*behind > 12s || *behind < 4s) << Print(Duration{behind->count()});
    }
  }
  EXPECT_GE(known, 200) << "of 400";
  EXPECT_LE(early, known / 10);
}

TEST(SampleRhythm, DoesNotFindOneWhereThereIsNone) {
  const struct {
    const char* name;
    Source source;
  } kCases[] = {
      {"never any sample", {{Times{}}}},
      {"never a new one", {{Times{1s}}}},
      {"with each answer", {{Every(1ms)}}},
      {"every second", {{Every(1s)}}},
      {"every three seconds", {{Every(3s)}}},
      {"at random", {{AtRandom(15s)}}},
      {"every two minutes", {{Every(120s)}}},
      {"two replicas in turn",
       {{Every(15s), Every(15s, 0ns, 9s)}, [](int look) { return look % 2; }}},
      {"two replicas at random",
       {{Every(15s), Every(15s, 0ns, 9s)}, [](int look) { return Scatter(look, 2ns).count(); }}},
      {"it answers too slowly", {{Every(15s)}, [](int) { return 0U; }, 3s}},
  };
  for (const auto& of : kCases) {
    SCOPED_TRACE(of.name);
    Player player(of.source);
    for (nanoseconds now = 0s; now < 100min; now += 1s) {
      player.RunUntil(now);
      ASSERT_FALSE(player.known()) << Print(Duration{now.count()});
    }
    EXPECT_LE(player.looks(), 100 * 60 / 4) << "it is left alone most of the time";
  }
}

struct ChangeCase {
  const char* name;
  Source source;  // every 15 s, until half an hour has passed
  nanoseconds forgotten;
  std::optional<nanoseconds> interval;  // that is learnt instead
  nanoseconds learnt;                   // within
};

TEST(SampleRhythm, ForgetsWhatIsNoLongerSo) {
  const Times before = Every(15s);
  const ChangeCase kCases[] = {
      {"it stops", {{Join(before, 30min, {})}}, 3min, std::nullopt, {}},
      {"it doubles", {{Join(before, 30min, Every(30s, 0ns, 4'321ms))}}, 4min, 30s, 10min},
      {"it doubles, at the other ones",
       {{Join(before, 30min, Every(30s, 0ns, 19'321ms))}},
       4min,
       30s,
       10min},
      {"it restarts", {{Join(before, 30min, Every(15s, 0ns, 30min + 41'700ms))}}, 3min, 15s, 8min},
      {"it becomes random", {{Join(before, 30min, AtRandom(15s))}}, 6min, std::nullopt, {}},
      {"another replica",
       {{before, Every(15s, 0ns, 9s)},
        [](int look) { return look > 250 ? Scatter(look, 2ns).count() : 0; }},
       20min,
       std::nullopt,
       {}},
  };
  for (const ChangeCase& of : kCases) {
    SCOPED_TRACE(of.name);
    Player player(of.source);
    player.RunUntil(30min);
    ASSERT_TRUE(player.known());
    bool forgotten = false;
    for (nanoseconds now = 30min; now < 30min + of.forgotten; now += 1s) {
      player.RunUntil(now);
      forgotten = forgotten || !player.known();
    }
    EXPECT_TRUE(forgotten);
    if (of.interval) {
      player.RunUntil(30min + of.learnt);
      ASSERT_TRUE(player.known());
      EXPECT_EQ(player.known()->interval, *of.interval);
      EXPECT_LE(*player.Behind(30min + of.learnt), 400ms);
    } else {
      player.RunUntil(30min + of.forgotten);
      EXPECT_FALSE(player.known());
    }
  }
}

// Where samples come as they did, what is known stays as it is: a moment that moves costs
// evaluations.
TEST(SampleRhythm, WhatIsKnownStays) {
  Player player({{Every(15s)}});
  player.RunUntil(6min);
  const auto known = player.known();
  ASSERT_TRUE(known);
  for (nanoseconds now = 6min; now < 90min; now += 1min) {
    player.RunUntil(now);
    ASSERT_EQ(player.known(), known) << Print(Duration{now.count()});
  }
}

TEST(Rhythm, AMomentIsAfterNow) {
  const Rhythm rhythm{15s, kStart};
  EXPECT_EQ(rhythm.After(kStart), kStart + 15s);
  EXPECT_EQ(rhythm.After(kStart + 1ns), kStart + 15s);
  EXPECT_EQ(rhythm.After(kStart - 1ns), kStart);
  EXPECT_EQ(rhythm.After(kStart - 15s), kStart);
  EXPECT_EQ(rhythm.After(kStart - 16s), kStart - 15s);
  EXPECT_EQ(rhythm.After(kStart + 44s), kStart + 45s);
}

}  // namespace
}  // namespace ballast::sources
