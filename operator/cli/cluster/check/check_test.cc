// The checks on an API server whose answers the tests choose, path by path.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "api/autoscaling/crd.h"
#include "api/json/json_writer.h"
#include "api/json/yaml.h"
#include "operator/cli/cluster/check/installation_checks.h"
#include "operator/cli/cluster/check/json_difference.h"
#include "operator/cli/cluster/check/required_rights.h"
#include "tests/support/fake_transport.h"

namespace ballast::cli {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;

constexpr Time kNow(1'700'000'000, 0);
constexpr const char* kPods = "/api/v1/pods";
constexpr const char* kCrdPath =
    "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/autoscalepolicies.ballast.dev";
constexpr const char* kDryRun = "/apis/ballast.dev/v1alpha1/namespaces/default/autoscalepolicies";
constexpr const char* kMutating =
    "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations";
constexpr const char* kValidating =
    "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations";
constexpr const char* kLease = "/apis/coordination.k8s.io/v1/namespaces/ballast/leases/ballast";

class Check : public ::testing::Test {
 protected:
  void Answer(const std::string& path, const std::string& body) {
    answers_.insert_or_assign(path, kube::Response{200, body});
  }
  void Fail(const std::string& path, Code code, const std::string& message) {
    answers_.insert_or_assign(path, Error{code, message});
  }
  CheckContext Context(Installation installation = {}) {
    return {transport_, client_, std::move(installation), kNow};
  }

  std::map<std::string, Result<kube::Response>> answers_;
  support::FakeTransport transport_{[this](const kube::Request& request) {
    const auto found = answers_.find(request.path);
    return found == answers_.end()
               ? Result<kube::Response>(Error{Code::kNotFound, "the server has no such resource"})
               : found->second;
  }};
  kube::Client client_{transport_};
};

std::string Pod(
    const std::string& namespace_, const std::string& name, const std::string& args,
    const std::string& status = R"({"conditions":[{"type":"Ready","status":"True"}]})") {
  return R"({"metadata":{"namespace":")" + namespace_ + R"(","name":")" + name +
         R"(","labels":{"app.kubernetes.io/instance":"ballast","app.kubernetes.io/version":")" BALLAST_VERSION
         R"("}},"spec":{"serviceAccountName":"robot","containers":[{"name":"mesh"},{"name":"ballast","args":[)" +
         args + R"(]}]},"status":)" + status + "}";
}

std::string List(const std::string& items) { return R"({"metadata":{},"items":[)" + items + "]}"; }

// "level check: message", which is what most expectations are about.
std::string Brief(const Finding& finding) {
  const char* level = finding.level == Severity::kOk        ? "ok "
                      : finding.level == Severity::kWarning ? "warning "
                                                            : "failure ";
  return level + finding.check + ": " + finding.message;
}

std::vector<std::string> Brief(const std::vector<Finding>& findings) {
  std::vector<std::string> all;
  for (const Finding& finding : findings) {
    all.push_back(Brief(finding));
  }
  return all;
}

TEST(Findings, ArePrintedWithAdviceAndCounted) {
  const std::vector<Finding> findings = {{"CRD", Severity::kOk, "is served", ""},
                                         {"webhook", Severity::kFailure, "is silent", "wake it"}};
  EXPECT_EQ(Worst({}), Severity::kOk);
  EXPECT_EQ(Worst(findings), Severity::kFailure);
  EXPECT_EQ(Print(findings, false),
            "ok       CRD      is served\n"
            "failure  webhook  is silent\n"
            "                  -> wake it\n"
            "1 failure, 0 warnings\n");
  json::Writer out;
  Encode(out, findings);
  EXPECT_EQ(out.Take(),
            R"({"level":"failure","checks":[)"
            R"({"check":"CRD","level":"ok","message":"is served","advice":""},)"
            R"({"check":"webhook","level":"failure","message":"is silent","advice":"wake it"}]})");
}

TEST(JsonDifference, NamesTheFirstPlace) {
  const struct {
    const char* ours;
    const char* theirs;
    const char* difference;
  } kCases[] = {
      {R"({"a":1,"b":[2]})", R"({"b":[2],"a":1})", nullptr},
      {R"({"properties":{"mode":{"enum":["A"]}}})", R"({"properties":{"mode":{"enum":["B"]}}})",
       "mode.enum: differs"},
      {R"({"properties":{"new":{}}})", R"({"properties":{}})", "new: is missing"},
      {R"({"properties":{}})", R"({"properties":{"old":{}}})", "old: is not known here"},
      {R"({"enum":["A"]})", R"({"enum":["A","B"]})", "enum: differs"},
      {R"({"a":1})", R"({"a":"1"})", "a: differs"},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.ours);
    const auto ours = json::Parse(c.ours);
    const auto theirs = json::Parse(c.theirs);
    json::Decoder a(*ours);
    json::Decoder b(*theirs);
    const auto difference = FirstDifference(a.root(), b.root());
    EXPECT_EQ(difference.value_or("none"), c.difference == nullptr ? "none" : c.difference);
  }
}

TEST_F(Check, TheServerMustAnswerAndBeNewEnough) {
  EXPECT_THAT(Brief(CheckServer(transport_)), HasSubstr("failure API server: "));
  Answer("/version", R"({"major":"1","minor":"36","gitVersion":"v1.36.3"})");
  EXPECT_EQ(Brief(CheckServer(transport_)), "ok API server: Kubernetes v1.36.3 answers");
  Answer("/version", R"({"major":"1","minor":"28","gitVersion":"v1.28.0"})");
  EXPECT_EQ(CheckServer(transport_).level, Severity::kFailure);
}

TEST_F(Check, TheInstallationIsReadFromItsPods) {
  Answer(kPods, List(Pod("ballast", "ballast-0",
                         R"("operator","--namespace=shop","--namespace=bank","--leader-elect",)"
                         R"("--leader-elect-resource-name=lead","--webhook-address=:9443",)"
                         R"("--webhook-secret=ballast/cert","--webhook-configuration=hooks")") +
                     "," + Pod("ballast", "ballast-check", R"("check")")));
  const auto found = FindInstallation(client_, "", "default");
  ASSERT_TRUE(found.ok());
  ASSERT_THAT(found->pods, SizeIs(1));
  EXPECT_TRUE(found->pods[0].ready);
  EXPECT_EQ(found->namespace_, "ballast");
  EXPECT_EQ(found->release, "ballast");
  EXPECT_EQ(found->service_account, (api::ObjectKey{"ballast", "robot"}));
  EXPECT_THAT(found->serves, ElementsAre("shop", "bank"));
  EXPECT_EQ(found->lease, (api::ObjectKey{"ballast", "lead"}));
  EXPECT_TRUE(found->has_webhook);
  EXPECT_EQ(found->webhook_secret, (api::ObjectKey{"ballast", "cert"}));
  EXPECT_EQ(found->webhook_configuration, "hooks");
}

TEST_F(Check, AnInstallationMustBeTheOnlyOneOrNamed) {
  Answer(kPods, List(Pod("a", "ballast-0", R"("operator")") + "," +
                     Pod("b", "ballast-0", R"("operator")")));
  const auto several = FindInstallation(client_, "", "default");
  ASSERT_FALSE(several.ok());
  EXPECT_THAT(several.error().message, HasSubstr("a/ballast, b/ballast"));
  // Who may not list all pods sees those of the own namespace.
  Fail(kPods, Code::kForbidden, "no");
  Answer("/api/v1/namespaces/b/pods", List(Pod("b", "ballast-0", R"("operator")")));
  const auto own = FindInstallation(client_, "", "b");
  ASSERT_TRUE(own.ok());
  EXPECT_EQ(own->namespace_, "b");
  EXPECT_FALSE(FindInstallation(client_, "c", "b").ok());
}

TEST_F(Check, TheCrdMustBeServedAsThisProgramHasIt) {
  const std::string own = YamlToJson(api::PolicyCrd())->front();
  const std::string established =
      own.substr(0, own.size() - 1) +
      R"(,"status":{"conditions":[{"type":"Established","status":"True"}]}})";
  std::string other = established;
  other.replace(other.find("\"DryRun\""), 8, "\"Dry\"");

  CheckContext context = Context();
  EXPECT_THAT(Brief(CheckCrd(context)), HasSubstr("failure CRD: autoscalepolicies.ballast.dev is "
                                                  "not installed"));
  Answer(kCrdPath, own);
  EXPECT_THAT(Brief(CheckCrd(context)), HasSubstr("failure CRD: "));
  Answer(kCrdPath, established);
  EXPECT_THAT(Brief(CheckCrd(context)), HasSubstr("ok CRD: "));
  Answer(kCrdPath, other);
  EXPECT_THAT(Brief(CheckCrd(context)),
              AllOf(HasSubstr("warning CRD: "), HasSubstr("spec.mode.enum: differs")));

  Fail(kCrdPath, Code::kForbidden, "no");
  EXPECT_EQ(Brief(CheckCrd(context)), "failure CRD: autoscalepolicies.ballast.dev is not served");
  Answer("/apis/ballast.dev/v1alpha1", "{}");
  EXPECT_THAT(Brief(CheckCrd(context)), HasSubstr("warning CRD: autoscalepolicies.ballast.dev is "
                                                  "served; its schema cannot be read: no"));
}

TEST_F(Check, AMissingDefinitionOfOverridesIsAWarning) {
  CheckContext context = Context();
  EXPECT_EQ(Brief(CheckOverrideCrd(context)),
            "warning CRD of overrides: autoscaleoverrides.ballast.dev is not installed");
}

std::string Lease(const std::string& holder, const std::string& renewed) {
  return R"({"metadata":{"resourceVersion":"1"},"spec":{"holderIdentity":)" + holder +
         R"(,"leaseDurationSeconds":15,"acquireTime":"2023-11-14T20:13:20.000000Z","renewTime":")" +
         renewed + R"("}})";
}

TEST_F(Check, AnOperatorMustLead) {
  const Installation installed{.namespace_ = "ballast",
                               .pods = {{.name = "ballast-0", .version = "", .ready = true}},
                               .lease = api::ObjectKey{"ballast", "ballast"}};
  CheckContext context = Context(installed);
  EXPECT_THAT(Brief(CheckOperator(context)),
              ElementsAre("ok operator: 1 of 1 pods ready in ballast",
                          HasSubstr("failure leader: nobody has led yet")));
  Answer(kLease, Lease("\"ballast-0_x\"", "2023-11-14T22:13:10.000000Z"));
  EXPECT_THAT(Brief(CheckOperator(context)),
              ElementsAre(HasSubstr("ok operator"), "ok leader: ballast-0_x leads since 2h"));
  Answer(kLease, Lease("null", "2023-11-14T22:13:10.000000Z"));
  EXPECT_THAT(Brief(CheckOperator(context)), Contains(HasSubstr("failure leader: nobody leads")));
  Answer(kLease, Lease("\"ballast-0_x\"", "2023-11-14T22:03:20.000000Z"));
  EXPECT_THAT(Brief(CheckOperator(context)),
              Contains(HasSubstr("nobody leads: ballast-0_x renewed Lease ballast/ballast last 10m "
                                 "ago")));

  context.installation.pods = {{.name = "ballast-0", .trouble = "ErrImagePull: no such image"},
                               {.name = "ballast-1", .version = "9.9.9", .ready = true}};
  EXPECT_THAT(Brief(CheckOperator(context)),
              Contains(AllOf(HasSubstr("warning operator: 1 of 2 pods ready"),
                             HasSubstr("ballast-0 is not ready (ErrImagePull: no such image)"),
                             HasSubstr("ballast-1 is of version 9.9.9"))));
  context.installation.pods.pop_back();
  EXPECT_THAT(Brief(CheckOperator(context)), Contains(HasSubstr("failure operator: 0 of 1 pods")));
}

TEST_F(Check, AnOperatorMayRunOutsideOfTheCluster) {
  CheckContext context = Context({.namespace_ = "ballast"});
  EXPECT_THAT(Brief(CheckOperator(context)),
              ElementsAre("failure operator: no pod of the operator is in namespace ballast"));
  context.installation.lease = {"ballast", "ballast"};
  Answer(kLease, Lease("\"outside\"", "2023-11-14T22:13:10.000000Z"));
  EXPECT_THAT(Brief(CheckOperator(context)),
              ElementsAre(HasSubstr("warning operator: no pod"), HasSubstr("outside leads")));
}

TEST(RequiredRights, FollowTheFlags) {
  const auto printed = [](const Installation& installation) {
    std::vector<std::string> all;
    for (const Right& right : RequiredRights(installation)) {
      all.push_back(Print(right));
    }
    return all;
  };
  const auto everywhere = printed({});
  EXPECT_THAT(everywhere, Contains("patch deployments.apps/scale"));
  EXPECT_THAT(everywhere, Not(Contains(HasSubstr("resourcequotas"))));
  EXPECT_THAT(everywhere, Not(Contains(HasSubstr("leases"))));
  const std::string get_hpas = "get horizontalpodautoscalers.autoscaling";
  EXPECT_THAT(everywhere, Not(Contains(get_hpas)));
  EXPECT_THAT(printed({.has_webhook = true}), Contains(get_hpas).Times(1));
  EXPECT_THAT(printed({.takes_over = {"*"}}), Contains(get_hpas).Times(1));
  EXPECT_THAT(printed({.takes_over = {"*"}, .has_webhook = true}), Contains(get_hpas).Times(1));
  const auto some = printed({.serves = {"shop", "bank"},
                             .takes_over = {"*"},
                             .lease = api::ObjectKey{"ballast", "lead"},
                             .has_webhook = true,
                             .webhook_secret = api::ObjectKey{"ballast", "cert"},
                             .webhook_configuration = "hooks"});
  for (const char* right :
       {"patch deployments.apps/scale in shop", "patch deployments.apps/scale in bank",
        "list resourcequotas in bank", "patch horizontalpodautoscalers.autoscaling/status in shop",
        "patch configmaps ballast-hpa-memory-15 in shop",
        "patch leases.coordination.k8s.io lead in ballast", "get secrets cert in ballast",
        "patch mutatingwebhookconfigurations.admissionregistration.k8s.io hooks"}) {
    EXPECT_THAT(some, Contains(right));
  }
}

TEST_F(Check, RightsAreThoseOfTheServiceAccount) {
  const std::string reviews = "/apis/authorization.k8s.io/v1/subjectaccessreviews";
  CheckContext context = Context({.namespace_ = "ballast", .pods = {{.name = "ballast-0"}}});
  EXPECT_EQ(CheckRights(context).level, Severity::kWarning);
  context.installation.service_account = {"ballast", "robot"};
  Answer(reviews, R"({"status":{"allowed":true}})");
  EXPECT_THAT(Brief(CheckRights(context)),
              HasSubstr("ok rights: system:serviceaccount:ballast:robot has the "));
  EXPECT_THAT(transport_.requests().back().body,
              HasSubstr(R"("user":"system:serviceaccount:ballast:robot")"));
  Answer(reviews, R"({"status":{"allowed":false}})");
  EXPECT_THAT(Brief(CheckRights(context)),
              AllOf(HasSubstr("failure rights: "),
                    HasSubstr("may not get autoscalepolicies.ballast.dev, "), HasSubstr(" more")));
  Fail(reviews, Code::kForbidden, "no");
  EXPECT_THAT(CheckRights(context).advice,
              HasSubstr("kubectl -n ballast exec ballast-0 -c ballast -- ballast check"));
  // The account itself need not be allowed to ask about others.
  Answer("/apis/authentication.k8s.io/v1/selfsubjectreviews",
         R"({"status":{"userInfo":{"username":"system:serviceaccount:ballast:robot"}}})");
  Answer("/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
         R"({"status":{"allowed":true}})");
  EXPECT_EQ(CheckRights(context).level, Severity::kOk);
}

// A group of resources may be served in several versions; a policy may name a kind that is not.
TEST_F(Check, RightsAreThoseForCustomTargetsToo) {
  const auto policy = [](const std::string& name, const std::string& target) {
    return R"({"metadata":{"namespace":"shop","name":")" + name +
           R"("},"spec":{"maxReplicas":3,"scaleTargetRef":)" + target + "}}";
  };
  Answer(
      "/apis/ballast.dev/v1alpha1/autoscalepolicies",
      List(policy("a", R"({"apiVersion":"argoproj.io/v1alpha1","kind":"Rollout","name":"a"})") +
           "," + policy("b", R"({"apiVersion":"apps/v1","kind":"Deployment","name":"b"})") + "," +
           policy("c", R"({"apiVersion":"gone.example.com/v1","kind":"Gone","name":"c"})")));
  Answer(
      "/apis/argoproj.io",
      R"({"name":"argoproj.io","versions":[{"groupVersion":"argoproj.io/v1alpha1","version":"v1alpha1"}],
             "preferredVersion":{"groupVersion":"argoproj.io/v1alpha1","version":"v1alpha1"}})");
  Answer("/apis/argoproj.io/v1alpha1",
         R"({"resources":[{"name":"rollouts","kind":"Rollout","namespaced":true},
                          {"name":"rollouts/scale","kind":"Scale","namespaced":true}]})");
  Answer("/apis/authorization.k8s.io/v1/subjectaccessreviews", R"({"status":{"allowed":true}})");
  CheckContext context =
      Context({.namespace_ = "ballast", .service_account = api::ObjectKey{"ballast", "robot"}});
  EXPECT_EQ(CheckRights(context).level, Severity::kOk);
  std::vector<std::string> bodies;
  for (const kube::Request& request : transport_.requests()) {
    bodies.push_back(request.body);
  }
  for (const char* verb : {"get", "patch"}) {
    EXPECT_THAT(bodies, Contains(HasSubstr(R"("verb":")" + std::string(verb) +
                                           R"(","group":"argoproj.io","resource":"rollouts",)"
                                           R"("subresource":"scale","namespace":"")")));
  }
  EXPECT_THAT(bodies, Not(Contains(HasSubstr("gone.example.com"))));
}

TEST_F(Check, TheWebhookMustCompleteAPolicy) {
  const auto configuration = [&](const std::string& authority, const std::string& policy) {
    Answer(kMutating, List(R"({"webhooks":[{"name":"mutate.x","failurePolicy":")" + policy +
                           R"(","clientConfig":{"caBundle":")" + authority + R"("}}]})"));
    Answer(kValidating, List(""));
  };
  CheckContext context = Context({.namespace_ = "ballast", .has_webhook = true});
  const auto brief = [&] { return Brief(CheckWebhook(context)).front(); };
  configuration("", "Fail");
  EXPECT_EQ(brief(), "failure webhook: mutate.x has no certificate authority yet");
  configuration("Y2E=", "Fail");
  Answer(kDryRun, R"({"spec":{"metrics":[{}]}})");
  EXPECT_EQ(brief(), "ok webhook: completed and accepted a policy in default (a dry run)");
  EXPECT_EQ(support::QueryOf(transport_.requests().back(), "dryRun"), "All");
  Answer(kDryRun, R"({"spec":{"metrics":[]}})");
  EXPECT_THAT(brief(), HasSubstr("warning webhook: did not complete"));
  configuration("Y2E=", "Ignore");
  EXPECT_THAT(brief(), HasSubstr("failure webhook: did not complete"));
  Fail(kDryRun, Code::kUnavailable, "failed calling webhook \"x\": no endpoints available");
  EXPECT_THAT(brief(), HasSubstr("failure webhook: failed calling webhook"));
  Fail(kDryRun, Code::kForbidden, "alice cannot create");
  EXPECT_EQ(brief(), "warning webhook: was not asked: alice cannot create");
  Answer(kMutating, List(""));
  EXPECT_THAT(brief(), HasSubstr("failure webhook: the operator serves one, but"));
  context.installation.has_webhook = false;
  EXPECT_THAT(brief(), HasSubstr("ok webhook: there is none"));
}

TEST_F(Check, TheWebhookIsTriedWhereItIsCalled) {
  Answer(kMutating, List(R"({"webhooks":[{"name":"m","clientConfig":{"caBundle":"x"}}]})"));
  Answer(kValidating, List(""));
  const struct {
    const char* own;
    std::vector<std::string> serves;
    const char* tried;
  } kCases[] = {
      {"ballast", {}, "default"},
      {"default", {}, "kube-public"},
      {"ballast", {"ballast", "shop"}, "shop"},
  };
  for (const auto& c : kCases) {
    CheckContext context = Context({.namespace_ = c.own, .serves = c.serves, .has_webhook = true});
    CheckWebhook(context);
    EXPECT_THAT(transport_.requests().back().path,
                HasSubstr(std::string("/namespaces/") + c.tried + "/"));
  }
  CheckContext context =
      Context({.namespace_ = "ballast", .serves = {"ballast"}, .has_webhook = true});
  EXPECT_THAT(Brief(CheckWebhook(context)).front(), HasSubstr("is its own"));
}

TEST_F(Check, MetricsApisMustAnswerIfTheyAreThere) {
  CheckContext context = Context();
  EXPECT_THAT(Brief(CheckMetricsApis(context)),
              ElementsAre(HasSubstr("warning metrics.k8s.io: is not installed"),
                          HasSubstr("ok custom.metrics.k8s.io: is not installed"),
                          HasSubstr("ok external.metrics.k8s.io: is not installed")));
  Answer("/apis/metrics.k8s.io/v1beta1", "{}");
  Answer("/apis/metrics.k8s.io/v1beta1/pods", List(""));
  Answer("/apis/custom.metrics.k8s.io/v1beta1", "{}");
  EXPECT_EQ(CheckMetricsApis(context)[1].level, Severity::kOk) << "an older version will do";
  Fail("/apis/custom.metrics.k8s.io/v1beta1", Code::kNotFound, "no");
  Answer("/apis/custom.metrics.k8s.io", "{}");  // in another version
  Fail("/apis/external.metrics.k8s.io/v1beta1", Code::kUnavailable, "HTTP 503");
  Answer(
      "/apis/apiregistration.k8s.io/v1/apiservices/v1beta1.external.metrics.k8s.io",
      R"({"status":{"conditions":[{"type":"Available","status":"False","message":"no endpoints"}]}})");
  EXPECT_THAT(Brief(CheckMetricsApis(context)),
              ElementsAre("ok metrics.k8s.io: answers",
                          HasSubstr("warning custom.metrics.k8s.io: is served, but not as v1beta2"),
                          "failure external.metrics.k8s.io: does not answer: no endpoints"));
  Fail("/apis/metrics.k8s.io/v1beta1/pods", Code::kForbidden, "no");  // the caller's rights
  EXPECT_EQ(CheckMetricsApis(context).front().level, Severity::kOk);
  Fail("/apis/metrics.k8s.io/v1beta1/pods", Code::kUnavailable, "it is starting");
  EXPECT_EQ(CheckMetricsApis(context).front().level, Severity::kFailure);
}

TEST_F(Check, PoliciesTellOfTheirStore) {
  const std::string path = "/apis/ballast.dev/v1alpha1/autoscalepolicies";
  const auto policy = [](const std::string& conditions) {
    return R"({"metadata":{"namespace":"shop","name":"web"},"spec":{"maxReplicas":3},)"
           R"("status":{"conditions":[)" +
           conditions + "]}}";
  };
  const std::string ready = R"({"type":"Ready","status":"True","reason":"Evaluated"})";
  CheckContext context = Context();
  Answer(path, List(""));
  EXPECT_THAT(Brief(CheckPolicies(context)), ElementsAre("ok policies: there are none"));
  Answer(path, List(policy(ready) + "," + policy("")));
  EXPECT_THAT(
      Brief(CheckPolicies(context)),
      ElementsAre("warning policies: 2 policies, of which 1 not ready", HasSubstr("ok store: ")));
  Answer(path,
         List(policy(ready + R"(,{"type":"HistoryDegraded","status":"True","message":"full"})")));
  EXPECT_THAT(Brief(CheckPolicies(context)),
              Contains("failure store: the history of 1 of 1 policy is not complete: full"));
  Fail(path, Code::kForbidden, "no");
  EXPECT_THAT(Brief(CheckPolicies(context)),
              ElementsAre("warning policies: policies cannot be read: no"));
}

std::string Asking(const std::string& namespace_, const std::string& source,
                   const std::string& condition) {
  return R"({"metadata":{"namespace":")" + namespace_ +
         R"(","name":"web"},"spec":{"maxReplicas":3,"metrics":[{"type":"Prometheus","prometheus":)"
         R"({"source":")" +
         source +
         R"(","query":"up","target":{"type":"Value","value":"1"}}}]},)"
         R"("status":{"conditions":[)" +
         condition + "]}}";
}

TEST_F(Check, SourcesMustBeDefined) {
  const std::string policies = "/apis/ballast.dev/v1alpha1/autoscalepolicies";
  const std::string map = "/api/v1/namespaces/ballast/configmaps/ballast-metric-sources";
  Answer(
      kPods,
      List(
          R"({"metadata":{"namespace":"ballast","name":"ballast-0"},"spec":{"containers":)"
          R"([{"name":"mesh"},{"name":"ballast","args":["operator","--metric-sources=/etc/sources/sources.yaml"],)"
          R"("volumeMounts":[{"name":"s","mountPath":"/etc/sources"}]}],)"
          R"("volumes":[{"name":"s","configMap":{"name":"ballast-metric-sources"}}]},)"
          R"("status":{}})"));
  CheckContext context = Context(FindInstallation(client_, "", "").value());
  const auto sources = [&](const std::string& text) {
    Answer(map, R"({"data":{"sources.yaml":")" + text + R"("}})");
  };
  const std::string two = R"(sources: [{name: main, url: \"http://p\", namespaces: [shop]},)"
                          R"( {name: spare, url: \"http://q\", namespaces: [\"*\"],)"
                          R"( proxyUrl: \"http://proxy:3128\"}])";
  sources(two);
  Answer(policies, List(Asking("shop", "main", "")));
  EXPECT_THAT(
      Brief(CheckSources(context)),
      ElementsAre("ok source main: is asked by 1 policy at http://p",
                  "ok source spare: is asked by no policy at http://q through http://proxy:3128"));
  Answer(policies, List(Asking("bank", "main", "") + "," + Asking("bank", "mian", "")));
  EXPECT_THAT(
      Brief(CheckSources(context)),
      ElementsAre("failure source main: is asked by a policy in bank, which may not use it",
                  "failure source mian: is asked by 1 policy, and --metric-sources has none",
                  "ok source spare: is asked by no policy at http://q through http://proxy:3128"));
  Answer(
      policies,
      List(
          Asking("shop", "main", "") + "," +
          Asking(
              "shop", "main",
              R"({"type":"ScalingActive","status":"False","reason":"FailedGetPrometheusMetric",)"
              R"("message":"failed to get the metric from main: timed out"},)"
              R"({"type":"Held","status":"True","reason":"SourceSuspect","message":"main fell"})")));
  EXPECT_THAT(
      Brief(CheckSources(context)),
      ElementsAre(
          "warning source main: gives 1 of 2 policies no value at http://p: failed to get the "
          "metric from main: timed out",
          "ok source spare: is asked by no policy at http://q through http://proxy:3128",
          "warning sources: 1 of 2 policies are not scaled in: main fell"));
  // An address with a credential is none, and is not shown.
  for (const std::string wrong :
       {"sources: 7",
        R"(sources: [{name: main, url: \"http://me:s3cret@p\", namespaces: [shop]}])"}) {
    sources(wrong);
    EXPECT_THAT(
        Brief(CheckSources(context)),
        Contains(AllOf(HasSubstr("failure sources: the file of --metric-sources is wrong: "),
                       Not(HasSubstr("s3cret")))));
  }
  Fail(map, Code::kForbidden, "no");
  Answer(policies, List(Asking("shop", "main", "")));
  EXPECT_THAT(Brief(CheckSources(context)),
              ElementsAre("warning sources: the file of --metric-sources cannot be read: no",
                          "ok source main: is asked by 1 policy"));

  // Without the flag there are none.
  Answer(kPods, List(Pod("ballast", "ballast-0", R"("operator")")));
  CheckContext without = Context(FindInstallation(client_, "", "").value());
  EXPECT_THAT(
      Brief(CheckSources(without)),
      ElementsAre("failure source main: is asked by 1 policy, and --metric-sources has none"));
  Answer(policies, List(""));
  EXPECT_THAT(CheckSources(without), SizeIs(0));
}

}  // namespace
}  // namespace ballast::cli
