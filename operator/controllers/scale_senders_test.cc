#include "operator/controllers/scale_senders.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

namespace ballast::controllers {
namespace {

using std::chrono::seconds;

process::SteadyTime At(int second) { return process::SteadyTime(seconds(second)); }

TEST(ScaleSenders, TellWhetherAnotherSentAWriteOfTheTarget) {
  ScaleSenders senders;
  EXPECT_FALSE(senders.OthersSent("web", "a", At(0)));
  senders.Sends("web", "a", At(10));
  senders.Sends("web", "a", At(20));
  EXPECT_FALSE(senders.OthersSent("web", "a", At(0)));
  EXPECT_TRUE(senders.OthersSent("web", "b", At(20)));
  EXPECT_FALSE(senders.OthersSent("web", "b", At(21)));
  senders.Sends("web", "b", At(30));
  EXPECT_TRUE(senders.OthersSent("web", "a", At(30)));
  EXPECT_TRUE(senders.OthersSent("web", "b", At(20))) << "the last one of a";
  EXPECT_FALSE(senders.OthersSent("web", "b", At(21)));
  EXPECT_FALSE(senders.OthersSent("api", "a", At(0)));
}

TEST(ScaleSenders, ForgetWhatWasLongAgoOnceThereAreMany) {
  ScaleSenders senders;
  for (int i = 0; i < 1'000; ++i) {
    senders.Sends("old-" + std::to_string(i), "a", At(0));
  }
  senders.Sends("web", "a", At(3'601));
  EXPECT_FALSE(senders.OthersSent("old-0", "b", At(0)));
  EXPECT_TRUE(senders.OthersSent("web", "b", At(0)));
}

}  // namespace
}  // namespace ballast::controllers
