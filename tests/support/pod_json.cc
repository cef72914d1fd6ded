#include "tests/support/pod_json.h"

namespace ballast::support {
namespace {

constexpr int kOfOneDeployment = 100;
constexpr int kNamespaces = 50;

}  // namespace

std::string PodNamespace(int pod) {
  return "team-" + std::to_string(pod / kOfOneDeployment % kNamespaces);
}
std::string PodApplication(int pod) { return "checkout-" + std::to_string(pod / kOfOneDeployment); }

std::string PodJson(int pod) {
  const std::string id = std::to_string(1'000'000 + pod);
  const std::string app = PodApplication(pod);
  std::string filler;
  for (int i = 0; i < 24; ++i) {
    filler += R"({"manager":"kubelet","operation":"Update","apiVersion":"v1",)"
              R"("time":"2026-01-01T00:00:09Z","fieldsType":"FieldsV1","fieldsV1":{"f:status":)"
              R"({"f:conditions":{"k:{\"type\":\"Ready\"}":{".":{},"f:status":{}}}}}},)";
  }
  filler.pop_back();
  const auto container = [](const char* name) {
    return R"({"name":")" + std::string(name) +
           R"(","image":"registry.example/team/app:v1.2.3","ports":[{"containerPort":8080}],)"
           R"("resources":{"limits":{"memory":"512Mi"},"requests":{"cpu":"250m","memory":"256Mi"}},)"
           R"("readinessProbe":{"httpGet":{"path":"/ready","port":8080},"periodSeconds":10},)"
           R"("env":[{"name":"MODE","value":"production"},{"name":"REGION","value":"eu"}]})";
  };
  return R"({"metadata":{"name":")" + app + "-7d9c5b8f6d-" + id + R"(","generateName":")" + app +
         R"(-7d9c5b8f6d-","namespace":")" + PodNamespace(pod) +
         R"(","uid":"8a1c3f5e-2b4d-4f6a-9c8e-00000)" + id + R"(","resourceVersion":"9)" + id +
         R"(","creationTimestamp":"2026-01-01T00:00:00Z","labels":{"app.kubernetes.io/name":")" +
         app + R"(","app.kubernetes.io/part-of":"shop","pod-template-hash":"7d9c5b8f6d",)" +
         R"("version":"v1.2.3"},"annotations":{"prometheus.io/scrape":"true"},)" +
         R"("ownerReferences":[{"apiVersion":"apps/v1","kind":"ReplicaSet","name":")" + app +
         R"(-7d9c5b8f6d","uid":"1b2c3d4e-0000-4000-8000-)" + app +
         R"(","controller":true,"blockOwnerDeletion":true}],"managedFields":[)" + filler +
         R"(]},"spec":{"containers":[)" + container("app") + "," + container("proxy") +
         R"(],"nodeName":"node-17","schedulerName":"default-scheduler"},"status":{"phase":)" +
         R"("Running","startTime":"2026-01-01T00:00:02Z","podIP":"10.1.2.3","conditions":[)" +
         R"({"type":"Initialized","status":"True","lastTransitionTime":"2026-01-01T00:00:05Z"},)" +
         R"({"type":"Ready","status":"True","lastTransitionTime":"2026-01-01T00:00:09Z"}]}})";
}

}  // namespace ballast::support
