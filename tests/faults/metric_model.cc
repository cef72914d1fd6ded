#include "tests/faults/metric_model.h"

#include <algorithm>
#include <utility>

#include "tests/faults/world.h"
#include "tests/support/fake_transport.h"

namespace ballast::faults {
namespace {

constexpr std::int64_t kUnits = 10;  // for a replica
constexpr const char* kPrometheusPath = "/api/v1/query";

std::string Stamped(const Load& load, Nanoseconds sampled) {
  return R"("timestamp":")" + World::Stamp(sampled, load.ahead) + R"(")";
}

Error Failing() { return {Code::kUnavailable, "the metrics API is down"}; }

std::string NameOfPart(const Load& load, std::size_t part) {
  return load.name + "." + std::to_string(part);
}

std::string MetricOf(const Load& load, MetricKind kind, const std::string& name) {
  const std::string target = R"("target":{"type":"AverageValue","averageValue":"10"})";
  const std::string metric = R"("metric":{"name":")" + name + R"("},)" + target;
  switch (kind) {
    case MetricKind::kExternal:
      return R"({"type":"External","external":{)" + metric + "}}";
    case MetricKind::kUtilization:  // a pod requests 100m
      return R"({"type":"Resource","resource":{"name":"cpu",)"
             R"("target":{"type":"Utilization","averageUtilization":10000}}})";
    case MetricKind::kResource:
      return R"({"type":"Resource","resource":{"name":"cpu",)" + target + "}}";
    case MetricKind::kContainerResource:
      return R"({"type":"ContainerResource","containerResource":{"name":"cpu","container":"web",)" +
             target + "}}";
    case MetricKind::kPodMetrics:
      return R"({"type":"Pods","pods":{)" + metric + "}}";
    case MetricKind::kObject:
      return R"({"type":"Object","object":{"describedObject":{"apiVersion":"apps/v1",)"
             R"("kind":"Deployment","name":")" +
             load.name + R"("},)" + metric + "}}";
    case MetricKind::kPrometheus:
      return R"({"type":"Prometheus","prometheus":{"source":"main","query":"load{app='$target'}",)" +
             target + "}}";
  }
  return "";
}

std::string Vector(const std::string& elements, const std::string& warnings = "") {
  return R"({"status":"success")" + warnings + R"(,"data":{"resultType":"vector","result":[)" +
         elements + "]}}";
}

}  // namespace

std::string MetricsFor(const Load& load) {
  std::string metrics = MetricOf(load, load.metric, load.name);
  for (std::size_t i = 0; i < load.parts.size(); ++i) {
    const std::string part = MetricOf(load, load.parts[i].kind, NameOfPart(load, i));
    metrics = i == 0 ? part + "," + metrics : metrics + "," + part;  // on either side of it
  }
  return "[" + metrics + "]";
}

bool AsksForMetrics(const kube::Request& request) {
  return request.path.find("metrics.k8s.io") != std::string::npos ||
         request.path == kPrometheusPath;
}

bool AsksForPart(const kube::Request& request) {
  return AsksForMetrics(request) &&
         request.path.find('.', request.path.rfind('/')) != std::string::npos;
}

Result<MetricModel::Metric> MetricModel::Find(const std::string& name) const {
  const std::size_t dot = name.find('.');
  const auto found = std::ranges::find(loads_, name.substr(0, dot), &Load::name);
  if (found == loads_.end()) {
    return Error{Code::kNotFound, "no such metric"};
  }
  Metric metric{static_cast<std::size_t>(found - loads_.begin())};
  if (dot != std::string::npos) {
    metric.part = std::stoull(name.substr(dot + 1));
    metric.divisor = found->parts[*metric.part].divisor;
  }
  return metric;
}

std::vector<MetricModel::PodSample> MetricModel::SamplesOfPods(const Metric& metric,
                                                               Nanoseconds sampled) const {
  const std::vector<std::string> pods = view_.ready_pods(metric.load, sampled);
  std::vector<PodSample> samples;
  for (std::size_t i = 0; i < pods.size(); i += view_.misses_pods(metric.load) ? 2 : 1) {
    const std::int64_t all = 1000 * kUnits * loads_[metric.load].At(sampled) / metric.divisor;
    samples.push_back(
        {pods[i], std::to_string(all / static_cast<std::int64_t>(pods.size())) + "m"});
  }
  return samples;
}

std::string MetricModel::ResourceMetrics(const std::string& selector) const {
  std::string items;
  for (std::size_t i = 0; i < loads_.size(); ++i) {
    const Load& load = loads_[i];
    if ((selector != "-" && selector != "app=" + load.name) || view_.fails(i, std::nullopt)) {
      continue;
    }
    const Nanoseconds sampled = load.SampledAt(Fibers::Get().now());
    for (const auto& [pod, amount] : SamplesOfPods({i}, sampled)) {
      items += std::string(items.empty() ? "" : ",") + R"({"metadata":{"name":")" + pod +
               R"(","namespace":"shop","labels":{"app":")" + load.name + R"("}},)" +
               Stamped(load, sampled) +
               R"(,"window":"30s","containers":[{"name":"web","usage":{"cpu":")" + amount +
               R"("}}]})";
    }
    view_.on_sample(load.metric);
  }
  return R"({"items":[)" + items + "]}";
}

// External metrics, and custom ones of an object or of each pod.
Result<std::string> MetricModel::Values(const std::string& name, bool of_pods) const {
  ASSIGN_OR_RETURN(const Metric metric, Find(name));
  if (view_.fails(metric.load, metric.part)) {
    return Failing();
  }
  const Load& load = loads_[metric.load];
  view_.on_sample(metric.part ? load.parts[*metric.part].kind : load.metric);
  const Nanoseconds sampled = load.SampledAt(Fibers::Get().now());
  const auto value = [&](const std::string& object, const std::string& amount) {
    return R"({"describedObject":{"name":")" + object + R"("},"metric":{"name":")" + name +
           R"("},"metricName":")" + name + R"(",)" + Stamped(load, sampled) + R"(,"value":")" +
           amount + R"("})";
  };
  std::string items;
  if (!of_pods) {
    items = value(name, std::to_string(kUnits * load.At(sampled) / metric.divisor));
  } else {
    for (const auto& [pod, amount] : SamplesOfPods(metric, sampled)) {
      items += (items.empty() ? "" : ",") + value(pod, amount);
    }
  }
  return R"({"items":[)" + items + "]}";
}

Result<std::string> MetricModel::Prometheus(const std::string& query) const {
  const std::size_t begin = query.find('\'') + 1;
  const std::string target = query.substr(begin, query.find('\'', begin) - begin);
  ASSIGN_OR_RETURN(const Metric metric, Find(LoadOfTarget(target)));
  const Load& load = loads_[metric.load];
  const Nanoseconds now = Fibers::Get().now();
  const Nanoseconds sampled = load.SampledAt(now);
  const auto element = [&](const std::string& number) {
    const Nanoseconds time = Machine().Wall(sampled) + load.ahead;
    return R"({"metric":{},"value":[)" + std::to_string(time / kSecond) + R"(,")" + number +
           R"("]})";
  };
  const std::string right = element(std::to_string(kUnits * load.At(sampled)));
  if (!view_.fails(metric.load, std::nullopt)) {
    view_.on_sample(load.metric);
    return Vector(right);
  }
  // It fails in one of the ways in which it can; periods are no multiples of 7 s.
  switch (now / kSecond % 7) {
    case 0:
      return Failing();
    case 1:
      return Vector("");
    case 2:
      return Vector(element("NaN"));
    case 3:
      return Vector(element("0"), R"(,"warnings":["a store did not answer"])");
    default:
      return Vector(right + "," + right);
  }
}

Result<kube::Response> MetricModel::Answer(const kube::Request& request) const {
  const std::string& path = request.path;
  Result<std::string> body = std::string();
  if (path == kPrometheusPath) {
    body = Prometheus(support::QueryOf(request, "query"));
  } else if (path.starts_with("/apis/metrics.k8s.io/")) {
    body = ResourceMetrics(support::QueryOf(request, "labelSelector"));
  } else {
    body = Values(path.substr(path.rfind('/') + 1), path.find("/pods/") != std::string::npos);
  }
  if (!body.ok()) {
    return body.error();
  }
  return kube::Response{200, *std::move(body)};
}

}  // namespace ballast::faults
