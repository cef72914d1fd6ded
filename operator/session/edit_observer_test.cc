#include "operator/session/edit_observer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ballast::session {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr Time kNow = {1'800'000'000, 0};

api::MetricSpec Cpu(std::int32_t utilization) {
  api::MetricSpec metric{.type = "Resource"};
  metric.resource = {"cpu", {"Utilization", {}, {}, utilization}};
  return metric;
}

api::Autoscaler Policy() {
  api::Autoscaler policy{.kind = api::kPolicyKind};
  policy.metadata.generation = 3;
  policy.metadata.annotations = {{"ballast.dev/paused-by", "alice"}, {"team", "shop"}};
  policy.spec.scale_target_ref = {"apps/v1", "Deployment", "web"};
  policy.spec.min_replicas = 1;
  policy.spec.max_replicas = 10;
  policy.spec.metrics = {Cpu(60)};
  policy.spec.mode = "Active";
  return policy;
}

// An observer with a ledger, which may outlive it.
class Observed {
 public:
  explicit Observed(std::string recorded = "", std::optional<std::int64_t> generation = {})
      : recorded_(std::move(recorded)), generation_(generation) {}

  std::vector<store::Edit> See(const api::Autoscaler& autoscaler) {
    EditObserver::News news =
        observer_.See(autoscaler, generation_, kNow, [this] { return recorded_; });
    recorded_ = news.spec.value_or(recorded_);
    return std::move(news.edits);
  }
  const std::string& recorded() const { return recorded_; }

 private:
  EditObserver observer_;
  std::string recorded_;
  const std::optional<std::int64_t> generation_;
};

// "spec.maxReplicas 10 -> 20"
std::vector<std::string> Fields(const std::vector<store::Edit>& edits) {
  std::vector<std::string> fields;
  for (const store::Edit& edit : edits) {
    fields.push_back(edit.field + " " + edit.before + " -> " + edit.after);
  }
  return fields;
}

struct Case {
  const char* name;
  std::function<void(api::Autoscaler&)> edit;
  std::vector<std::string> fields;
};

TEST(EditObserver, TellsEachFieldBeforeAndAfter) {
  const std::vector<Case> cases = {
      {"nothing", [](auto&) {}, {}},
      {"a number",
       [](auto& policy) { policy.spec.max_replicas = 20; },
       {"spec.maxReplicas 10 -> 20"}},
      {"a field that is gone",
       [](auto& policy) { policy.spec.min_replicas.reset(); },
       {"spec.minReplicas 1 -> "}},
      {"a field that is new",
       [](auto& policy) { policy.spec.sync_period_seconds = 30; },
       {"spec.syncPeriodSeconds  -> 30"}},
      {"the mode",
       [](auto& policy) { policy.spec.mode = "Disabled"; },
       {"spec.mode Active -> Disabled"}},
      {"within a list",
       [](auto& policy) { policy.spec.metrics = {Cpu(80)}; },
       {"spec.metrics[0].resource.target.averageUtilization 60 -> 80"}},
      {"a longer list",
       [](auto& policy) { policy.spec.metrics.push_back(Cpu(80)); },
       {R"(spec.metrics[1]  -> {"type":"Resource","resource":{"name":"cpu","target":)"
        R"({"type":"Utilization","averageUtilization":80}}})"}},
      {"two fields, a policy at a time",
       [](auto& policy) {
         policy.spec.scale_target_ref.name = "api";
         policy.spec.behavior.emplace().scale_up.emplace().stabilization_window_seconds = 60;
       },
       {"spec.scaleTargetRef.name web -> api",
        R"(spec.behavior  -> {"scaleUp":{"stabilizationWindowSeconds":60}})"}},
      {"a pause",
       [](auto& policy) {
         policy.metadata.annotations["ballast.dev/paused-until"] = "2027-01-15T09:00:00Z";
         policy.metadata.annotations["ballast.dev/paused-by"] = "bob";
       },
       {"metadata.annotations[ballast.dev/paused-by] alice -> bob",
        "metadata.annotations[ballast.dev/paused-until]  -> 2027-01-15T09:00:00Z"}},
      {"an empty annotation",
       [](auto& policy) { policy.metadata.annotations["ballast.dev/paused-by"] = ""; },
       {R"(metadata.annotations[ballast.dev/paused-by] alice -> "")"}},
      {"a hostile annotation",
       [](auto& policy) { policy.metadata.annotations["ballast.dev/paused-by"] = "a\nb\x1b"; },
       {"metadata.annotations[ballast.dev/paused-by] alice -> a b\uFFFD"}},
      {"what is not Ballast's",
       [](auto& policy) {
         policy.metadata.annotations["team"] = "blog";
         policy.metadata.labels = {{"a", "b"}};
         policy.status.current_replicas = 7;
       },
       {}},
  };
  for (const Case& c : cases) {
    Observed observer;
    api::Autoscaler policy = Policy();
    EXPECT_THAT(observer.See(policy), IsEmpty()) << "the first sight is no edit";
    c.edit(policy);
    EXPECT_EQ(Fields(observer.See(policy)), c.fields) << c.name;
    EXPECT_THAT(observer.See(policy), IsEmpty()) << c.name << ", once";
  }
}

TEST(EditObserver, TellsWhenAndByWhom) {
  Observed observer;
  api::Autoscaler policy = Policy();
  observer.See(policy);
  policy.spec.max_replicas = 20;
  EXPECT_THAT(observer.See(policy),
              ElementsAre(store::Edit{kNow, "spec.maxReplicas", "10", "20", "", {}}));
  policy.spec.max_replicas = 30;
  policy.editor = api::FieldManager{"kubectl-edit", kNow - Duration::Seconds(2)};
  EXPECT_THAT(observer.See(policy),
              ElementsAre(store::Edit{kNow, "spec.maxReplicas", "20", "30", "kubectl-edit",
                                      kNow - Duration::Seconds(2)}));
}

TEST(EditObserver, LooksAtEachVersionOnce) {
  Observed observer;
  api::Autoscaler policy = Policy();
  policy.metadata.resource_version = "7";
  observer.See(policy);
  policy.spec.max_replicas = 20;
  EXPECT_THAT(observer.See(policy), IsEmpty());
  policy.metadata.resource_version = "8";
  EXPECT_EQ(observer.See(policy).size(), 1U);
}

TEST(EditObserver, OfManyFieldsTellsTheFirstAndTheNumberOfTheOthers) {
  Observed observer;
  api::Autoscaler policy = Policy();
  observer.See(policy);
  for (int i = 10; i < 40; ++i) {
    policy.metadata.annotations["ballast.dev/a" + std::to_string(i)] = std::string(10'000, 'x');
  }
  const std::vector<store::Edit> edits = observer.See(policy);
  ASSERT_EQ(edits.size(), EditObserver::kMostFields + 1);
  EXPECT_LT(edits.front().after.size(), 300U);
  EXPECT_EQ(edits.back(), (store::Edit{kNow, "10 more fields", "", "", "", {}}));
}

TEST(EditObserver, FindsWhatWasEditedWhileNoOperatorRan) {
  for (const char* kind : {api::kPolicyKind, api::kHpaKind}) {
    api::Autoscaler autoscaler = Policy();
    autoscaler.kind = kind;
    Observed before;
    before.See(autoscaler);
    Observed unchanged(before.recorded(), 2);
    EXPECT_THAT(unchanged.See(autoscaler), IsEmpty());
    autoscaler.spec.max_replicas = 20;
    Observed after(before.recorded(), 3);
    EXPECT_EQ(Fields(after.See(autoscaler)), std::vector<std::string>{"spec.maxReplicas 10 -> 20"});
    EXPECT_NE(after.recorded(), before.recorded());
  }
}

TEST(EditObserver, RecordsOnlyWhatIsNew) {
  api::Autoscaler policy = Policy();
  Observed before;
  before.See(policy);
  EditObserver observer;
  const auto recall = [&] { return before.recorded(); };
  EXPECT_EQ(observer.See(policy, 3, kNow, recall).spec, std::nullopt);
  policy.status.current_replicas = 7;
  EXPECT_EQ(observer.See(policy, 3, kNow, recall).spec, std::nullopt);
}

TEST(EditObserver, WithoutARecordKnowsOnlyThatAPolicyWasEdited) {
  const struct {
    const char* name;
    const char* kind;
    std::optional<std::int64_t> evaluated;
    std::vector<std::string> fields;
  } kCases[] = {
      {"edited", api::kPolicyKind, 2, {"spec  -> "}},
      {"not edited", api::kPolicyKind, 3, {}},
      {"not known", api::kPolicyKind, std::nullopt, {}},
      {"a hash of another program", api::kHpaKind, 2, {}},
  };
  for (const auto& c : kCases) {
    Observed observer("", c.evaluated);
    api::Autoscaler autoscaler = Policy();
    autoscaler.kind = c.kind;
    EXPECT_EQ(Fields(observer.See(autoscaler)), c.fields) << c.name;
    autoscaler.spec.max_replicas = 20;
    autoscaler.metadata.generation = 4;
    EXPECT_EQ(Fields(observer.See(autoscaler)),
              std::vector<std::string>{"spec.maxReplicas 10 -> 20"})
        << c.name;
  }
}

}  // namespace
}  // namespace ballast::session
