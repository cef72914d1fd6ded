// Pods, scales, metrics and autoscalers are the same after decoding and encoding.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "api/autoscaling/types.h"
#include "api/json/json_writer.h"
#include "api/kubernetes/metrics_apis.h"
#include "api/kubernetes/workload.h"

namespace ballast::api {
namespace {

template <typename T>
std::string Again(const std::string& text) {
  const auto document = json::Parse(text);
  EXPECT_TRUE(document.ok()) << text;
  json::Decoder decoder(*document);
  T value;
  Decode(decoder.root(), value);
  EXPECT_TRUE(decoder.status().ok()) << decoder.status().error().message;
  json::Writer out;
  Encode(out, value);
  return out.Take();
}

TEST(Codec, SaysTheSameAgain) {
  const std::string pod =
      R"({"metadata":{"name":"a","namespace":"b","uid":"u","resourceVersion":"7",)"
      R"("creationTimestamp":"2026-04-08T04:42:29Z","deletionTimestamp":"2026-04-08T04:42:30Z",)"
      R"("labels":{"app":"web"},"annotations":{"k":"v"},"ownerReferences":[{"apiVersion":"apps/v1",)"
      R"("kind":"ReplicaSet","name":"r","uid":"ru","controller":true}]},"spec":{"containers":[)"
      R"({"name":"app","resources":{"requests":{"cpu":"250m","memory":"1Gi"}}}],"initContainers":[)"
      R"({"name":"side","restartPolicy":"Always"}],"resources":{"requests":{"cpu":"1"}},)"
      R"("overhead":{"cpu":"10m"}},"status":{"phase":"Running","startTime":"2026-04-08T04:42:29Z",)"
      R"("conditions":[{"type":"Ready","status":"True","lastTransitionTime":)"
      R"("2026-04-08T04:42:29Z","reason":"R","message":"M"}]}})";
  EXPECT_EQ(Again<Pod>(pod), pod);

  const std::string scale =
      R"({"metadata":{"name":"a","uid":"u","generation":2},"spec":{"replicas":3},)"
      R"("status":{"replicas":2,"selector":"app=web"}})";
  EXPECT_EQ(Again<Scale>(scale), scale);

  const std::string usage =
      R"({"metadata":{"name":"a","namespace":"b","labels":{"app":"web"}},"timestamp":)"
      R"("2026-04-08T04:42:29Z","window":"15s","containers":[{"name":"app","usage":)"
      R"({"cpu":"701m","memory":"512Mi"}}]})";
  EXPECT_EQ(Again<PodMetrics>(usage), usage);

  const std::string custom =
      R"({"describedObject":{"name":"a"},"metric":{"name":"qps"},"timestamp":)"
      R"("2026-04-08T04:42:29Z","windowSeconds":60,"value":"1500m"})";
  EXPECT_EQ(Again<MetricValue>(custom), custom);

  const std::string external =
      R"({"metricName":"queue","metricLabels":{"a":"b"},"timestamp":"2026-04-08T04:42:29Z",)"
      R"("window":30,"value":"7"})";
  EXPECT_EQ(Again<MetricValue>(external), external);

  const std::string policy =
      R"({"apiVersion":"ballast.dev/v1alpha1","kind":"AutoScalePolicy","metadata":{"name":"web"},)"
      R"("spec":{"scaleTargetRef":{"apiVersion":"apps/v1","kind":"Deployment","name":"web"},)"
      R"("minReplicas":1,"maxReplicas":10,"metrics":[{"type":"Resource","resource":{"name":"cpu",)"
      R"("target":{"type":"Utilization","averageUtilization":80}}},{"type":"ContainerResource",)"
      R"("containerResource":{"name":"cpu","target":{"type":"AverageValue","averageValue":"1"},)"
      R"("container":"app"}},{"type":"Pods","pods":{"metric":{"name":"qps"},"target":)"
      R"({"type":"AverageValue","averageValue":"10"}}},{"type":"Object","object":{)"
      R"("describedObject":{"kind":"Service","name":"s"},"target":{"type":"Value","value":"2k"},)"
      R"("metric":{"name":"hits"}}},{"type":"External","external":{"metric":{"name":"queue",)"
      R"("selector":{"matchLabels":{"a":"b"},"matchExpressions":[{"key":"c","operator":"In",)"
      R"("values":["d"]}]}},"target":{"type":"Value","value":"100"}},"maxSampleAgeSeconds":60},)"
      R"({"type":"Prometheus","prometheus":{"source":"main","query":"up{n=\"$namespace\"}",)"
      R"("target":{"type":"AverageValue","averageValue":"3"}}}],)"
      R"("behavior":{"scaleUp":)"
      R"({"stabilizationWindowSeconds":0,"selectPolicy":"Max","policies":[{"type":"Pods",)"
      R"("value":4,"periodSeconds":15}],"tolerance":"100m"},"scaleDown":{"policies":[]}},)"
      R"("mode":"DryRun","syncPeriodSeconds":5,"readiness":{"cpuInitializationPeriodSeconds":1,)"
      R"("initialReadinessDelaySeconds":2},"podSelection":"Owned","fallback":)"
      R"({"afterSeconds":60,"replicas":3,"behavior":"Static","allowScaleIn":true},)"
      R"("schedules":[{"name":"day","timeZone":"UTC","days":["Mon-Fri"],"from":"08:00",)"
      R"("to":"18:00","minReplicas":3,"rampMinutes":20,"except":["2026-12-25"]},)"
      R"({"name":"night","timeZone":"Europe/Berlin","cron":"0 22 * * *","duration":"8h","maxReplicas":0,"hold":"ScaleUp","only":["2026-12-24"]}]},)"
      R"("status":{"observedGeneration":4,"lastScaleTime":)"
      R"("2026-04-08T04:42:29Z","currentReplicas":3,"desiredReplicas":4,"currentMetrics":[)"
      R"({"type":""},{"type":"ContainerResource","containerResource":{"name":"cpu","container":)"
      R"("app","current":{"averageValue":"5m","averageUtilization":7}}},{"type":"Prometheus",)"
      R"("prometheus":{"source":"main","current":{"averageValue":"2"}}}],"conditions":[{"type":)"
      R"("AbleToScale","status":"True"}]}})";
  EXPECT_EQ(Again<Autoscaler>(policy), policy);
}

// Who wrote what last, according to managedFields.
TEST(Codec, AutoscalersArePrintedWithKindAndNamespace) {
  Autoscaler autoscaler{.kind = kHpaKind, .metadata = {.name = "web", .namespace_ = "shop"}};
  EXPECT_EQ(autoscaler.Print(), "hpa/shop/web");
  autoscaler.kind = kPolicyKind;
  EXPECT_EQ(autoscaler.Print(), "asp/shop/web");
}

TEST(Codec, TellsTheLastWriters) {
  const auto entry = [](const char* manager, const char* time, const char* fields,
                        const char* more = "") {
    return std::string(R"({"manager":")") + manager + R"(","time":"2026-03-04T)" + time +
           R"(Z","fieldsV1":{)" + fields + "}" + more + "}";
  };
  const std::string spec = entry("helm", "12:00:00", R"("f:spec":{"f:maxReplicas":{}})");
  const std::string labels = entry("labeller", "12:00:09", R"("f:metadata":{"f:labels":{}})");
  const std::string pause = entry("kubectl", "12:00:05", R"("f:metadata":{"f:annotations":{}})");
  const std::string status =
      entry("ballast", "12:00:08", R"("f:metadata":{"f:annotations":{}},"f:status":{})",
            R"(,"subresource":"status")");
  const struct {
    std::string entries;
    std::string editor;
    std::string status_writer;
  } kCases[] = {
      {"", "", ""},
      {labels + "," + status, "", "ballast"},
      {spec + "," + labels, "helm", ""},
      {pause + "," + status + "," + spec, "kubectl", "ballast"},
  };
  const auto name = [](const std::optional<FieldManager>& manager) {
    return manager ? manager->manager : "";
  };
  for (const auto& c : kCases) {
    const auto document = json::Parse(R"({"metadata":{"managedFields":[)" + c.entries + "]}}");
    ASSERT_TRUE(document.ok()) << c.entries;
    json::Decoder decoder(*document);
    Autoscaler autoscaler;
    Decode(decoder.root(), autoscaler);
    EXPECT_EQ(name(autoscaler.editor), c.editor) << c.entries;
    EXPECT_EQ(name(autoscaler.status_writer), c.status_writer) << c.entries;
  }
}

TEST(Codec, ProblemsNameTheirPlace) {
  const struct {
    const char* text;
    const char* problem;
  } kCases[] = {
      {R"({"spec":{"metrics":[{"resource":{"target":{"averageUtilization":"x"}}}]}})",
       "spec.metrics[0].resource.target.averageUtilization: expected an integer, got a string"},
      {R"({"spec":{"behavior":{"scaleUp":{"policies":{}}}}})",
       "spec.behavior.scaleUp.policies: expected an array, got an object"},
      {R"({"spec":{"scaleTargetRef":"web"}})",
       "spec.scaleTargetRef: expected an object, got a string"},
      {R"({"status":{"lastScaleTime":"today"}})",
       "status.lastScaleTime: not an RFC 3339 time: \"today\""},
      {R"({"metadata":{"labels":{"a":1}}})", "metadata.labels.a: expected a string, got a number"},
  };
  for (const auto& c : kCases) {
    const auto document = json::Parse(c.text);
    ASSERT_TRUE(document.ok());
    json::Decoder decoder(*document);
    Autoscaler autoscaler;
    Decode(decoder.root(), autoscaler);
    ASSERT_FALSE(decoder.status().ok()) << c.text;
    EXPECT_EQ(decoder.status().error().message, c.problem);
  }
}

}  // namespace
}  // namespace ballast::api
