#include "operator/sources/custom_metrics_version.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/support/fake_clock.h"
#include "tests/support/fake_transport.h"

namespace ballast::sources {
namespace {

class CustomMetricsVersionTest : public ::testing::Test {
 protected:
  // A group with these versions, the first of which is preferred.
  void Serve(const std::string& first, const std::string& second = "") {
    const auto version = [](const std::string& name) {
      return R"({"groupVersion":"custom.metrics.k8s.io/)" + name + R"(","version":")" + name +
             R"("})";
    };
    answer_ =
        kube::Response{200, R"({"kind":"APIGroup","name":"custom.metrics.k8s.io","versions":[)" +
                                version(first) + (second.empty() ? "" : "," + version(second)) +
                                R"(],"preferredVersion":)" + version(first) + "}"};
  }

  Result<kube::Response> answer_ = Error{Code::kNotFound, "the server has no such group"};
  int asked_ = 0;
  support::FakeClock clock_;
  support::FakeTransport transport_{[this](const kube::Request& request) {
    EXPECT_EQ(request.path, "/apis/custom.metrics.k8s.io");
    ++asked_;
    return answer_;
  }};
  CustomMetricsVersion version_{transport_, clock_};
};

TEST_F(CustomMetricsVersionTest, IsThePreferredOneOfThoseThatAreRead) {
  const struct {
    const char* first;
    const char* second;
    const char* used;
  } kCases[] = {{"v1beta2", "v1beta1", "v1beta2"},
                {"v1beta1", "v1beta2", "v1beta1"},
                {"v1beta1", "", "v1beta1"},
                {"v1", "v1beta1", "v1beta1"},
                {"v1", "", "v1beta2"}};
  for (const auto& c : kCases) {
    Serve(c.first, c.second);
    EXPECT_EQ(CustomMetricsVersion(transport_, clock_).Get(), c.used) << c.first << c.second;
  }
}

TEST_F(CustomMetricsVersionTest, IsAskedForAgainAfterTenMinutesOrSoonAfterAFailure) {
  EXPECT_EQ(version_.Get(), "v1beta2") << "not installed";
  EXPECT_EQ(version_.Get(), "v1beta2");
  EXPECT_EQ(asked_, 1);
  Serve("v1beta1");
  clock_.Advance(std::chrono::seconds(10));
  EXPECT_EQ(version_.Get(), "v1beta1");
  answer_ = Error{Code::kUnavailable, "etcd is slow"};
  clock_.Advance(std::chrono::minutes(9));
  EXPECT_EQ(version_.Get(), "v1beta1");
  EXPECT_EQ(asked_, 2);
  clock_.Advance(std::chrono::minutes(1));
  EXPECT_EQ(version_.Get(), "v1beta1") << "what was known may still be so";
  EXPECT_EQ(asked_, 3);
}

}  // namespace
}  // namespace ballast::sources
