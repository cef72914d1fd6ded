#include "operator/cluster/live_views.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "tests/support/fake_clock.h"

namespace ballast::cluster {
namespace {

using namespace std::chrono_literals;

const std::string kWeb = "apps/deployments/shop/web";

api::Scale Scale(int version, int replicas, const std::string& uid = "d") {
  api::Scale scale;
  scale.metadata.uid = uid;
  scale.metadata.resource_version = std::to_string(version);
  scale.spec_replicas = replicas;
  return scale;
}

const Error kGone{Code::kNotFound, "not found"};

class LiveViewsTest : public testing::Test {
 protected:
  // What Find() returns for the target while the watch has `seen`.
  std::string Find(const std::optional<api::Scale>& seen) { return Find(views_, seen); }
  static std::string Find(LiveViews& views, const std::optional<api::Scale>& seen) {
    const auto found = views.Find(kWeb, seen ? &*seen : nullptr);
    if (!found) {
      return "ask";
    }
    return found->ok() ? std::to_string((*found)->spec_replicas) : "gone";
  }
  void Learn(const std::optional<api::Scale>& seen, const Result<api::Scale>& answer) {
    views_.Learn(kWeb, seen ? &*seen : nullptr, answer);
  }

  support::FakeClock clock_;
  LiveViews views_{clock_};
};

// Which view wins once the API server has answered and the watch has changed, or not.
TEST_F(LiveViewsTest, TheNewerAnswers) {
  const std::optional<api::Scale> kNothing;
  const struct {
    const char* name;
    std::optional<api::Scale> before;  // the watch's view when the answer came
    Result<api::Scale> answer;
    std::optional<api::Scale> after;  // the watch's view at Find()
    const char* found;
  } kCases[] = {
      {"the watch is silent", Scale(10, 3), Scale(12, 5), Scale(10, 3), "5"},
      {"it tells something older", Scale(10, 3), Scale(12, 5), Scale(11, 4), "5"},
      {"it caught up", Scale(10, 3), Scale(12, 5), Scale(12, 6), "6"},
      {"it was ahead", Scale(13, 3), Scale(12, 5), Scale(13, 3), "3"},
      {"versions have digits", Scale(9, 3), Scale(10, 5), Scale(9, 3), "5"},
      {"made anew, and the watch has the former one", Scale(10, 3), Scale(12, 5, "second"),
       Scale(11, 4), "5"},
      {"the watch does not have it yet", kNothing, Scale(12, 5), kNothing, "ask"},
      {"the watch has its first version", kNothing, Scale(12, 5), Scale(10, 3), "5"},
      {"gone, and the watch is silent", Scale(10, 3), kGone, Scale(10, 3), "gone"},
      {"gone, and the watch tells something older", Scale(10, 3), kGone, Scale(11, 4), "gone"},
      {"gone, and the watch knows", Scale(10, 3), kGone, kNothing, "ask"},
      {"gone, and made anew", Scale(10, 3), kGone, Scale(12, 4, "second"), "4"},
      {"gone, as the watch said", kNothing, kGone, kNothing, "ask"},
      {"no answer", Scale(10, 3), Error{Code::kTimeout, "slow"}, Scale(10, 3), "3"},
      {"an answer without a version", Scale(10, 3), Scale(0, 5), Scale(10, 3), "3"},
  };
  for (const auto& c : kCases) {
    LiveViews views(clock_);
    views.Learn(kWeb, c.before ? &*c.before : nullptr, c.answer);
    EXPECT_EQ(Find(views, c.after), c.found) << c.name;
  }
}

TEST_F(LiveViewsTest, AnAnswerIsBelievedForSomeSeconds) {
  Learn(Scale(10, 3), Scale(12, 5));
  clock_.Advance(LiveViews::kAnswerTtl - 1ns);
  EXPECT_EQ(Find(Scale(10, 3)), "5");
  clock_.Advance(1ns);
  EXPECT_EQ(Find(Scale(10, 3)), "ask");
  Learn(Scale(10, 3), Scale(14, 9));
  EXPECT_EQ(Find(Scale(10, 3)), "9");
  EXPECT_EQ(Find(Scale(13, 3)), "9") << "the watch is still behind";
  EXPECT_EQ(Find(Scale(14, 9)), "9");
  EXPECT_EQ(views_.size(), 0U);
}

// As in a cluster restored from a backup, where resource versions start over.
TEST_F(LiveViewsTest, AnAnswerThatIsNoLongerBelievedYieldsToAnyOther) {
  Learn(Scale(10, 3), Scale(90, 5));
  clock_.Advance(LiveViews::kAnswerTtl);
  Learn(Scale(10, 3), Scale(11, 2));
  EXPECT_EQ(Find(Scale(10, 3)), "2");
}

TEST_F(LiveViewsTest, OfTwoAnswersTheNewerCounts) {
  Learn(Scale(10, 3), Scale(14, 5));
  Learn(Scale(10, 3), Scale(12, 4));
  EXPECT_EQ(Find(Scale(10, 3)), "5");
}

TEST_F(LiveViewsTest, AnInvalidViewIsReadAgainWhateverTheWatchTells) {
  views_.Invalidate(kWeb);
  EXPECT_EQ(Find(Scale(10, 3)), "ask");
  const api::Scale before = Scale(10, 3);
  const api::Scale after = Scale(11, 4);
  views_.OnDelivered(kWeb, &before, &after);
  EXPECT_EQ(Find(after), "ask");
  Learn(after, Error{Code::kTimeout, "slow"});
  EXPECT_EQ(Find(after), "ask");
  Learn(after, Scale(11, 4));
  EXPECT_EQ(Find(after), "4") << "the watch is right";
  EXPECT_EQ(views_.size(), 0U);
}

TEST_F(LiveViewsTest, TellsSinceWhenTheWatchIsBehind) {
  views_.Invalidate(kWeb);
  EXPECT_EQ(views_.BehindSince(kWeb), std::nullopt) << "that is not known yet";
  clock_.Advance(10s);
  const auto since = clock_.Steady();
  Learn(Scale(10, 3), Scale(12, 5));
  clock_.Advance(10s);
  Learn(Scale(11, 3), Scale(13, 5));
  EXPECT_EQ(views_.BehindSince(kWeb), since) << "it has never caught up";
  Learn(Scale(13, 5), Scale(13, 5));
  EXPECT_EQ(views_.BehindSince(kWeb), std::nullopt);
}

TEST_F(LiveViewsTest, AnAnswerGoesWhenTheWatchHasSeenIt) {
  const api::Scale old = Scale(11, 3);
  const api::Scale same = Scale(12, 5);
  const api::Scale other = Scale(8, 5, "former");
  const struct {
    const char* name;
    const api::Scale* before;
    const api::Scale* after;
    std::size_t left;
  } kCases[] = {
      {"older", &old, &old, 1},
      {"the same", &old, &same, 0},
      {"its end", &old, nullptr, 0},
      {"the end of a former object of that name", &other, nullptr, 1},
  };
  for (const auto& c : kCases) {
    LiveViews views(clock_);
    views.Learn(kWeb, &old, Scale(12, 5));
    views.OnDelivered("another", c.before, &same);
    EXPECT_EQ(views.size(), 1U) << c.name;
    views.OnDelivered(kWeb, c.before, c.after);
    EXPECT_EQ(views.size(), c.left) << c.name;
  }
}

TEST_F(LiveViewsTest, WhatNobodyAsksForIsDropped) {
  const api::Scale seen = Scale(10, 3);
  const auto learn_many = [&](const std::string& prefix) {
    for (int i = 0; i < 1000; ++i) {
      views_.Learn(prefix + std::to_string(i), &seen, Scale(12, 5));
    }
  };
  learn_many("old-");
  clock_.Advance(1h);
  EXPECT_FALSE(views_.Find("old-7", &seen)) << "asked for an hour later, and still behind";
  clock_.Advance(1h);
  learn_many("new-");
  views_.Learn("one-more", &seen, Scale(12, 5));
  learn_many("newer-");
  EXPECT_LE(views_.size(), 2'100U);
  EXPECT_FALSE(views_.Find("old-7", &seen));
  EXPECT_TRUE(views_.Find("old-8", &seen)) << "the watch's";
}

}  // namespace
}  // namespace ballast::cluster
