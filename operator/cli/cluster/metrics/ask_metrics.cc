#include "operator/cli/cluster/metrics/ask_metrics.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <utility>

#include "api/autoscaling/condition_types.h"
#include "api/autoscaling/query_template.h"
#include "api/decision/step.h"
#include "operator/cli/cluster/metrics/request_log.h"
#include "operator/cluster/packed_pod.h"
#include "operator/cluster/pod_cache.h"
#include "operator/cluster/pod_owners.h"
#include "operator/cluster/pod_selection.h"
#include "operator/cluster/resources.h"
#include "operator/engine/engine.h"
#include "operator/engine/metric/samples.h"
#include "operator/kube/client.h"
#include "operator/kube/discovery.h"
#include "operator/sources/prometheus_request.h"
#include "operator/sources/sources.h"

namespace ballast::cli {
namespace {

Status ReadPods(kube::Client& client, const std::string& namespace_, const std::string& selector,
                cluster::PodCache& into) {
  if (selector.empty()) {  // the engine says so
    return Done{};
  }
  cluster::PodPacker packer;
  return client.List(
      cluster::kPods, {.namespace_ = namespace_, .label_selector = selector},
      [&](const json::Cursor& item) -> Status {
        api::Pod pod;
        api::Decode(item, pod);
        const api::ObjectKey key{pod.metadata.namespace_, pod.metadata.name};
        const std::string uid = pod.metadata.uid;
        const std::string version = pod.metadata.resource_version;
        into.Put(key,
                 {uid, version, std::make_shared<cluster::PackedPod>(packer.Pack(std::move(pod)))});
        return Done{};
      });
}

// The addresses and the credentials of sources are the installation's.
Result<engine::MetricAnswer> OnlyTheOperatorCan() {
  return Error{Code::kForbidden,
               "only the operator can ask a source; ballast why tells what it answered"};
}

void DescribeQuery(const api::PrometheusMetricSource& metric, const std::string& namespace_,
                   const std::string& target, const std::vector<sources::PrometheusSource>& sources,
                   AskedMetric& asked) {
  const auto query = api::ExpandQuery(metric.query, {.namespace_ = namespace_, .target = target});
  asked.source = metric.source;
  asked.query = query.ok() ? *query : metric.query;
  const auto source = std::ranges::find_if(sources, [&](const sources::PrometheusSource& one) {
    return one.name == metric.source && one.namespaces.Contain(namespace_);
  });
  if (source != sources.end()) {
    const auto url = sources::PrometheusUrl(*source, metric.query, namespace_, target);
    asked.url = url.ok() ? *url : "";
    asked.proxy = source->connection.proxy_url;
  }
}

// The metrics are to be judged whatever comes before them in an evaluation: mode, zero, bounds.
void LetMetricsDecide(engine::Snapshot& snapshot) {
  api::AutoscalerSpec& spec = snapshot.autoscaler.spec;
  spec.mode = "Active";
  spec.min_replicas = 0;
  spec.max_replicas = std::numeric_limits<std::int32_t>::max();
  snapshot.settings.scale_to_zero = true;
  snapshot.autoscaler.status.conditions = {{api::kScaledToZero, "True", "", "", {}}};
}

Status Judge(engine::Snapshot snapshot, AskedMetrics& asked) {
  LetMetricsDecide(snapshot);
  const engine::Decision decision = engine::Decide(snapshot);
  if (decision.proposals.empty() && decision.problem) {
    return Error{Code::kInvalid, decision.problem->message};
  }
  for (const engine::Step& step : decision.trace) {
    if (step.metric) {
      AskedMetric& metric = asked.metrics[step.metric->index];
      metric.name = NameOf(step);
      metric.text = step.text;
      metric.proposal = step.out;
    }
  }
  return Done{};
}

}  // namespace

Result<AskedMetrics> AskMetrics(kube::Transport& transport, const process::Clock& clock,
                                const api::Autoscaler& autoscaler,
                                const std::vector<sources::PrometheusSource>& sources) {
  const std::string& namespace_ = autoscaler.metadata.namespace_;
  const api::CrossVersionObjectReference& target = autoscaler.spec.scale_target_ref;
  kube::Client client(transport);
  kube::RestMapper mapper(transport);
  ASSIGN_OR_RETURN(const kube::Resource resource, mapper.Find(target.api_version, target.kind));
  ASSIGN_OR_RETURN(const api::Scale scale, client.GetScale(resource, {namespace_, target.name}));
  cluster::PodCache cache;
  TRY(ReadPods(client, namespace_, scale.selector, cache));
  cluster::PodOwners owners(client, mapper, clock);
  ASSIGN_OR_RETURN(cluster::PodSelection selection,
                   cluster::SelectPods(&cache, owners, autoscaler, scale));

  RequestLog log(transport);
  kube::Client logged(log);
  sources::Sources apis(logged, log, mapper, clock,
                        {.always = sources::PodMetricsList::kSelector, .cluster = false});
  AskedMetrics asked{.replicas = scale.spec_replicas,
                     .pods = selection.pods.size(),
                     .left_out = selection.left_out,
                     .metrics = {}};
  engine::Snapshot snapshot{.now = {}, .autoscaler = autoscaler, .scale = scale};
  for (const api::MetricSpec& metric : autoscaler.spec.metrics) {
    auto answer =
        metric.prometheus
            ? OnlyTheOperatorCan()
            : sources::Await(apis,
                             {.metric = metric,
                              .namespace_ = namespace_,
                              .selector = scale.selector,
                              .replicas = static_cast<std::int32_t>(selection.pods.size())},
                             {selection.pods, selection.owned(), selection.left_out});
    snapshot.metrics.push_back(answer.ok() ? std::move(answer).value()
                                           : engine::Failure{answer.error().message});
    asked.metrics.push_back({.name = {}, .text = {}, .requests = log.Take()});
    if (metric.prometheus) {
      DescribeQuery(*metric.prometheus, namespace_, target.name, sources, asked.metrics.back());
    }
  }
  snapshot.now = clock.Now();
  for (std::size_t i = 0; i < asked.metrics.size(); ++i) {
    const auto newest = engine::NewestTimestamp(snapshot.metrics[i]);
    const auto oldest = engine::OldestTimestamp(snapshot.metrics[i]);
    if (newest) {
      asked.metrics[i].age = snapshot.now - *newest;
    }
    if (oldest && oldest != newest) {
      asked.metrics[i].oldest_age = snapshot.now - *oldest;
    }
  }
  snapshot.pods_left_out = selection.left_out;
  snapshot.pods = std::move(selection.pods);
  TRY(Judge(std::move(snapshot), asked));
  return asked;
}

}  // namespace ballast::cli
