#include "api/autoscaling/object_check.h"
#include "api/json/json_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "api/json/yaml.h"

namespace ballast::api {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

json::Document FromYaml(const std::string& yaml) {
  auto documents = YamlToJson(yaml);
  EXPECT_TRUE(documents.ok()) << yaml;
  auto document = json::Parse(documents.ok() ? documents->front() : "null");
  EXPECT_TRUE(document.ok()) << yaml;
  return std::move(document).value();
}

ObjectCheck ExamineYaml(const std::string& yaml) {
  const json::Document document = FromYaml(yaml);
  json::Decoder decoder(document);
  return CheckObject(decoder.root());
}

// Checks a policy with `more` lines in its spec.
ObjectCheck ExaminePolicy(const std::string& more) {
  return ExamineYaml(R"(
apiVersion: ballast.dev/v1alpha1
kind: AutoScalePolicy
metadata: {name: web, namespace: prod}
spec:
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}
  maxReplicas: 10
  )" + more);
}

std::vector<std::string> FieldsOf(const ObjectCheck& examination) {
  std::vector<std::string> fields;
  for (const FieldError& error : examination.errors) {
    fields.push_back(error.field);
    EXPECT_FALSE(error.message.empty());
  }
  return fields;
}

TEST(CheckObject, PolicyFields) {
  const struct {
    const char* more;
    const char* field;  // the invalid field; empty: none
  } kCases[] = {
      {"", ""},
      {"mode: DryRun", ""},
      {"mode: dryrun", "spec.mode"},
      {"mode: ''", "spec.mode"},
      {"mode: null", ""},
      {"syncPeriodSeconds: 1", ""},
      {"syncPeriodSeconds: 0", "spec.syncPeriodSeconds"},
      {"syncPeriodSeconds: 3601", "spec.syncPeriodSeconds"},
      {"syncPeriodSeconds: 15s", "spec.syncPeriodSeconds"},
      {"metrics: [{type: Resource, resource: {name: cpu, target: {type: Utilization, "
       "averageUtilization: 50}}, maxSampleAgeSeconds: 86400}]",
       ""},
      {"metrics: [{type: Resource, resource: {name: cpu, target: {type: Utilization, "
       "averageUtilization: 50}}, maxSampleAgeSeconds: 0}]",
       "spec.metrics[0].maxSampleAgeSeconds"},
      {"readiness: {cpuInitializationPeriodSeconds: 0}", ""},
      {"readiness: {cpuInitializationPeriodSeconds: -1}",
       "spec.readiness.cpuInitializationPeriodSeconds"},
      {"readiness: {initialReadinessDelaySeconds: 86401}",
       "spec.readiness.initialReadinessDelaySeconds"},
      {"podSelection: Owned", ""},
      {"podSelection: Selector", ""},
      {"podSelection: null", ""},
      {"podSelection: owned", "spec.podSelection"},
      {"podSelection: ''", "spec.podSelection"},
      {"podSelection: [Owned]", "spec.podSelection"},
      {"minReplicas: 11", "spec.maxReplicas"},
      {"minReplicas: 0", "spec.metrics"},
      {"behavior: {scaleUp: {tolerance: 0.1}}", "spec.behavior.scaleUp.tolerance"},
      {"behavior: {scaleUp: {tolerance: '0.1'}}", ""},
      {"behavior: {scaleup: {}}", "spec.behavior.scaleup"},
      {"fallback: {}", "spec.fallback.replicas"},
      {"fallback: {replicas: 3}", ""},
      {"fallback: {behavior: CurrentReplicas}", ""},
      {"fallback: {replicas: 3, afterSeconds: 60, behavior: CurrentReplicasIfHigher}", ""},
      {"fallback: {replicas: 3, behavior: CurrentReplicasIfLower, allowScaleIn: true}", ""},
      {"fallback: {replicas: 0}", "spec.fallback.replicas"},
      {"fallback: {replicas: 11}", "spec.fallback.replicas"},
      {"minReplicas: 4\n  fallback: {replicas: 3}", "spec.fallback.replicas"},
      // Of bounds that leave nothing between them there is one error.
      {"minReplicas: 20\n  fallback: {replicas: 3}", "spec.maxReplicas"},
      {"minReplicas: 20\n  schedules: [{name: day, timeZone: UTC, from: '08:00', to: '18:00', "
       "minReplicas: 2}]",
       "spec.maxReplicas"},
      {"fallback: {replicas: 3, afterSeconds: 0}", "spec.fallback.afterSeconds"},
      {"fallback: {replicas: 3, afterSeconds: 86401}", "spec.fallback.afterSeconds"},
      {"fallback: {replicas: 3, behavior: static}", "spec.fallback.behavior"},
      {"fallback: {replicas: 3, allowScaleIn: 1}", "spec.fallback.allowScaleIn"},
      {"fallback: {replicas: 3, failureThreshold: 1}", "spec.fallback.failureThreshold"},
      {"schedules: []", ""},
      {"schedules: [{name: day, timeZone: UTC, from: '08:00', to: '18:00', minReplicas: 2}]", ""},
      {"schedules: [{name: day, timeZone: UTC, from: 08:00, to: 18:00, minReplicas: 2}]", ""},
      {"schedules: [{name: day, timeZone: UTC, from: '08:00', to: '18:00', minReplicas: 11}]",
       "spec.schedules[0].minReplicas"},
      {"schedules: [{name: day, timezone: UTC, from: '08:00', to: '18:00', minReplicas: 2}]",
       "spec.schedules[0].timezone"},
      {"schedules: [{name: day, timeZone: UTC, days: Mon-Fri, from: '08:00', to: '18:00', hold: "
       "All}]",
       "spec.schedules[0].days"},
      {"mode: Active\n  mode: Active", "spec.mode"},
  };
  for (const auto& c : kCases) {
    const ObjectCheck examination = ExaminePolicy(c.more);
    if (*c.field == '\0') {
      EXPECT_THAT(FieldsOf(examination), IsEmpty()) << c.more;
    } else {
      EXPECT_THAT(FieldsOf(examination), ElementsAre(c.field)) << c.more;
    }
  }
}

TEST(CheckObject, MetricsOfTypePrometheus) {
  const struct {
    std::string prometheus;
    std::vector<std::string> fields;  // the invalid ones
  } kCases[] = {
      {R"({source: main, query: 'sum(up{n="$namespace"})', target: {type: Value, value: 1}})", {}},
      {"{source: main, query: up, target: {type: AverageValue, averageValue: 1}}", {}},
      {"{query: up, target: {type: Value, value: 1}}", {".source"}},
      {"{source: '', query: up, target: {type: Value, value: 1}}", {".source"}},
      {"{source: main, target: {type: Value, value: 1}}", {".query"}},
      {"{source: main, query: '', target: {type: Value, value: 1}}", {".query"}},
      {"{source: main, query: 'up{n=$namespace}', target: {type: Value, value: 1}}", {".query"}},
      {"{source: main, query: 'up{n=\"$pod\"}', target: {type: Value, value: 1}}", {".query"}},
      {"{source: main, query: " + std::string(2049, 'x') + ", target: {type: Value, value: 1}}",
       {".query"}},
      {"{source: main, query: up}", {".target.type", ".target.averageValue"}},
      {"{source: main, query: up, target: {type: Value}}", {".target.averageValue"}},
      {"{source: main, query: up, target: {type: Value, value: 1, averageValue: 1}}",
       {".target.value"}},
      {"{source: main, query: up, target: {type: Value, value: 0}}", {".target.value"}},
      {"{source: main, query: up, url: 'http://x', target: {type: Value, value: 1}}", {".url"}},
  };
  for (const auto& c : kCases) {
    std::vector<std::string> fields;
    for (const std::string& field : c.fields) {
      fields.push_back("spec.metrics[0].prometheus" + field);
    }
    EXPECT_EQ(FieldsOf(ExaminePolicy("minReplicas: 0\n  metrics: [{type: Prometheus, prometheus: " +
                                     c.prometheus + "}]")),
              fields)
        << c.prometheus;
  }
  EXPECT_THAT(FieldsOf(ExaminePolicy("metrics: [{type: Prometheus}]")),
              ElementsAre("spec.metrics[0].prometheus"));
  EXPECT_THAT(FieldsOf(ExamineYaml(R"(
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: web, namespace: prod}
spec:
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}
  maxReplicas: 10
  metrics: [{type: Prometheus}]
)")),
              ElementsAre("spec.metrics[0].type"));
}

TEST(CheckObject, SizesThatTheApiServerWouldRefuse) {
  std::string policies = "behavior: {scaleUp: {policies: [";
  for (int i = 0; i < 51; ++i) {
    policies += "{type: Pods, value: 1, periodSeconds: 1}, ";
  }
  EXPECT_THAT(FieldsOf(ExaminePolicy(policies + "]}}")),
              ElementsAre("spec.behavior.scaleUp.policies"));
  EXPECT_THAT(
      FieldsOf(ExaminePolicy("behavior: {scaleUp: {tolerance: '" + std::string(65, '1') + "'}}")),
      ElementsAre("spec.behavior.scaleUp.tolerance"));
}

// The definition has choices, patterns and least sizes; empty, a text would count as absent here.
TEST(CheckObject, EmptyTextsThatTheApiServerWouldRefuse) {
  const std::string schedule = "schedules: [{name: day, timeZone: UTC, minReplicas: 3, ";
  const std::string times = "from: \"08:00\", to: \"18:00\"";
  const struct {
    std::string more;
    std::vector<std::string> fields;
  } kCases[] = {
      {schedule + times + "}]", {}},
      {schedule + times + ", hold: \"\"}]", {"spec.schedules[0].hold"}},
      {schedule + times + ", cron: \"\", duration: \"\"}]",
       {"spec.schedules[0].cron", "spec.schedules[0].duration"}},
      {schedule + "cron: \"0 8 * * *\", duration: 10h, from: \"\", to: \"\"}]",
       {"spec.schedules[0].from", "spec.schedules[0].to"}},
      {schedule + times + ", days: [\"\"], except: [\"\"]}]",
       {"spec.schedules[0].days[0]", "spec.schedules[0].except[0]"}},
      {"schedules: [{name: \"\", timeZone: \"\", minReplicas: 3, " + times + "}]",
       {"spec.schedules[0].name", "spec.schedules[0].timeZone"}},
      {"mode: \"\"", {"spec.mode"}},
      {"podSelection: \"\"", {"spec.podSelection"}},
  };
  for (const auto& c : kCases) {
    EXPECT_EQ(FieldsOf(ExaminePolicy(c.more)), c.fields) << c.more;
  }
}

TEST(CheckObject, PolicyDefaults) {
  const ObjectCheck examination = ExaminePolicy("metrics: []\n  behavior: {}");
  ASSERT_TRUE(examination.valid());
  const AutoscalerSpec& spec = examination.autoscaler.spec;
  EXPECT_EQ(spec.mode, "Active");
  EXPECT_EQ(spec.pod_selection, "Selector");
  EXPECT_EQ(spec.min_replicas, 1);
  // Absent means the installation's settings.
  EXPECT_FALSE(spec.sync_period_seconds.has_value());
  EXPECT_FALSE(spec.readiness.has_value());
  ASSERT_EQ(spec.metrics.size(), 1U);
  EXPECT_EQ(spec.metrics[0].resource->target.average_utilization, 80);
  ASSERT_TRUE(spec.behavior && spec.behavior->scale_up && spec.behavior->scale_down);
  EXPECT_EQ(spec.behavior->scale_up->policies->size(), 2U);
  EXPECT_EQ(spec.behavior->scale_up->stabilization_window_seconds, 0);
  EXPECT_FALSE(spec.behavior->scale_down->stabilization_window_seconds.has_value());
}

TEST(CheckObject, CompletingTwiceChangesNothing) {
  for (const char* more : {"", "metrics: []", "behavior: {scaleDown: null}", "mode: null",
                           "behavior: {scaleUp: {policies: null, tolerance: '0.2'}}"}) {
    const ObjectCheck once = ExaminePolicy(more);
    ASSERT_TRUE(once.valid()) << more;
    EXPECT_EQ(ExamineYaml(once.completed).completed, once.completed) << more;
  }
}

TEST(CheckObject, MaintenanceIsAcceptedWithAWarning) {
  const struct {
    const char* more;
    const char* says;
  } kCases[] = {
      {"mode: Disabled", "spec.mode is Disabled"},
      {"mode: DryRun", "spec.mode is DryRun"},
      {"behavior: {scaleUp: {selectPolicy: Disabled}}", "never scaled up"},
      {"behavior: {scaleDown: {selectPolicy: Disabled}}", "never scaled down"},
      {"minReplicas: 10", "fixed"},
      {"fallback: {replicas: 3, afterSeconds: 119}\n  metrics: [{type: Resource, resource: {name: "
       "cpu, target: {type: Utilization, averageUtilization: 50}}}]",
       "a new workload gets the fallback"},
  };
  for (const auto& c : kCases) {
    const ObjectCheck examination = ExaminePolicy(c.more);
    EXPECT_TRUE(examination.valid()) << c.more;
    ASSERT_THAT(examination.warnings, ElementsAre(HasSubstr(c.says))) << c.more;
    EXPECT_LE(examination.warnings[0].size(), 120U);
  }
}

TEST(CheckObject, SaysThatNoServerHasTheTargetsGroup) {
  const struct {
    const char* target;
    const char* says;  // "" if there is no warning
  } kCases[] = {
      {"apiVersion: apps/v1, kind: Deployment", ""},
      {"apiVersion: apps/v1beta1, kind: Deployment", ""},  // the version does not count
      {"apiVersion: extensions/v1beta1, kind: Deployment", "use apps/v1"},
      {"apiVersion: apps/v1, kind: ReplicationController", "use v1"},
      {"apiVersion: v1, kind: ReplicationController", ""},
      {"apiVersion: example.com/v1, kind: Deployment", ""},
      {"apiVersion: apps.openshift.io/v1, kind: DeploymentConfig", ""},
  };
  for (const auto& c : kCases) {
    const ObjectCheck examination = ExamineYaml(
        "{apiVersion: ballast.dev/v1alpha1, kind: AutoScalePolicy, metadata: {name: web}, spec: "
        "{maxReplicas: 3, scaleTargetRef: {name: web, " +
        std::string(c.target) + "}}}");
    EXPECT_TRUE(examination.valid()) << c.target;
    if (*c.says == '\0') {
      EXPECT_THAT(examination.warnings, IsEmpty()) << c.target;
    } else {
      EXPECT_THAT(examination.warnings, ElementsAre(HasSubstr(c.says))) << c.target;
    }
  }
}

// A policy takes at least one; Kubernetes' controller, which has the HPA, a percentage of nothing.
TEST(CheckObject, SaysThatAnHpaNeverLeavesZero) {
  const std::string kPercent = "{type: Percent, value: 100, periodSeconds: 60}";
  const std::string kPods = "{type: Pods, value: 4, periodSeconds: 60}";
  const struct {
    std::string kind, rules;
    bool warned;
  } kCases[] = {
      {"autoscaling/v2, kind: HorizontalPodAutoscaler", "policies: [" + kPercent + "]", true},
      {"autoscaling/v2, kind: HorizontalPodAutoscaler",
       "selectPolicy: Min, policies: [" + kPods + "," + kPercent + "]", true},
      {"autoscaling/v2, kind: HorizontalPodAutoscaler",
       "policies: [" + kPods + "," + kPercent + "]", false},
      {"autoscaling/v2, kind: HorizontalPodAutoscaler", "stabilizationWindowSeconds: 5", false},
      {"ballast.dev/v1alpha1, kind: AutoScalePolicy", "policies: [" + kPercent + "]", false},
  };
  for (const auto& c : kCases) {
    const ObjectCheck examination = ExamineYaml(
        "{apiVersion: " + c.kind +
        ", metadata: {name: web}, spec: {minReplicas: 0, maxReplicas: 3, "
        "scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}, behavior: {scaleUp: "
        "{" +
        c.rules +
        "}}, metrics: [{type: External, external: {metric: {name: queue}, target: {type: "
        "AverageValue, averageValue: 10}}}]}}");
    const bool warned = std::ranges::any_of(examination.warnings, [](const std::string& warning) {
      return warning.find("stays at zero") != std::string::npos;
    });
    EXPECT_EQ(warned, c.warned) << c.kind << " " << c.rules;
  }
}

// As in API servers, only built-in kinds must have finalizers with a slash.
TEST(CheckObject, FinalizersOfPolicies) {
  const struct {
    const char* kind;
    const char* finalizer;
    bool valid;
  } kCases[] = {
      {"ballast.dev/v1alpha1, kind: AutoScalePolicy", "my-finalizer", true},
      {"ballast.dev/v1alpha1, kind: AutoScalePolicy", "example.com/mine", true},
      {"ballast.dev/v1alpha1, kind: AutoScalePolicy", "not a name", false},
      {"autoscaling/v2, kind: HorizontalPodAutoscaler", "my-finalizer", false},
      {"autoscaling/v2, kind: HorizontalPodAutoscaler", "example.com/mine", true},
  };
  for (const auto& c : kCases) {
    const ObjectCheck examination = ExamineYaml(
        "{apiVersion: " + std::string(c.kind) + ", metadata: {name: web, finalizers: [" +
        c.finalizer +
        "]}, spec: {maxReplicas: 3, scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: "
        "web}}}");
    EXPECT_EQ(examination.valid(), c.valid) << c.kind << " " << c.finalizer;
  }
}

// Refused on a policy, and on Kubernetes' own kind only warned of.
TEST(CheckObject, APauseThatIsNotUnderstood) {
  const struct {
    const char* annotations;
    const char* says;  // empty: nothing
  } kCases[] = {
      {"ballast.dev/paused-until: '2026-11-23T06:00:00Z', ballast.dev/paused-direction: In", ""},
      {"ballast.dev/paused-until: tomorrow",
       "metadata.annotations[ballast.dev/paused-until]: must be a time like 2026-11-23T06:00:00Z"},
      {"ballast.dev/paused-direction: Inwards",
       "metadata.annotations[ballast.dev/paused-direction]: must be In, Out or Both"},
  };
  for (const auto& c : kCases) {
    for (const bool policy : {true, false}) {
      const ObjectCheck examination = ExamineYaml(
          std::string(policy ? "{apiVersion: ballast.dev/v1alpha1, kind: AutoScalePolicy"
                             : "{apiVersion: autoscaling/v2, kind: "
                               "HorizontalPodAutoscaler") +
          ", metadata: {name: web, annotations: {" + c.annotations +
          "}}, spec: {maxReplicas: 3, scaleTargetRef: {apiVersion: apps/v1, kind: "
          "Deployment, name: web}}}");
      std::vector<std::string> errors;
      for (const FieldError& error : examination.errors) {
        errors.push_back(Print(error));
      }
      const std::vector<std::string> found =
          *c.says == '\0' ? std::vector<std::string>() : std::vector<std::string>{c.says};
      EXPECT_EQ(errors, policy ? found : std::vector<std::string>()) << c.annotations;
      EXPECT_EQ(examination.warnings, policy ? std::vector<std::string>() : found) << c.annotations;
      EXPECT_LE(std::string(c.says).size(), 120U);
    }
  }
}

TEST(CheckObject, AModeThatIsNoneCountsAsObserve) {
  const auto examine = [](const std::string& mode) {
    return ExamineYaml(
               "{apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, metadata: {name: web, "
               "annotations: {ballast.dev/hpa-mode: " +
               mode +
               "}}, spec: {maxReplicas: 3, scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, "
               "name: web}}}")
        .warnings;
  };
  EXPECT_THAT(examine("shadow"), ::testing::IsEmpty());
  EXPECT_THAT(examine("shadw"),
              ElementsAre("annotation ballast.dev/hpa-mode is none of observe, shadow, manage, "
                          "ignore, and counts as observe"));
}

// A server may be newer than this program; whoever writes an object by hand has no uid.
TEST(CheckObject, TakesWhatNewerServersWrite) {
  const std::string unknown =
      " is not known here; remove it, or check its spelling and where it stands";
  const struct {
    std::string metadata;
    std::string status;
    std::vector<std::string> errors;
  } kCases[] = {
      {"name: web", "phase: Fine, conditions: [{type: A, status: 'True', since: 3}]", {}},
      {"name: web, managedFields: [{operation: Update, version: 2, more: {a: [b]}}]", "", {}},
      {"name: web, uid: u, shard: {a: 1}, ownerReferences: [{apiVersion: v1, kind: A, name: a, "
       "uid: v, since: now}]",
       "",
       {}},
      {"name: web, shard: 1, ownerReferences: [{since: now}]",
       "",
       {"metadata.shard:" + unknown, "metadata.ownerReferences[0].since:" + unknown}},
      {"name: web, uid: u, anotations: {a: b}",
       "",
       {"metadata.anotations: is not known here; did you mean annotations?"}},
      {"name: web, uid: '', shard: 1", "", {"metadata.shard:" + unknown}},
      {"name: web, uid: u, labels: {a: [b]}, managedFields: [5]",
       "",
       {"metadata.labels.a: must be text; put it in quotes",
        "metadata.managedFields[0]: must be an object with named fields"}},
  };
  for (const auto& c : kCases) {
    for (const char* kind : {"apiVersion: ballast.dev/v1alpha1, kind: AutoScalePolicy",
                             "apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler",
                             "apiVersion: autoscaling/v1, kind: HorizontalPodAutoscaler"}) {
      const ObjectCheck checked = ExamineYaml(
          std::string("{") + kind + ", metadata: {" + c.metadata + "}, status: {" + c.status +
          "}, spec: {maxReplicas: 3, scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, "
          "name: web}}}");
      std::vector<std::string> errors;
      for (const FieldError& error : checked.errors) {
        errors.push_back(Print(error));
      }
      EXPECT_EQ(errors, c.errors) << kind << ", " << c.metadata << ", " << c.status;
    }
  }
}

TEST(CheckObject, NamesWhatWasProbablyMeant) {
  const std::string resource = "target: {type: Utilization, averageUtilization: 60}";
  const std::string unknown = " is not known here; did you mean ";
  const struct {
    std::string more;
    std::string error;
  } kCases[] = {
      {"metrcs: []", "spec.metrcs:" + unknown + "metrics?"},
      {"minreplicas: 1", "spec.minreplicas:" + unknown + "minReplicas?"},
      {"behaviour: {}", "spec.behaviour:" + unknown + "behavior?"},
      {"behavior: {scaledown: {}}", "spec.behavior.scaledown:" + unknown + "scaleDown?"},
      {"color: blue",
       "spec.color: is not known here; remove it, or check its spelling and where it stands"},
      {"mode: disabled",
       "spec.mode: must be Active, DryRun or Disabled, is \"disabled\"; did you mean Disabled?"},
      {"mode: Off", "spec.mode: must be text, is read as false; put it in quotes"},
      {"mode: 'Off'", "spec.mode: must be Active, DryRun or Disabled, is \"Off\""},
      {"mode: {}", "spec.mode: must be text; put it in quotes"},
      {"behavior: {scaleUp: {tolerance: 0.1}}",
       "spec.behavior.scaleUp.tolerance: must be put in quotes, it is no whole number of at most "
       "64 "
       "bits"},
      {"behavior: {scaleUp: {tolerance: ' 0.1'}}",
       "spec.behavior.scaleUp.tolerance: must have no spaces"},
      {"podSelection: owned",
       "spec.podSelection: must be Selector or Owned, is \"owned\"; did you mean Owned?"},
      {"metrics: [{type: resource, resource: {name: cpu, " + resource + "}}]",
       "spec.metrics[0].type: must be Resource, ContainerResource, Pods, Object, External or "
       "Prometheus, is \"resource\"; did you mean Resource?"},
      {"behavior: {scaleUp: {selectPolicy: max, policies: [{type: pod, value: 1, periodSeconds: "
       "1}]}}",
       "spec.behavior.scaleUp.selectPolicy: must be Max, Min or Disabled, is \"max\"; did you mean "
       "Max?"},
  };
  for (const auto& c : kCases) {
    const ObjectCheck examination = ExaminePolicy(c.more);
    ASSERT_FALSE(examination.valid()) << c.more;
    EXPECT_EQ(Print(examination.errors.front()), c.error);
    EXPECT_THAT(examination.warnings, IsEmpty()) << c.more;
  }
}

TEST(CheckObject, NamesTheKinds) {
  const std::pair<std::string, std::string> cases[] = {
      {"{apiVersion: ballast.dev/v1alpha1, kind: AutoScaleOverides}",
       "apiVersion is \"ballast.dev/v1alpha1\", kind is \"AutoScaleOverides\"; did you mean "
       "AutoScaleOverride?"},
      {"{apiVersion: ballast.dev/v1alpha1, kind: AutoscalePolicy}",
       "apiVersion is \"ballast.dev/v1alpha1\", kind is \"AutoscalePolicy\"; did you mean "
       "AutoScalePolicy?"},
      {"{apiVersion: ballast.dev/v2, kind: AutoScalePolicy}",
       "apiVersion is \"ballast.dev/v2\", kind is \"AutoScalePolicy\""},
      {"{apiVersion: apps/v1, kind: Deployment}",
       "apiVersion is \"apps/v1\", kind is \"Deployment\""},
      {"{}", "apiVersion is \"\", kind is \"\""},
  };
  for (const auto& [yaml, end] : cases) {
    const ObjectCheck examination = ExamineYaml(yaml);
    ASSERT_EQ(examination.errors.size(), 1U) << yaml;
    EXPECT_EQ(Print(examination.errors.front()),
              "is none of AutoScalePolicy and AutoScaleOverride (ballast.dev/v1alpha1) and "
              "HorizontalPodAutoscaler (autoscaling/v2); " +
                  end);
  }
  EXPECT_FALSE(ExamineYaml("[1]").valid());
}

// What is wrong with the values of an object that also has the wrong shape.
TEST(CheckObject, NamesAllErrorsAtOnce) {
  const struct {
    const char* about;
    const char* more;
    std::vector<std::string> fields;
    std::vector<std::string> further;
  } kCases[] = {
      {"an unknown field",
       "metrcs: []\n  minReplicas: 20\n  mode: disabled",
       {"spec.metrcs"},
       {"spec.maxReplicas", "spec.mode"}},
      {"not what follows from the spelling",
       "fallbak: {replicas: 3}\n  mode: 'Off'\n  podselection: Owned",
       {"spec.fallbak", "spec.podselection"},
       {"spec.mode"}},
      {"nor from a value of another type",
       "metrics: [{type: Resource, resource: {name: cpu, target: {type: Utilization, "
       "averageUtilization: many}}}]\n  syncPeriodSeconds: 0",
       {"spec.metrics[0].resource.target.averageUtilization"},
       {"spec.syncPeriodSeconds"}},
      {"an element of a list",
       "metrics: [cpu, {type: Pods}]",
       {"spec.metrics[0]"},
       {"spec.metrics[1].pods"}},
      {"nothing else", "color: blue", {"spec.color"}, {}},
  };
  for (const auto& c : kCases) {
    ObjectCheck examination = ExaminePolicy(c.more);
    EXPECT_EQ(FieldsOf(examination), c.fields) << c.about;
    examination.errors = examination.further;
    EXPECT_EQ(FieldsOf(examination), c.further) << c.about;
    EXPECT_EQ(examination.completed, "") << c.about;
  }
}

TEST(CheckObject, NamesAllErrorsOfOlderVersions) {
  ObjectCheck examination = ExamineYaml(R"(
apiVersion: autoscaling/v1
kind: HorizontalPodAutoscaler
metadata: {name: web}
spec: {maxReplicas: 0, minReplica: 1, scaletargetref: {}}
)");
  EXPECT_THAT(FieldsOf(examination), ElementsAre("spec.minReplica", "spec.scaletargetref"));
  examination.errors = examination.further;
  EXPECT_THAT(FieldsOf(examination), ElementsAre("spec.maxReplicas", "spec.maxReplicas"));
}

TEST(CheckObject, OlderVersionsAreConverted) {
  const struct {
    const char* yaml;
    const char* metrics;  // as in autoscaling/v2
  } kCases[] = {
      {"apiVersion: autoscaling/v1\nspec: {maxReplicas: 3, targetCPUUtilizationPercentage: 50, "
       "scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}}",
       R"([{"type":"Resource","resource":{"name":"cpu",)"
       R"("target":{"type":"Utilization","averageUtilization":50}}}])"},
      {"apiVersion: autoscaling/v1\nspec: {maxReplicas: 3, "
       "scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}}",
       R"([{"type":"Resource","resource":{"name":"cpu",)"
       R"("target":{"type":"Utilization","averageUtilization":80}}}])"},
      {"apiVersion: autoscaling/v2beta1\nspec: {maxReplicas: 3, scaleTargetRef: {apiVersion: "
       "apps/v1, kind: Deployment, name: web}, metrics: [{type: Resource, resource: {name: "
       "memory, targetAverageValue: 1Gi}}, {type: Pods, pods: {metricName: qps, "
       "targetAverageValue: 5}}, {type: Object, object: {metricName: hits, target: {apiVersion: "
       "v1, kind: Service, name: a}, targetValue: '0', averageValue: '2'}}, {type: External, "
       "external: {metricName: queue, metricSelector: {matchLabels: {a: b}}, targetValue: 7}}]}",
       R"([{"type":"Resource","resource":{"name":"memory",)"
       R"("target":{"type":"AverageValue","averageValue":"1Gi"}}},)"
       R"({"type":"Pods","pods":{"metric":{"name":"qps"},)"
       R"("target":{"type":"AverageValue","averageValue":"5"}}},)"
       R"({"type":"Object","object":{"describedObject":{"apiVersion":"v1","kind":"Service",)"
       R"("name":"a"},"target":{"type":"AverageValue","averageValue":"2"},)"
       R"("metric":{"name":"hits"}}},)"
       R"({"type":"External","external":{"metric":{"name":"queue","selector":)"
       R"({"matchLabels":{"a":"b"}}},"target":{"type":"Value","value":"7"}}}])"},
  };
  for (const auto& c : kCases) {
    const ObjectCheck examination =
        ExamineYaml(std::string("kind: HorizontalPodAutoscaler\nmetadata: {name: web}\n") + c.yaml);
    ASSERT_THAT(FieldsOf(examination), IsEmpty()) << c.yaml;
    json::Writer out;
    Encode(out, examination.autoscaler.spec);
    EXPECT_THAT(out.Take(), HasSubstr(std::string("\"metrics\":") + c.metrics)) << c.yaml;
  }
}

TEST(CheckObject, AnnotationsOfVersion1) {
  const ObjectCheck examination = ExamineYaml(R"(
apiVersion: autoscaling/v1
kind: HorizontalPodAutoscaler
metadata:
  name: web
  annotations:
    keep: me
    autoscaling.alpha.kubernetes.io/metrics: '[{"type":"Pods","pods":{"metricName":"qps","targetAverageValue":"10"}}]'
    autoscaling.alpha.kubernetes.io/behavior: '{"ScaleUp":{"SelectPolicy":"Min"}}'
    autoscaling.alpha.kubernetes.io/conditions: 'no JSON'
spec:
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}
  maxReplicas: 3
  targetCPUUtilizationPercentage: 50
)");
  ASSERT_TRUE(examination.valid());
  const AutoscalerSpec& spec = examination.autoscaler.spec;
  ASSERT_EQ(spec.metrics.size(), 2U);
  EXPECT_EQ(spec.metrics[0].type, "Pods");
  EXPECT_EQ(spec.metrics[1].type, "Resource");
  EXPECT_EQ(spec.behavior->scale_up->select_policy, "Min");
  EXPECT_EQ(examination.autoscaler.metadata.annotations.size(), 1U);
}

TEST(CheckObject, BetasComeWithAWarning) {
  const ObjectCheck examination = ExamineYaml(
      "{apiVersion: autoscaling/v2beta2, kind: HorizontalPodAutoscaler, metadata: {name: web}, "
      "spec: {maxReplicas: 3, scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: "
      "web}}}");
  EXPECT_TRUE(examination.valid());
  EXPECT_THAT(examination.warnings, ElementsAre(HasSubstr("no longer served")));
}

}  // namespace
}  // namespace ballast::api
