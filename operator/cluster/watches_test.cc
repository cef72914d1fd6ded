#include "operator/cluster/watches.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "tests/support/channel.h"
#include "tests/support/fake_clock.h"
#include "tests/support/fake_transport.h"
#include "tests/support/test_patience.h"

namespace ballast::cluster {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::string Policy(const std::string& name, const std::string& kind, int version) {
  return R"({"metadata":{"name":")" + name + R"(","namespace":"shop","uid":")" + name +
         R"(","resourceVersion":")" + std::to_string(version) +
         R"("},"spec":{"scaleTargetRef":{"apiVersion":"apps/v1","kind":")" + kind +
         R"(","name":")" + name + R"("},"maxReplicas":9}})";
}

// A hold until then; what it is about is the first member of its spec.
std::string Hold(const std::string& name, const std::string& subject, const std::string& until) {
  return R"({"metadata":{"name":")" + name + R"(","namespace":"shop","uid":")" + name +
         R"(","resourceVersion":"3","creationTimestamp":"2026-03-04T12:00:00Z"},"spec":{)" +
         subject + R"(,"until":")" + until + R"(","reason":"sale","hold":"All"}})";
}

class WatchesTest : public testing::Test {
 protected:
  Result<kube::Response> Do(const kube::Request& request) const {
    const bool policies = request.path.ends_with("/autoscalepolicies");
    const bool hpas = request.path.ends_with("/horizontalpodautoscalers");
    const bool overrides = request.path.ends_with("/autoscaleoverrides");
    return kube::Response{
        200, R"({"metadata":{"resourceVersion":"5"},"items":[)" +
                 (policies    ? Policy("a", "Deployment", 3) + "," + Policy("b", "StatefulSet", 4)
                  : hpas      ? hpas_
                  : overrides ? overrides_
                              : std::string()) +
                 "]}"};
  }
  // The watch of policies delivers what the test pushes.
  Status Stream(const kube::Request& request, const kube::LineSink& sink,
                const std::stop_token& stop) {
    if (!request.path.ends_with("/autoscalepolicies")) {
      return support::SilentStream(request, sink, stop);
    }
    return support::PushedStream(events_, request, sink, stop);
  }
  // Delivers a change and waits until a handler has seen it.
  void Tell(const std::string& type, const std::string& object) {
    events_.Push(R"({"type":")" + type + R"(","object":)" + object + "}");
    EXPECT_TRUE(seen_.Pop());
  }
  std::vector<std::string> Kinds() const {
    std::vector<std::string> kinds;
    for (const auto& kind : watches_.TargetKinds("shop")) {
      kinds.push_back(kind.api_version + " " + kind.kind);
    }
    return kinds;
  }

  std::string hpas_;       // the items of their list
  std::string overrides_;  // the same
  support::Channel<std::string> events_;
  support::Channel<bool> seen_;
  support::FakeClock clock_;
  support::FakeTransport transport_{
      [this](const kube::Request& request) { return Do(request); },
      [this](const kube::Request& request, const kube::LineSink& sink,
             const std::stop_token& stop) { return Stream(request, sink, stop); }};
  Watches watches_{transport_, clock_, {}};
};

TEST_F(WatchesTest, KnowsTheKindsThatAreScaledNow) {
  watches_.policies.AddHandler([this](const auto&) { seen_.Push(true); });
  watches_.Start();
  ASSERT_TRUE(seen_.Pop() && seen_.Pop());
  EXPECT_THAT(Kinds(), ElementsAre("apps/v1 Deployment", "apps/v1 StatefulSet"));
  EXPECT_THAT(watches_.TargetKinds("other"), IsEmpty());
  Tell("MODIFIED", Policy("b", "Deployment", 6));
  EXPECT_THAT(Kinds(), ElementsAre("apps/v1 Deployment"));
  Tell("DELETED", Policy("a", "Deployment", 7));
  EXPECT_THAT(Kinds(), ElementsAre("apps/v1 Deployment")) << "one is left";
  Tell("ADDED", Policy("c", "ReplicaSet", 8));
  EXPECT_THAT(Kinds(), ElementsAre("apps/v1 Deployment", "apps/v1 ReplicaSet"));
  Tell("DELETED", Policy("b", "Deployment", 9));
  Tell("DELETED", Policy("c", "ReplicaSet", 10));
  EXPECT_THAT(Kinds(), IsEmpty());
}

// An API server can be newer than this program, which manages no HPA that it does not understand.
TEST_F(WatchesTest, NamesAFieldOfAnHpaThatItDoesNotKnow) {
  const auto hpa = [](const std::string& name, const std::string& annotations,
                      const std::string& fields) {
    return R"({"metadata":{"name":")" + name +
           R"(","namespace":"shop","uid":"h1","resourceVersion":"3","annotations":{)" +
           annotations + R"(}},"spec":{"maxReplicas":9,)" + fields + "}}";
  };
  const std::string manage = R"("ballast.dev/hpa-mode":"manage")";
  hpas_ = hpa("field", manage, R"("forecast":{"hours":1})") + "," +
          hpa("metric", manage, R"("metrics":[{"type":"Weather","weather":{}}])") + "," +
          hpa("known", manage, R"("minReplicas":2)") + "," +
          hpa("not managed", "", R"("forecast":{"hours":1})");
  watches_.Start();
  ASSERT_TRUE(watches_.hpas.WaitForSync(support::Patience()));
  const auto unknown = [this](const std::string& name) {
    return watches_.hpas.Get({"shop", name})->unknown_field;
  };
  EXPECT_EQ(unknown("field"), "spec.forecast");
  EXPECT_EQ(unknown("metric"), "spec.metrics[0].weather");
  EXPECT_EQ(unknown("known"), "");
  EXPECT_EQ(unknown("not managed"), "");
}

// They are kept for a month.
TEST_F(WatchesTest, OverridesThatHaveEndedAreAboutNobody) {
  const std::string by_name = R"("target":{"kind":"AutoScalePolicy","name":"a"})";
  const std::string by_labels =
      R"("selector":{"kind":"AutoScalePolicy","matchExpressions":[{"key":"x",)"
      R"("operator":"DoesNotExist"}]})";
  const auto ended = [&](const std::string& name, const std::string& status) {
    const std::string hold = Hold(name, by_name, "2026-03-04T14:00:00Z");
    return hold.substr(0, hold.size() - 1) + R"(,"ended":"2026-03-04T18:00:00Z")" + status + "}";
  };
  overrides_ = Hold("short", by_name, "2026-03-04T13:00:00Z") + "," +
               Hold("shorts", by_labels, "2026-03-04T13:00:00Z") + "," +
               Hold("long", by_name, "2026-03-04T14:00:00Z") + "," +
               Hold("longs", by_labels, "2026-03-04T14:00:00Z") + "," +
               ended("ended", R"(,"status":{"ended":"2026-03-04T12:59:00Z"})") + "," +
               ended("ended-now", "");
  watches_.Start();
  ASSERT_TRUE(watches_.policies.WaitForSync(support::Patience()));
  ASSERT_TRUE(watches_.overrides.WaitForSync(support::Patience()));
  const auto about_a = [this](const char* since) {
    std::vector<std::string> names;
    for (const OverridePointer& override :
         watches_.OverridesOf(*watches_.policies.Get({"shop", "a"}), *ParseTime(since))) {
      names.push_back(override->metadata.name);
    }
    return names;
  };
  EXPECT_THAT(about_a("2026-03-04T12:59:59Z"),
              testing::UnorderedElementsAre("short", "shorts", "long", "longs", "ended-now"));
  EXPECT_THAT(about_a("2026-03-04T13:00:00Z"),
              testing::UnorderedElementsAre("long", "longs", "ended-now"));
}

// Without a webhook anybody can write another's name there.
TEST_F(WatchesTest, AnOverrideIsOfWhomItWasJudgedToBeOf) {
  const auto one = [](const std::string& name, const std::string& written,
                      const std::string& judged) {
    const std::string made = Hold(
        name,
        R"("owner":")" + written + R"(","target":{"kind":)" + R"("AutoScalePolicy","name":"a"})",
        "2026-03-04T13:00:00Z");
    return made.substr(0, made.size() - 1) + R"(,"status":{"owner":")" + judged + "\"}}";
  };
  overrides_ = one("new", "alice", "") + "," + one("nameless", "", "") + "," +
               one("checked", "alice", "alice") + "," + one("forged", "alice", "unknown");
  Watches unstamped{transport_, clock_, {}, {.stamps_owners = false}};
  const auto owners = [](Watches& watches) {
    watches.overrides.Start();
    EXPECT_TRUE(watches.overrides.WaitForSync(support::Patience()));
    std::string all;
    for (const char* name : {"new", "nameless", "checked", "forged"}) {
      all += watches.overrides.Get({"shop", name})->spec.owner + " ";
    }
    return all;
  };
  EXPECT_EQ(owners(watches_), "alice unknown alice unknown ");
  EXPECT_EQ(owners(unstamped), "unknown unknown alice unknown ");
}

}  // namespace
}  // namespace ballast::cluster
