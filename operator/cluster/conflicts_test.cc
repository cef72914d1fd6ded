#include "operator/cluster/conflicts.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "tests/support/fake_clock.h"
#include "tests/support/fake_transport.h"

namespace ballast::cluster {
namespace {

// An autoscaler of Deployment "web" unless `target` says otherwise.
struct Rival {
  std::string kind;  // "policy" or "hpa"
  std::string name;
  std::string created;  // the time of one day
  std::string uid;
  std::string mode = "Active";
  std::string target = "web";
  std::string group = "apps/v1";
};

std::string Print(const Rival& rival) {
  return R"({"metadata":{"name":")" + rival.name + R"(","namespace":"shop","uid":")" + rival.uid +
         R"(","resourceVersion":"3","creationTimestamp":"2026-01-01T)" + rival.created +
         R"(Z"},"spec":{"scaleTargetRef":{"apiVersion":")" + rival.group +
         R"(","kind":"Deployment","name":")" + rival.target + R"("},"mode":")" + rival.mode +
         R"(","maxReplicas":9}})";
}

std::string List(const std::vector<Rival>& rivals, const std::string& kind) {
  std::string items;
  for (const Rival& rival : rivals) {
    if (rival.kind == kind) {
      items += (items.empty() ? "" : ",") + Print(rival);
    }
  }
  return R"({"metadata":{"resourceVersion":"5"},"items":[)" + items + "]}";
}

// Which policy yields to which rival, as "a to b".
std::string Yielding(const std::vector<Rival>& rivals) {
  support::FakeClock clock;
  support::FakeTransport transport(
      [&](const kube::Request& request) -> Result<kube::Response> {
        const bool hpas = request.path.ends_with("/horizontalpodautoscalers");
        const bool policies = request.path.ends_with("/autoscalepolicies");
        return kube::Response{200, List(rivals, hpas ? "hpa" : policies ? "policy" : "pod")};
      },
      support::SilentStream);
  Watches watches(transport, clock, {});
  watches.Start();
  EXPECT_TRUE(watches.policies.WaitForSync(std::chrono::minutes(1)));
  EXPECT_TRUE(watches.hpas.WaitForSync(std::chrono::minutes(1)));
  std::string yielding;
  for (const AutoscalerPointer& policy : watches.policies.List()) {
    if (const auto conflict = FindConflict(*policy, watches)) {
      const std::string& text = conflict->message;
      const std::size_t rival = conflict->reason.size() + std::string(" shop/").size();
      EXPECT_EQ(text.find(conflict->reason + " shop/"), 0U) << text;
      yielding += (yielding.empty() ? "" : ", ") + policy->metadata.name + " to " +
                  text.substr(rival, text.find(' ', rival) - rival);
    }
  }
  return yielding;
}

// The HPA would come back: its owner has to go.
TEST(FindConflict, NamesTheOwnerOfAnHpa) {
  const std::string kHpa = R"({"metadata":{"name":"keda-hpa-web","namespace":"shop","uid":"u9",)"
                           R"("resourceVersion":"3","ownerReferences":[{"apiVersion":)"
                           R"("keda.sh/v1alpha1","kind":"ScaledObject","name":"web","uid":"u8",)"
                           R"("controller":true}]},"spec":{"scaleTargetRef":{"apiVersion":)"
                           R"("apps/v1","kind":"Deployment","name":"web"},"maxReplicas":9}})";
  support::FakeClock clock;
  support::FakeTransport transport(
      [&](const kube::Request& request) -> Result<kube::Response> {
        const bool hpas = request.path.ends_with("/horizontalpodautoscalers");
        const bool policies = request.path.ends_with("/autoscalepolicies");
        const std::string own = Print({"policy", "own", "08:00:00", "u1"});
        return kube::Response{200, R"({"metadata":{"resourceVersion":"5"},"items":[)" +
                                       (hpas       ? kHpa
                                        : policies ? own
                                                   : "") +
                                       "]}"};
      },
      support::SilentStream);
  Watches watches(transport, clock, {});
  watches.Start();
  ASSERT_TRUE(watches.policies.WaitForSync(std::chrono::minutes(1)));
  ASSERT_TRUE(watches.hpas.WaitForSync(std::chrono::minutes(1)));
  const auto conflict = FindConflict(*watches.policies.List().front(), watches);
  ASSERT_TRUE(conflict);
  EXPECT_EQ(conflict->message,
            "HorizontalPodAutoscaler shop/keda-hpa-web of ScaledObject web scales Deployment web "
            "too, and a policy yields to it: delete the ScaledObject web, or change this policy's "
            "scaleTargetRef");
}

TEST(FindConflict, TellsWhoYields) {
  const Rival kOld{"policy", "old", "08:00:00", "u5"};
  const Rival kYoung{"policy", "young", "08:00:01", "u1"};
  const struct {
    const char* name;
    std::vector<Rival> rivals;
    const char* yielding;
  } kCases[] = {
      {"alone", {kOld}, ""},
      {"the younger, whatever the uids", {kOld, kYoung}, "young to old"},
      {"the younger, whatever the names",
       {{"policy", "z", "08:00:00", "u1"}, {"policy", "a", "09:00:00", "u2"}},
       "a to z"},
      {"of the same age: ties by uid",
       {{"policy", "a", "08:00:00", "u2"}, {"policy", "z", "08:00:00", "u1"}},
       "a to z"},
      {"all but the oldest, each to one that is older",
       {{"policy", "c", "10:00:00", "u1"}, kOld, {"policy", "b", "09:00:00", "u2"}},
       "b to old, c to b"},
      {"to an HPA, be it younger", {kOld, {"hpa", "hpa", "12:00:00", "u9"}}, "old to hpa"},
      {"all to an HPA",
       {kOld, kYoung, {"hpa", "hpa", "12:00:00", "u9"}},
       "old to hpa, young to hpa"},
      {"not to one that is switched off",
       {{"policy", "old", "08:00:00", "u5", "Disabled"}, kYoung},
       ""},
      {"not to one that only looks on",
       {{"policy", "old", "08:00:00", "u5", "DryRun"}, kYoung},
       ""},
      {"nor does one that only looks on",
       {kOld, {"policy", "dry", "09:00:00", "u6", "DryRun"}},
       ""},
      {"not even to an HPA",
       {{"policy", "dry", "09:00:00", "u6", "DryRun"}, {"hpa", "hpa", "08:00:00", "u9"}},
       ""},
      {"another target", {kOld, {"policy", "young", "08:00:01", "u1", "Active", "other"}}, ""},
      {"another group",
       {kOld, {"policy", "young", "08:00:01", "u1", "Active", "web", "acme.org/v1"}},
       ""},
      {"another version of the group",
       {kOld, {"policy", "young", "08:00:01", "u1", "Active", "web", "apps/v1beta1"}},
       "young to old"},
  };
  for (const auto& c : kCases) {
    EXPECT_EQ(Yielding(c.rivals), c.yielding) << c.name;
  }
}

}  // namespace
}  // namespace ballast::cluster
