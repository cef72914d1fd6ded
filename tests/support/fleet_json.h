// The objects of a fleet as an API server has them: for each app a policy, a Deployment and pods,
// all in generation 1 and with the version 3 and the label app.
#pragma once

#include <string>

namespace ballast::support {

// A metric of type Resource, half of the CPU that is requested.
inline constexpr const char* kFleetCpu =
    R"({"type":"Resource","resource":{"name":"cpu","target":{"type":"Utilization",)"
    R"("averageUtilization":50}}})";

// `{"metadata":{...},`, to which the rest of the object is added; the name is its uid too.
inline std::string FleetMetadata(const std::string& namespace_, const std::string& app,
                                 const std::string& name) {
  return R"({"metadata":{"name":")" + name + R"(","namespace":")" + namespace_ + R"(","uid":")" +
         name + R"(","resourceVersion":"3","generation":1,"labels":{"app":")" + app + R"("}},)";
}

inline std::string FleetPolicy(const std::string& namespace_, const std::string& app,
                               const std::string& metric) {
  return FleetMetadata(namespace_, app, app) +
         R"("spec":{"scaleTargetRef":{"apiVersion":"apps/v1","kind":"Deployment","name":")" + app +
         R"("},"mode":"Active","minReplicas":1,"maxReplicas":9,"metrics":[)" + metric + "]}}";
}

inline std::string FleetDeployment(const std::string& namespace_, const std::string& app,
                                   int replicas) {
  const std::string count = std::to_string(replicas);
  return FleetMetadata(namespace_, app, app) + R"("spec":{"replicas":)" + count +
         R"(,"selector":{"matchLabels":{"app":")" + app + R"("}}},"status":{"replicas":)" + count +
         "}}";
}

// A pod that has been ready for years and requests 100m of CPU.
inline std::string FleetPod(const std::string& namespace_, const std::string& app,
                            const std::string& name) {
  return FleetMetadata(namespace_, app, name) +
         R"("spec":{"containers":[{"name":"c","resources":{"requests":{"cpu":"100m"}}}]},)"
         R"("status":{"phase":"Running","startTime":"2020-01-01T00:00:00Z","conditions":)"
         R"([{"type":"Ready","status":"True","lastTransitionTime":"2020-01-01T00:00:00Z"}]}})";
}

}  // namespace ballast::support
