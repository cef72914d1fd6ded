#include "operator/hpa/other_controllers.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

namespace ballast::hpa {
namespace {

using std::chrono::seconds;

constexpr const char* kUpstream = "kube-controller-manager";

class OtherControllersTest : public ::testing::Test {
 protected:
  // The watch delivers an HPA whose status was written by `manager` at that second.
  void See(const std::string& name, const std::string& manager, int written) {
    api::Autoscaler hpa{.kind = api::kHpaKind};
    hpa.metadata.namespace_ = "shop";
    hpa.metadata.name = name;
    hpa.status_writer = {manager, Time(1'700'000'000, 0) + Duration::Seconds(written)};
    others_.See(hpa, Now());
  }
  process::Instant Now() const {
    return {Time(1'700'000'000, 0) + Duration::Seconds(now_),
            process::SteadyTime(seconds(1'000'000 + now_))};
  }
  // How many seconds ago the other controller was last at work; -1: it was not.
  int Ago() const {
    const auto activity = others_.Of(kUpstream, Now());
    return activity ? static_cast<int>((Now().steady - activity->last) / seconds(1)) : -1;
  }
  Duration Gap() const { return others_.Of(kUpstream, Now()).value().longest_gap; }

  int now_ = 0;
  OtherControllers others_;
};

TEST_F(OtherControllersTest, WritesOfAllHpasCount) {
  EXPECT_EQ(Ago(), -1);
  See("a", kUpstream, -20);
  EXPECT_EQ(Ago(), 20) << "the API server says when";
  See("b", kUpstream, -50);
  EXPECT_EQ(Ago(), 20);
  now_ = 30;
  See("a", kUpstream, -20);
  EXPECT_EQ(Ago(), 50) << "it is the write that is known";
  See("b", kUpstream, 28);
  EXPECT_EQ(Ago(), 0) << "whatever the API server's clock says";
  See("c", api::kFieldManager, 30);
  See("d", "kubectl", 30);
  now_ = 3'630;
  EXPECT_EQ(Ago(), -1) << "after an hour";
}

TEST_F(OtherControllersTest, TellsTheLongestTimeBetweenTwoWrites) {
  See("a", kUpstream, 0);
  now_ = 90;
  See("b", kUpstream, 0);
  EXPECT_EQ(Gap(), Duration()) << "of before";
  See("a", kUpstream, 90);
  EXPECT_EQ(Gap(), Duration::Seconds(90));
  now_ = 100;
  See("b", kUpstream, 100);
  EXPECT_EQ(Gap(), Duration::Seconds(90));
  now_ = 10'000;
  See("a", kUpstream, 10'000);
  EXPECT_EQ(Gap(), Duration()) << "it was not at work in the meantime";
}

TEST_F(OtherControllersTest, KnowsNothingOfAnHpaThatIsGone) {
  See("a", kUpstream, 0);
  others_.Forget({"shop", "a"});
  now_ = 40;
  See("a", kUpstream, 10);
  EXPECT_EQ(Ago(), 30);
}

// Of a server whose clock is a century off.
TEST_F(OtherControllersTest, BelievesNoTimeThatCannotBe) {
  See("a", kUpstream, -2'000'000'000);
  EXPECT_EQ(Ago(), -1);
  See("b", kUpstream, 2'000'000'000);
  EXPECT_EQ(Ago(), 0);
}

}  // namespace
}  // namespace ballast::hpa
