#include "operator/sources/by_api.h"

#include <gtest/gtest.h>

#include <future>
#include <latch>
#include <memory>
#include <string>

#include "operator/sources/request_pool.h"
#include "tests/support/fake_clock.h"

namespace ballast::sources {
namespace {

class ByApiTest : public testing::Test {
 protected:
  // Has all threads of that API wait for Answer().
  void Hang(const std::string& api) {
    const auto begun = std::make_shared<std::latch>(RequestPool::kThreads);
    for (std::size_t i = 0; i < RequestPool::kThreads; ++i) {
      request_pools_.Of(api).Submit("shop", [this, begun] {
        begun->count_down();
        answered_.wait();
        return true;
      });
    }
    begun->wait();
  }
  void Answer() { answer_.set_value(); }
  // Whether something submitted for that API is done meanwhile.
  bool Works(const std::string& api) {
    std::promise<void> done;
    request_pools_.Of(api).Submit("shop", [&] {
      done.set_value();
      return true;
    });
    done.get_future().wait();
    return true;
  }

  std::promise<void> answer_;
  std::shared_future<void> answered_ = answer_.get_future().share();
  support::FakeClock clock_;
  ByApi<RequestPool> request_pools_{clock_};
};

TEST_F(ByApiTest, AnApiThatHangsHoldsNoOther) {
  Hang("hung.example.com");
  EXPECT_TRUE(Works("apps"));
  EXPECT_EQ(request_pools_.Of("hung.example.com").DebugState().in_work, RequestPool::kThreads);
  Answer();
}

TEST_F(ByApiTest, ApisWithoutEndShareOne) {
  for (std::size_t i = 0; i < ByApi<RequestPool>::kMost; ++i) {
    (void)request_pools_.Of(std::to_string(i));
  }
  EXPECT_EQ(&request_pools_.Of("one"), &request_pools_.Of("another"));
  EXPECT_NE(&request_pools_.Of("one"), &request_pools_.Of("0"));
  EXPECT_EQ(&request_pools_.Of("0"), &request_pools_.Of("0"));
  Hang("one");
  EXPECT_TRUE(Works("0"));
  Answer();
}

}  // namespace
}  // namespace ballast::sources
