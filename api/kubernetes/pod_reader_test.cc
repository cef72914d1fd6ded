#include "api/kubernetes/pod_reader.h"
#include "api/json/json_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace ballast::api {
namespace {

using testing::HasSubstr;

constexpr const char* kPod = R"({
 "kind": "Pod", "apiVersion": "v1",
 "metadata": {"name": "web-0", "namespace": "shop", "uid": "u0", "resourceVersion": "12",
  "labels": {"app": "web", "é\n": "\u00e9"}, "finalizers": ["x"],
  "managedFields": [{"fieldsV1": {"f:metadata": {"f:labels": {".": {}}}}}],
  "creationTimestamp": "2026-04-08T04:42:29Z", "deletionTimestamp": "2026-04-08T05:00:00Z",
  "ownerReferences": [{"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web-5f", "uid": "r0",
                       "controller": true, "blockOwnerDeletion": true},
                      {"apiVersion": "v1", "kind": "X", "name": "x", "uid": "r1"}]},
 "spec": {"overhead": {"memory": "120Mi"}, "nodeName": "node-0", "priority": 3,
  "resources": {"requests": {"cpu": 2}, "limits": {"cpu": "3"}},
  "volumes": [{"name": "v", "projected": {"sources": [{"configMap": {"name": "c"}}]}}],
  "initContainers": [{"name": "proxy", "restartPolicy": "Always",
                      "resources": {"requests": {"cpu": "10m"}}}, {"name": "once"}],
  "containers": [{"name": "app", "env": [{"name": "A", "value": "b"}],
                  "resources": {"limits": {"cpu": "9"}, "requests": {"cpu": "0.5", "memory": "1Gi"}}},
                 {"name": "side", "resources": {}}]},
 "status": {"phase": "Running", "startTime": "2026-04-08T04:42:30Z", "podIP": null,
  "conditions": [{"type": "Initialized", "status": "True"},
                 {"type": "Ready", "status": "False", "lastTransitionTime": "2026-04-08T04:43:00Z",
                  "lastProbeTime": null}],
  "containerStatuses": [{"name": "app", "ready": true, "state": {"running": {}}}]}
})";

std::string Print(const Pod& pod) {
  json::Writer out;
  Encode(out, pod);
  return out.Take();
}

TEST(ReadPod, ReadsWhatTheDocumentHas) {
  const auto document = json::Parse(kPod);
  ASSERT_TRUE(document.ok()) << document.error().message;
  json::Decoder decoder(*document);
  Pod expected;
  Decode(decoder.root(), expected);
  ASSERT_TRUE(decoder.status().ok());
  const auto pod = ReadPod(kPod);
  ASSERT_TRUE(pod.ok()) << pod.error().message;
  EXPECT_EQ(Print(*pod), Print(expected));
  EXPECT_TRUE(pod->init_containers->at(0).restart_always);
  EXPECT_EQ(pod->metadata.resource_version, "12");
}

// While a resize is not done, a pod has less than its spec says; Encode keeps that.
TEST(ReadPod, KnowsWhatAPodHasDuringAResize) {
  const auto pod_with = [](const std::string& more) {
    return R"({"status":{"phase":"Running",)" + more +
           R"("resources":{"requests":{"cpu":"3"}},"allocatedResources":{"cpu":"2500m"},
               "containerStatuses":[{"name":"app","restartCount":0,"allocatedResources":{"cpu":"1"},
                                     "resources":{"limits":{"cpu":"9"},"requests":{"cpu":"900m"}}}],
               "initContainerStatuses":[{"name":"proxy","resources":{"requests":{"cpu":"5m"}}}]},
            "metadata":{"name":"web-0","generation":2},
            "spec":{"containers":[{"name":"app","resources":{"requests":{"cpu":"2"}}}],
                    "initContainers":[{"name":"proxy","restartPolicy":"Always",
                                       "resources":{"requests":{"cpu":"5m"}}}],
                    "resources":{"requests":{"cpu":"4"}}}})";
  };
  const struct {
    const char* name;
    const char* status;
    bool unfinished;
  } kCases[] = {
      {"none", R"("observedGeneration":2,)", false},
      {"infeasible",
       R"("observedGeneration":2,"conditions":[{"type":"PodResizePending","status":"True"}],)",
       true},
      {"under way",
       R"("observedGeneration":2,"conditions":[{"type":"PodResizeInProgress","status":"True"}],)",
       true},
      {"done",
       R"("observedGeneration":2,"conditions":[{"type":"PodResizeInProgress","status":"False"}],)",
       false},
      {"not noticed by the kubelet", R"("observedGeneration":1,)", true},
      {"maybe not noticed by an older kubelet", "", true},
      {"of older servers", R"("resize":"Deferred",)", true},
  };
  for (const auto& c : kCases) {
    const std::string json = pod_with(c.status);
    const auto pod = ReadPod(json);
    ASSERT_TRUE(pod.ok()) << pod.error().message;
    EXPECT_EQ(pod->containers->at(0).has.contains("cpu"), c.unfinished) << c.name;
    EXPECT_EQ(pod->pod_has.contains("cpu"), c.unfinished) << c.name;
    EXPECT_TRUE(pod->init_containers->at(0).has.empty()) << c.name;  // not less than it requests
    if (c.unfinished) {
      EXPECT_EQ(pod->containers->at(0).has.at("cpu").Print(), "900m") << c.name;
      EXPECT_EQ(pod->pod_has.at("cpu").Print(), "2500m") << c.name;
    }
    const auto document = json::Parse(json);
    json::Decoder decoder(*document);
    Pod decoded;
    Decode(decoder.root(), decoded);
    EXPECT_EQ(Print(decoded), Print(*pod)) << c.name;
    EXPECT_EQ(Print(ReadPod(Print(*pod)).value()), Print(*pod)) << c.name;
  }
}

TEST(ReadPod, NullAndAbsentAreTheSame) {
  const auto pod = ReadPod(
      R"({"metadata":{"name":"a","labels":null},"spec":{"resources":null,"containers":null},"status":null})");
  ASSERT_TRUE(pod.ok()) << pod.error().message;
  EXPECT_EQ(Print(*pod), Print(ReadPod(R"({"metadata":{"name":"a"}})").value()));
  EXPECT_FALSE(pod->has_pod_resources);
}

TEST(ReadPod, SaysWhereWhatDoesNotFit) {
  struct Case {
    const char* json;
    const char* message;
  };
  const Case cases[] = {
      {R"({"metadata":7})", "metadata: expected an object"},
      {R"({"metadata":[]})", "metadata: expected an object, got an array"},
      {R"({"metadata":{"name":7}})", "metadata.name: expected a string"},
      {R"({"metadata":{"name":{}}})", "metadata.name: expected a scalar, got an object"},
      {R"({"metadata":{"labels":{"a.b/c":[]}}})", "metadata.labels.a.b/c: expected a scalar"},
      {R"({"metadata":{"ownerReferences":[{},{"controller":"x"}]}})",
       "metadata.ownerReferences[1].controller: expected a boolean"},
      {R"({"spec":{"containers":{}}})", "spec.containers: expected an array, got an object"},
      {R"({"spec":{"containers":[1]}})", "spec.containers[0]: expected an object"},
      {R"({"spec":{"containers":[{},{"resources":{"requests":{"cpu":"x"}}}]}})",
       "spec.containers[1].resources.requests.cpu: "},
      {R"({"status":{"startTime":"yesterday"}})", "status.startTime: "},
      {R"({"status":{"observedGeneration":"1"}})",
       "status.observedGeneration: expected an integer"},
      {R"({"status":{"containerStatuses":[{"allocatedResources":{"cpu":"much"}}]}})",
       "status.containerStatuses[0].allocatedResources.cpu: "},
      {R"({"status":{"conditions":[{"type":"Ready","lastTransitionTime":1}]}})",
       "status.conditions[0].lastTransitionTime: "},
      {"7", "expected an object"},
      {"{", "not JSON: at byte 1"},
      {"{}x", "not JSON: at byte 2"},
      {"{\"a\":\"\xff\"}", "not JSON: at byte 6: invalid encoding"},
  };
  for (const Case& c : cases) {
    const auto pod = ReadPod(c.json);
    ASSERT_FALSE(pod.ok()) << c.json;
    EXPECT_EQ(pod.error().code, Code::kInvalid);
    EXPECT_THAT(pod.error().message, HasSubstr(c.message)) << c.json;
  }
}

TEST(ReadPod, BoundsTheDepth) {
  const std::string deep(100'000, '[');
  const auto pod = ReadPod("{\"x\":" + deep);
  ASSERT_FALSE(pod.ok());
  EXPECT_THAT(pod.error().message, HasSubstr("nested deeper"));
}

}  // namespace
}  // namespace ballast::api
