#include "operator/cli/pods/find_pods.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "operator/cli/testing/fake_kubectl.h"

namespace ballast::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

struct Made {
  std::string name = "ballast-0";
  std::string owner = R"({"apiVersion": "apps/v1", "kind": "StatefulSet", "name": "ballast",
                          "controller": true})";
  std::string account = "ballast";
  std::string namespace_ = "b";
  std::string container = R"({"name": "ballast", "args": ["operator", "--store=/data/l.db"]})";
  std::string phase = "Running";
};

std::string Json(const Made& pod) {
  return R"({"metadata": {"name": ")" + pod.name + R"(", "namespace": ")" + pod.namespace_ +
         R"(", "ownerReferences": [)" + pod.owner + R"(]}, "spec": {"serviceAccountName": ")" +
         pod.account + R"(", "containers": [)" + pod.container + R"(]}, "status": {"phase": ")" +
         pod.phase + R"("}})";
}

std::string List(const std::vector<Made>& pods) {
  std::string items;
  for (const Made& pod : pods) {
    items += (items.empty() ? "" : ", ") + Json(pod);
  }
  return R"({"items": [)" + items + "]}";
}

std::string OwnedBy(const std::string& kind, const std::string& name, const char* more = "") {
  return R"({"apiVersion": "apps/v1", "kind": ")" + kind + R"(", "name": ")" + name + R"(")" +
         more + "}";
}
constexpr const char* kControls = R"(, "controller": true)";

std::vector<std::string> NamesOf(const Result<std::vector<LedgerPod>>& pods) {
  EXPECT_TRUE(pods.ok()) << pods.error().message;
  std::vector<std::string> names;
  for (const LedgerPod& pod : *pods) {
    names.push_back(pod.Print());
  }
  return names;
}

TEST(ParsePods, FindsTheOperatorsAndTheirLedgers) {
  const auto pods = ParsePods(List({
      {.container = R"({"name": "sidecar", "args": ["operator"]},
                       {"name": "ballast", "args": ["operator", "--store=/data/l.db"]})"},
      {.name = "ballast-1",
       .container = R"({"name": "ballast", "args": ["operator"]})",
       .phase = "Pending"},
      {.name = "ballast-2", .phase = "Failed"},
      {.name = "ballast-3", .container = R"({"name": "ballast", "args": ["check"]})"},
  }));
  EXPECT_THAT(NamesOf(pods), ElementsAre("b/ballast-0", "b/ballast-1"));
  EXPECT_EQ(pods->front().store, "/data/l.db");
  EXPECT_EQ(pods->back().store, "/var/lib/ballast/ballast.db");
  EXPECT_EQ(pods->front().statefulset + " " + pods->front().account, "ballast ballast");
}

TEST(ParsePods, LeavesOutWhatNoStatefulSetHasMade) {
  for (const std::string& owner :
       {std::string(), OwnedBy("StatefulSet", "ballast"),
        OwnedBy("ReplicaSet", "ballast", kControls), OwnedBy("StatefulSet", "other", kControls),
        OwnedBy("StatefulSet", "", kControls)}) {
    EXPECT_THAT(NamesOf(ParsePods(List({{.owner = owner}}))), IsEmpty()) << owner;
  }
  for (const char* name : {"ballast", "ballast-", "ballast-x", "ballastx0", "ballast-0-1"}) {
    EXPECT_THAT(NamesOf(ParsePods(List({{.name = name}}))), IsEmpty()) << name;
  }
}

TEST(ParsePods, RefusesWhatIsNotAList) {
  EXPECT_EQ(ParsePods("kubectl says no").error().code, Code::kInvalid);
  EXPECT_EQ(ParsePods("{}").error().message, "items: is required");
  EXPECT_EQ(ParseAccounts("{}").error().message, "items: is required");
}

// Prints the pods of the namespace that is asked for, and the bindings of the cluster.
constexpr const char* kKubectl = R"sh(#!/bin/sh
for word; do case "$word" in
  --namespace=*) exec cat "${0%kubectl}${word#*=}" ;;
  clusterrolebindings) exec cat "${0%kubectl}bindings" ;;
  --all-namespaces) exec cat "${0%kubectl}all" ;;
esac; done
)sh";

class FindPodsTest : public ::testing::Test {
 protected:
  void Has(const std::string& what, const std::string& text) {
    std::ofstream(kubectl_.folder() + "/" + what) << text;
  }

  void Bind(const std::string& subjects) {
    Has("bindings", R"({"items": [{"subjects": [)" + subjects + "]}]}");
  }

 private:
  const testing::FakeKubectl kubectl_{kKubectl};
};

constexpr const char* kAccount =
    R"({"kind": "ServiceAccount", "namespace": "b", "name": "ballast"})";

TEST_F(FindPodsTest, AsksOnlyWhereAnAccountHasTheRole) {
  Bind(kAccount);
  Has("b", List({{}, {.name = "ballast-1"}}));
  const Made forged{.namespace_ = "evil"};
  Has("evil", List({forged}));
  Has("all", List({{}, forged}));
  EXPECT_THAT(NamesOf(FindPods({})), ElementsAre("b/ballast-0", "b/ballast-1"));
}

TEST_F(FindPodsTest, LeavesOutPodsOfOtherAccounts) {
  Bind(kAccount);
  Has("b", List({{},
                 {.name = "look-0",
                  .owner = OwnedBy("StatefulSet", "look", kControls),
                  .account = "tenant"}}));
  EXPECT_THAT(NamesOf(FindPods({})), ElementsAre("b/ballast-0"));
}

// Where the caller may see that. Of an installation without a role in the whole cluster, or for a
// caller who may not list bindings, a StatefulSet is all that can be asked for.
TEST_F(FindPodsTest, LooksForTheAccountAlsoInANamespaceThatIsNamed) {
  PodOptions options;
  options.ballast_namespace = "b";
  const Made look{
      .name = "look-0", .owner = OwnedBy("StatefulSet", "look", kControls), .account = "tenant"};
  Has("b", List({{}, look}));
  Bind(kAccount);
  EXPECT_THAT(NamesOf(FindPods(options)), ElementsAre("b/ballast-0"));
  Has("b", List({look}));
  EXPECT_EQ(FindPods(options).error().code, Code::kNotFound);
  Bind(R"({"kind": "ServiceAccount", "namespace": "c", "name": "ballast"})");
  EXPECT_THAT(NamesOf(FindPods(options)), ElementsAre("b/look-0"));
}

TEST_F(FindPodsTest, AsksTheInstallationsOfSeveralNamespaces) {
  Bind(std::string(kAccount) + R"(, {"kind": "ServiceAccount", "namespace": "c", "name": "next"},
                                   {"kind": "User", "name": "anna"})");
  Has("b", List({{}}));
  Has("c", List({{.account = "next", .namespace_ = "c"}}));
  EXPECT_THAT(NamesOf(FindPods({})), ElementsAre("b/ballast-0", "c/ballast-0"));
}

TEST_F(FindPodsTest, RefusesToChooseAmongThoseThatLookAlike) {
  const Made look{
      .name = "look-0", .owner = OwnedBy("StatefulSet", "look", kControls), .account = "tenant"};
  const Made same_account{.name = "look-0", .owner = OwnedBy("StatefulSet", "look", kControls)};
  for (const Made& other : {look, same_account}) {
    Has("b", List({{}, other}));
    PodOptions options;
    options.ballast_namespace = "b";
    const auto pods = FindPods(options);
    ASSERT_FALSE(pods.ok());
    EXPECT_EQ(pods.error().code, Code::kInvalid);
    EXPECT_THAT(pods.error().message,
                HasSubstr("b/ballast-0 (StatefulSet ballast, account ballast) and b/look-0 "
                          "(StatefulSet look, account " +
                          other.account + ") both look like Ballast's"));
    options.ballast_statefulset = "ballast";
    EXPECT_THAT(NamesOf(FindPods(options)), ElementsAre("b/ballast-0"));
  }
}

// A StatefulSet's pods have one account, except for the moment when another one is rolled out.
TEST_F(FindPodsTest, RefusesAnotherAccountUnderTheSameStatefulSet) {
  Has("b", List({{}, {.name = "ballast-1", .account = "tenant"}}));
  PodOptions options;
  options.ballast_namespace = "b";
  options.ballast_statefulset = "ballast";
  EXPECT_EQ(FindPods(options).error().code, Code::kInvalid);
}

TEST_F(FindPodsTest, SaysWhatItLookedFor) {
  Bind(kAccount);
  Has("b", List({{.account = "tenant"}}));
  EXPECT_EQ(FindPods({}).error().message,
            "no pod of Ballast's runs in the cluster (label app.kubernetes.io/name=ballast, of a "
            "StatefulSet whose account has Ballast's role in the cluster); name a copy of the "
            "ledger with --store");
  Bind("");
  EXPECT_THAT(FindPods({}).error().message, HasSubstr("no account has Ballast's role"));
  Has("b", List({}));
  PodOptions options;
  options.ballast_namespace = "b";
  EXPECT_THAT(FindPods(options).error().message, HasSubstr("runs in b (label"));
}

}  // namespace
}  // namespace ballast::cli
