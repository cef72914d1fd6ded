#include "operator/controllers/cluster_ports.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "operator/cluster/watches.h"
#include "operator/controllers/testing/fake_scales.h"
#include "tests/support/fake_transport.h"

namespace ballast::controllers {
namespace {

using Kind = engine::Outcome::Kind;

// Of Deployment shop/web.
class ClusterScalesTest : public testing::Test {
 protected:
  std::optional<Kind> Write(int to, const engine::Bounds& bounds = {2, 10}) {
    auto snapshot = std::make_shared<engine::Snapshot>();
    api::Autoscaler& policy = snapshot->autoscaler;
    policy.metadata.namespace_ = "shop";
    policy.spec.scale_target_ref = {"apps/v1", "Deployment", "web"};
    const session::ScaleAnswer answer = scales_.port.Write({snapshot, {"d1", 5, to}, bounds});
    lost_ = answer.lost;
    EXPECT_EQ(answer.live.has_value(), !answer.outcome) << "read back if it is not known";
    return answer.outcome ? std::optional(answer.outcome->kind) : std::nullopt;
  }

  int sent_ = 0;
  std::string lost_;
  Result<kube::Response> answer_ = Error{Code::kUnavailable, "the test gives no answer"};
  support::FakeClock clock_;
  FakeScales scales_{clock_, [this](const kube::Request&) {
                       ++sent_;
                       return answer_;
                     }};
};

// The first invariant holds whatever an engine or a store says.
TEST_F(ClusterScalesTest, NeverSendsACountOutsideOfTheBounds) {
  const struct {
    engine::Bounds bounds;
    int to;
    bool sent;
  } kCases[] = {
      {{2, 10}, -1, false}, {{2, 10}, 0, false}, {{2, 10}, 1, false},
      {{2, 10}, 2, true},   {{2, 10}, 10, true}, {{2, 10}, 11, false},
      {{1, 10}, 0, false},  {{0, 10}, 0, true},  {{0, 10}, -1, false},
      {{5, 5}, 5, true},    {{5, 5}, 4, false},  {{2, 10}, 1'000'000'000, false},
      {{}, 0, false},       {{}, 1, false},  // of a decision that was never made
  };
  for (const auto& c : kCases) {
    sent_ = 0;
    answer_ = kube::Response{200, R"({"metadata":{"name":"web","uid":"d1"},"spec":{"replicas":)" +
                                      std::to_string(c.to) + "}}"};
    const std::string about = std::to_string(c.to) + " within " + std::to_string(c.bounds.min) +
                              " to " + std::to_string(c.bounds.max);
    EXPECT_EQ(Write(c.to, c.bounds), c.sent ? Kind::kWritten : Kind::kFailed) << about;
    EXPECT_EQ(sent_, c.sent ? 1 : 0) << about;
  }
}

TEST_F(ClusterScalesTest, TellsARefusalFromWhatMayHaveArrived) {
  const struct {
    Code code;
    std::optional<Kind> outcome;
  } kCases[] = {
      {Code::kConflict, Kind::kFailed},  {Code::kInvalid, Kind::kFailed},
      {Code::kForbidden, Kind::kFailed}, {Code::kNotFound, Kind::kFailed},
      {Code::kNotSent, Kind::kFailed},   {Code::kThrottled, Kind::kFailed},
      {Code::kTimeout, std::nullopt},    {Code::kUnavailable, std::nullopt},
      {Code::kCorrupt, std::nullopt},    {Code::kInternal, std::nullopt},
  };
  for (const auto& c : kCases) {
    answer_ = Error{c.code, "as the case has it"};
    EXPECT_EQ(Write(6), c.outcome) << static_cast<int>(c.code);
    EXPECT_EQ(lost_, c.outcome ? "" : "as the case has it");
  }
}

// Its group may hang by now, and others wait for a writer.
TEST_F(ClusterScalesTest, AsksNotAgainWhichResourceServesTheTarget) {
  (void)Write(6);
  EXPECT_GT(scales_.sent(), 1U);
  clock_.Advance(std::chrono::minutes(11));
  const std::size_t before = scales_.sent();
  (void)Write(6);
  EXPECT_EQ(scales_.sent() - before, 2U) << "it is written, and read because that is not known";
}

kube::Response At(const std::string& version) {
  return {200, R"({"metadata":{"name":"web","uid":"u1","resourceVersion":")" + version + R"("}})"};
}

// Without that it would be refused again and again, and a claim of an HPA would not know of it.
TEST(ClusterAutoscalers, TellTheVersionThatAWriteConflictedWith) {
  const Error conflict{Code::kConflict, "it has been modified"};
  const Error forbidden{Code::kForbidden, "no right"};
  const struct {
    const char* kind;
    Result<kube::Response> patched;
    Result<kube::Response> read;
    std::vector<std::string> calls;
    bool written;
    std::string version;  // or the error
  } kCases[] = {
      {api::kPolicyKind, At("8"), At("9"), {"PATCH"}, true, "8"},
      {api::kPolicyKind, conflict, At("9"), {"PATCH", "GET"}, false, "9"},
      {api::kHpaKind, conflict, At("9"), {"PATCH", "GET"}, false, "9"},
      {api::kHpaKind, conflict, forbidden, {"PATCH", "GET"}, false, "no right"},
      {api::kHpaKind, Error{Code::kNotFound, "gone"}, At("9"), {"PATCH"}, false, "gone"},
  };
  for (const auto& c : kCases) {
    support::FakeTransport transport([&c](const kube::Request& request) {
      return request.method == kube::Method::kPatch ? c.patched : c.read;
    });
    support::FakeClock clock;
    const cluster::Watches watches(transport, clock, {});
    kube::Client client(transport);
    ClusterAutoscalers autoscalers(watches, client);
    const session::StatusAnswer answer = autoscalers.Write({.autoscaler = {c.kind, "shop", "web"},
                                                            .of = {"u1", "7"},
                                                            .merge_patch = R"({"status":{}})"});
    EXPECT_EQ(answer.written, c.written);
    EXPECT_THAT(answer.version.ok() ? *answer.version : answer.version.error().message,
                testing::HasSubstr(c.version));
    std::vector<std::string> calls;
    for (const kube::Request& request : transport.requests()) {
      calls.emplace_back(Name(request.method));
    }
    EXPECT_EQ(calls, c.calls);
  }
}

}  // namespace
}  // namespace ballast::controllers
