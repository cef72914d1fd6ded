#include "operator/cluster/read_scales.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ballast::cluster {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;

class ReadScalesTest : public testing::Test {
 protected:
  static Result<api::Scale> ScaleOf(const std::string& name, const std::string& selector) {
    api::Scale scale;
    scale.metadata.name = name;
    scale.selector = selector;
    return scale;
  }
  std::vector<std::string> Selecting(const std::string& pair) const {
    std::vector<std::string> names;
    for (const auto& scale : scales_.MaySelect("shop", {pair})) {
      names.push_back(scale->metadata.name);
    }
    return names;
  }

  const api::ObjectKey kA{"shop", "a"};
  const api::ObjectKey kB{"shop", "b"};
  process::SteadyTime now_{1h};
  ReadScales scales_;
};

TEST_F(ReadScalesTest, KnowsWhatWasReadOfLate) {
  EXPECT_FALSE(scales_.Knows(kA, now_));
  scales_.Remember(kA, ScaleOf("a", "app=web"), now_);
  scales_.Remember(kB, Error{Code::kUnavailable, "no answer"}, now_);
  EXPECT_TRUE(scales_.Knows(kA, now_ + ReadScales::kKept - 1ns));
  EXPECT_FALSE(scales_.Knows(kA, now_ + ReadScales::kKept));
  EXPECT_FALSE(scales_.Knows(kB, now_));
  scales_.Remember(kB, Error{Code::kNotFound, "gone"}, now_);
  EXPECT_TRUE(scales_.Knows(kB, now_)) << "that there is none";
}

TEST_F(ReadScalesTest, FindsWhatMaySelect) {
  scales_.Remember(kA, ScaleOf("a", "app=web"), now_);
  scales_.Remember(kB, ScaleOf("b", "app=web"), now_);
  EXPECT_THAT(Selecting("app=web"), ElementsAre("a", "b"));
  EXPECT_THAT(Selecting("app=api"), IsEmpty());
  scales_.Remember(kA, ScaleOf("a", "app=api"), now_);
  scales_.Remember(kB, Error{Code::kNotFound, "gone"}, now_);
  EXPECT_THAT(Selecting("app=web"), IsEmpty());
  EXPECT_THAT(Selecting("app=api"), ElementsAre("a"));
}

TEST_F(ReadScalesTest, ForgetsWhatNobodyReadsAnyMore) {
  scales_.Remember(kA, ScaleOf("a", "app=web"), now_);
  now_ += 2 * ReadScales::kKept;
  scales_.Remember(kB, ScaleOf("b", "app=web"), now_);
  EXPECT_THAT(Selecting("app=web"), ElementsAre("b"));
}

}  // namespace
}  // namespace ballast::cluster
