#include "operator/cluster/pod_owners.h"
#include "api/json/json_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <map>

#include "tests/support/fake_clock.h"
#include "tests/support/fake_discovery.h"
#include "tests/support/fake_transport.h"

namespace ballast::cluster {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Optional;

// An object of the cluster: its uid and its controller.
struct Object {
  std::string uid;
  std::optional<api::OwnerReference> controller;
};

api::OwnerReference Reference(const std::string& api_version, const std::string& kind,
                              const std::string& name, const std::string& uid) {
  return {.api_version = api_version, .kind = kind, .name = name, .uid = uid, .controller = true};
}

const api::OwnerReference kWeb = Reference("apps/v1", "Deployment", "web", "d1");
const api::OwnerReference kCanary = Reference("apps/v1", "Deployment", "canary", "d2");
const api::OwnerReference kOld = Reference("apps/v1", "ReplicaSet", "web-1", "r1");
const api::OwnerReference kNew = Reference("apps/v1", "ReplicaSet", "web-2", "r2");
const api::OwnerReference kJob = Reference("batch/v1", "Job", "load", "j1");
const api::OwnerReference kRollout = Reference("argoproj.io/v1", "Rollout", "web", "a1");

PodOwners::Target TargetOf(const api::OwnerReference& object) {
  return {{object.api_version, object.kind, object.name}, "shop", object.uid};
}

// Discovery of three groups with one kind each.
std::optional<kube::Response> Discover(const std::string& path) {
  const struct {
    std::string group;
    std::string resource;
  } kGroups[] = {{"batch", R"("name":"jobs","kind":"Job","namespaced":true)"},
                 {"argoproj.io", R"("name":"rollouts","kind":"Rollout","namespaced":true)"},
                 {"acme.org", R"("name":"racks","kind":"Rack","namespaced":false)"}};
  for (const auto& [group, resource] : kGroups) {
    std::string version = R"({"groupVersion":")" + group;
    version += R"(/v1","version":"v1"})";
    if (path == "/apis/" + group) {
      return kube::Response{
          200, R"({"versions":[)" + version + R"(],"preferredVersion":)" + version + "}"};
    }
    if (path == "/apis/" + group + "/v1") {
      return kube::Response{200, R"({"resources":[{)" + resource + "}]}"};
    }
  }
  return std::nullopt;
}

class OwnersTest : public testing::Test {
 protected:
  Result<kube::Response> Do(const kube::Request& request) {
    if (const auto apps = support::DiscoverApps(request.path)) {
      return *apps;
    }
    if (const auto other = Discover(request.path)) {
      return *other;
    }
    const std::string name = request.path.substr(request.path.rfind('/') + 1);
    if (const auto refused = refused_.find(name); refused != refused_.end()) {
      return refused->second;
    }
    const auto found = objects_.find(name);
    if (found == objects_.end()) {
      return Error{Code::kNotFound, "\"" + name + "\" not found"};
    }
    json::Writer out;
    out.Object([&] {
      out.Key("metadata");
      api::ObjectMeta metadata{.name = name, .uid = found->second.uid};
      if (found->second.controller) {
        metadata.owner_references = {{.kind = "Sponsor", .uid = "s"}, *found->second.controller};
      }
      Encode(out, metadata);
    });
    return kube::Response{200, out.Take()};
  }
  // Those of `controllers` that belong to the target.
  std::set<std::string> Owned(const api::OwnerReference& target,
                              const std::vector<api::OwnerReference>& controllers) {
    auto below = owners_.Below(TargetOf(target), controllers);
    EXPECT_TRUE(below.ok()) << below.error().message;
    EXPECT_EQ(below->erase(target.uid), 1U) << "the target's own pods";
    return *below;
  }
  // The objects read since the last call.
  std::vector<std::string> Asked() {
    std::vector<std::string> names;
    const auto requests = transport_.requests();
    for (; seen_ < requests.size(); ++seen_) {
      if (requests[seen_].path.find("/namespaces/") != std::string::npos) {
        EXPECT_EQ(requests[seen_].accept, kube::kContentMetadata);
        names.push_back(requests[seen_].path.substr(requests[seen_].path.rfind('/') + 1));
      }
    }
    return names;
  }

  std::map<std::string, Object> objects_ = {{"web-1", {"r1", kWeb}}, {"web-2", {"r2", kWeb}}};
  std::map<std::string, Error> refused_;
  std::size_t seen_ = 0;
  support::FakeClock clock_;
  support::FakeTransport transport_{[this](const kube::Request& request) { return Do(request); }};
  kube::Client client_{transport_};
  kube::RestMapper mapper_{transport_, clock_};
  PodOwners owners_{client_, mapper_, clock_};
};

TEST_F(OwnersTest, ADeploymentOwnsByWayOfItsReplicaSets) {
  EXPECT_THAT(Owned(kWeb, {kOld, kNew, kJob}), ElementsAre("r1", "r2"));
  EXPECT_THAT(Asked(), ElementsAre("web-1", "web-2")) << "no Job stands below a Deployment";
  EXPECT_THAT(Owned(kWeb, {kOld, kNew, kJob}), ElementsAre("r1", "r2"));
  EXPECT_THAT(Asked(), IsEmpty()) << "they are known";
  EXPECT_THAT(Owned(kCanary, {kOld, kNew}), IsEmpty());
  EXPECT_THAT(Asked(), IsEmpty()) << "to everybody";
}

TEST_F(OwnersTest, WorkloadsThatMakeTheirPodsThemselvesAskNobody) {
  for (const auto& target : {Reference("apps/v1", "StatefulSet", "db", "s1"), kOld,
                             Reference("v1", "ReplicationController", "old", "c1")}) {
    EXPECT_THAT(Owned(target, {target, kNew, kJob}), IsEmpty()) << target.kind;
  }
  EXPECT_THAT(Asked(), IsEmpty());
}

TEST_F(OwnersTest, OfACustomResourceAnythingMayStandInBetween) {
  objects_ = {{"web-1", {"r1", kWeb}},
              {"web", {"d1", kRollout}},
              {"load", {"j1", kRollout}},
              {"web-2", {"r2", {}}}};
  EXPECT_THAT(Owned(kRollout, {kOld, kNew, kJob}), ElementsAre("d1", "j1", "r1"));
  EXPECT_THAT(Asked(), ElementsAre("web-1", "web", "web-2", "load"));
}

// A chain of nine owners, and a cycle of two.
TEST_F(OwnersTest, ClimbsAFewLevelsAndNoCircle) {
  const auto link = [](int n) {
    return Reference("batch/v1", "Job", "l" + std::to_string(n), "u" + std::to_string(n));
  };
  for (int n = 0; n < 9; ++n) {
    objects_[link(n).name] = {link(n).uid, link(n + 1)};
  }
  EXPECT_THAT(Owned(Reference("x.org/v1", "X", "x", "u5"), {link(0)}),
              ElementsAre("u0", "u1", "u2", "u3", "u4"));
  EXPECT_THAT(Owned(Reference("x.org/v1", "X", "x", "u6"), {link(0)}), IsEmpty());
  objects_ = {{"c0", {"c0", Reference("batch/v1", "Job", "c1", "c1")}},
              {"c1", {"c1", Reference("batch/v1", "Job", "c0", "c0")}}};
  EXPECT_THAT(Owned(kRollout, {Reference("batch/v1", "Job", "c0", "c0")}), IsEmpty());
}

TEST_F(OwnersTest, NobodyOwnsByWayOfWhatIsGone) {
  const struct {
    const char* name;
    api::OwnerReference controller;
  } cases[] = {
      {"gone", Reference("batch/v1", "Job", "gone", "g")},
      {"another object has the name", Reference("apps/v1", "ReplicaSet", "web-1", "r0")},
      {"of no kind that is served", Reference("batch/v1", "Gizmo", "g", "g")},
      {"of no group that is served", Reference("nowhere.org/v1", "Gizmo", "g", "g")},
      {"in no namespace", Reference("acme.org/v1", "Rack", "web-1", "r1")},
  };
  for (const auto& c : cases) {
    EXPECT_THAT(Owned(kRollout, {c.controller}), IsEmpty()) << c.name;
  }
  EXPECT_THAT(Owned(kWeb, {Reference("apps/v1", "ReplicaSet", "web-0", "r9")}), IsEmpty());
}

TEST_F(OwnersTest, WhoCannotBeReadIsAnErrorThatNamesTheWayOut) {
  refused_ = {{"web-2", {Code::kTimeout, "no answer"}},
              {"load", {Code::kForbidden, "jobs.batch \"load\" is forbidden"}}};
  const auto late = owners_.Below(TargetOf(kWeb), {kOld, kNew});
  ASSERT_FALSE(late.ok());
  EXPECT_EQ(late.error().code, Code::kTimeout);
  EXPECT_EQ(late.error().message, "ReplicaSet web-2: no answer");
  const auto forbidden = owners_.Below(TargetOf(kRollout), {kJob});
  ASSERT_FALSE(forbidden.ok());
  EXPECT_EQ(forbidden.error().code, Code::kForbidden);
  EXPECT_THAT(forbidden.error().message,
              HasSubstr("Job load: jobs.batch \"load\" is forbidden; let the operator get "
                        "jobs.batch (the chart's value customOwners)"));
  refused_.clear();
  Asked();
  EXPECT_THAT(Owned(kWeb, {kOld, kNew}), ElementsAre("r1", "r2"));
  EXPECT_THAT(Asked(), ElementsAre("web-2")) << "what is not known is asked for again";
}

// After `kubectl delete --cascade=orphan` a new Deployment adopts the old ReplicaSets.
TEST_F(OwnersTest, AnAdoptionIsNoticedWithinAMinute) {
  const api::OwnerReference again = Reference("apps/v1", "Deployment", "web", "d3");
  EXPECT_THAT(Owned(kWeb, {kOld}), ElementsAre("r1"));
  objects_["web-1"].controller = again;
  clock_.Advance(59s);
  EXPECT_THAT(Owned(again, {kOld}), IsEmpty());
  clock_.Advance(1s);
  EXPECT_THAT(Owned(again, {kOld}), ElementsAre("r1"));
}

TEST_F(OwnersTest, AnswersAtOnceWhatItWouldNotHaveToAsk) {
  const auto at_once = [&] { return owners_.BelowAtOnce(TargetOf(kWeb), {kOld, kNew}); };
  EXPECT_FALSE(at_once());
  EXPECT_THAT(Owned(kWeb, {kOld}), ElementsAre("r1"));
  EXPECT_FALSE(at_once()) << "of one";
  EXPECT_THAT(Owned(kWeb, {kNew}), ElementsAre("r2"));
  EXPECT_THAT(at_once(), Optional(ElementsAre("d1", "r1", "r2")));
  clock_.Advance(10min);
  EXPECT_FALSE(at_once());
  EXPECT_THAT(Asked(), ElementsAre("web-1", "web-2"));
  refused_ = {{"web-2", {Code::kTimeout, "no answer"}}};
  EXPECT_FALSE(owners_.Below(TargetOf(kWeb), {kOld, kNew}).ok());
  EXPECT_FALSE(at_once()) << "a failure is none";
}

TEST_F(OwnersTest, AReleaseIsNoticedWithinTenMinutes) {
  EXPECT_THAT(Owned(kWeb, {kOld}), ElementsAre("r1"));
  objects_["web-1"].controller.reset();
  clock_.Advance(10min - 1s);
  EXPECT_THAT(Owned(kWeb, {kOld}), ElementsAre("r1"));
  clock_.Advance(1s);
  EXPECT_THAT(Owned(kWeb, {kOld}), IsEmpty());
}

TEST_F(OwnersTest, ForgetsWhatNobodyNamesAnyMore) {
  for (int n = 0; n < 1000; ++n) {
    Owned(kWeb, {Reference("apps/v1", "ReplicaSet", "web-1", "u" + std::to_string(n))});
    clock_.Advance(6s);  // a hundred answers in ten minutes
  }
  EXPECT_LE(owners_.size(), 300U);
}

}  // namespace
}  // namespace ballast::cluster
