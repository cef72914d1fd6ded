#include "operator/sources/by_api.h"

#include <gtest/gtest.h>

#include <future>
#include <string>

#include "operator/sources/lane.h"
#include "tests/support/fake_clock.h"

namespace ballast::sources {
namespace {

class ByApiTest : public testing::Test {
 protected:
  // Has all threads of that API wait for Answer().
  void Hang(const std::string& api) {
    for (std::size_t i = 0; i < Lane::kThreads; ++i) {
      lanes_.Of(api).Submit("shop", [this] { answered_.wait(); });
    }
  }
  void Answer() { answer_.set_value(); }
  // Whether something submitted for that API is done meanwhile.
  bool Works(const std::string& api) {
    std::promise<void> done;
    lanes_.Of(api).Submit("shop", [&] { done.set_value(); });
    done.get_future().wait();
    return true;
  }

  std::promise<void> answer_;
  std::shared_future<void> answered_ = answer_.get_future().share();
  support::FakeClock clock_;
  ByApi<Lane> lanes_{clock_};
};

TEST_F(ByApiTest, AnApiThatHangsHoldsNoOther) {
  Hang("hung.example.com");
  EXPECT_TRUE(Works("apps"));
  EXPECT_EQ(lanes_.Of("hung.example.com").Inside().in_work, Lane::kThreads);
  Answer();
}

TEST_F(ByApiTest, ApisWithoutEndShareOne) {
  for (std::size_t i = 0; i < ByApi<Lane>::kMost; ++i) {
    (void)lanes_.Of(std::to_string(i));
  }
  EXPECT_EQ(&lanes_.Of("one"), &lanes_.Of("another"));
  EXPECT_NE(&lanes_.Of("one"), &lanes_.Of("0"));
  EXPECT_EQ(&lanes_.Of("0"), &lanes_.Of("0"));
  Hang("one");
  EXPECT_TRUE(Works("0"));
  Answer();
}

}  // namespace
}  // namespace ballast::sources
