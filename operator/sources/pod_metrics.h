// Reads the resource metrics of pods (metrics.k8s.io) with as few and as small requests as the
// queries of about the same moment allow: one LIST of a target's pods by its selector, of its
// namespace, or of the whole cluster.
//
// A list of the namespace serves all queries there, but holds pods that nobody asked for; so it is
// worth it where the targets' pods are a fair share of the namespace. Which way is the cheapest
// follows from what was asked for a period ago (demand.h).
//
// The cluster is listed while that is cheaper for all that is asked for in a period: with many
// namespaces of few targets each, whose pods are a fair share of the cluster's.
//
// Answers are shared as shared_answers.h says.
//
// Thread-safety: CountPods once, before the first Read; the rest: any thread. Of several callers
// that want the same list one requests it and the others wait.
// Errors: the API server's (kNotFound or kUnavailable if no metrics API is installed or it is
// down). If the list of the cluster is forbidden, others are used for ten minutes.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "api/base/result.h"
#include "operator/kube/client.h"
#include "operator/runtime/clock.h"
#include "operator/sources/demand.h"
#include "operator/sources/namespace_metrics.h"
#include "operator/sources/shared_answers.h"
#include "operator/telemetry/inside.h"

namespace ballast::sources {

// What one LIST has the pods of.
enum class PodMetricsList { kSelector, kNamespace, kCluster };

// "selector", "namespace", "cluster"
const char* Name(PodMetricsList list);

struct PodMetricsOptions {
  std::optional<PodMetricsList> always;  // absent: the cheapest
  // Whether lists of the cluster may be requested: not if only some namespaces are served.
  bool cluster = true;
};

struct PodMetricsQuery {
  std::string namespace_;
  std::string selector;
  std::optional<std::size_t> pods;     // how many it matches; absent: as many as before
  std::chrono::nanoseconds period{0};  // until it is asked again
  std::chrono::nanoseconds max_age{0};
  std::optional<runtime::SteadyTime> since = std::nullopt;  // as Query::since
};

class PodMetricsReader {
 public:
  struct Found {
    std::shared_ptr<const NamespaceMetrics> metrics;  // at least those of the query's pods
    bool whole = false;                               // all of the namespace
  };
  // The pods in the namespace (empty: in the cluster), with or without metrics.
  using PodCount = std::function<std::size_t(const std::string& namespace_)>;

  // `client` and `clock` must outlive the reader.
  PodMetricsReader(kube::Client& client, const runtime::Clock& clock,
                   const PodMetricsOptions& options = {})
      : client_(client), clock_(clock), options_(options), answers_("metrics.k8s.io", clock) {}

  void CountPods(PodCount count) { count_ = std::move(count); }

  Result<Found> Read(const PodMetricsQuery& query);
  // As MetricSource::Prepare.
  bool Prepare(const PodMetricsQuery& query, const std::function<void()>& done);

  // Whether the cluster is listed for what is asked for together.
  bool ListsCluster() const;
  // The latest choice for each namespace.
  telemetry::Shown<telemetry::PodMetricsInside> Inside() const;
  telemetry::MetricsApiInside Api() const { return answers_.Inside(); }
  // Number of answers and requests kept.
  std::size_t size() const { return answers_.size(); }

 private:
  using ByNamespace = std::map<std::string, std::shared_ptr<const NamespaceMetrics>>;
  using Lists = std::shared_ptr<const ByNamespace>;
  using Answers = SharedAnswers<Lists>;

  // The list that serves the query: one that is there or under way, else the cheapest.
  PodMetricsList Choose(const PodMetricsQuery& query);
  PodMetricsList Cheapest(const PodMetricsQuery& query, telemetry::PodMetricsInside& seen) const;
  Result<Lists> Request(const PodMetricsQuery& query, PodMetricsList list);
  bool MayListCluster() const;
  void LookAtCluster(runtime::SteadyTime now);
  void ForbidCluster();

  kube::Client& client_;
  const runtime::Clock& clock_;
  const PodMetricsOptions options_;
  PodCount count_ = [](const std::string&) { return std::size_t{0}; };
  mutable std::mutex mutex_;  // guards: the rest but answers_; not held during requests
  Demand demand_;
  bool lists_cluster_ = false;
  std::optional<runtime::SteadyTime> looked_at_;        // when that was last decided
  std::optional<runtime::SteadyTime> forbidden_until_;  // lists of the cluster are refused
  std::map<std::string, telemetry::PodMetricsInside> choices_;
  Answers answers_;  // last: its threads use the rest
};

}  // namespace ballast::sources
