// Reads the resource metrics of pods (metrics.k8s.io) with as few and as small requests as the
// queries of about the same moment allow: one LIST of a target's pods by its selector, of its
// namespace, or of the whole cluster.
//
// A list of the namespace serves all queries there, but holds pods that nobody asked for; so it is
// worth it where the targets' pods are a fair share of the namespace. Which way is the cheapest
// follows from what was asked for a period ago (request_history.h).
//
// The cluster is listed while that is cheaper for all that is asked for in a period: with many
// namespaces of few targets each, whose pods are a fair share of the cluster's.
//
// Answers are shared as shared_answers.h says; but once the API has shown new samples, as far as
// their rhythm is known (sample_looks.h), none from before serves.
//
// Thread-safety: CountPods once, before the first Start; LookAtSamples: one thread at a time; the
// rest: any thread. Several callers that want the same list share the request.
// Errors: the API server's (kNotFound or kUnavailable if no metrics API is installed or it is
// down). A list of the cluster that is forbidden, or like one of a namespace does not come in time,
// cannot be read or fails on the server's side, is left for ten minutes: narrower ones serve. If
// the narrowest fails on the server's side too, none is left: then the API is down.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "api/base/result.h"
#include "operator/kube/client.h"
#include "operator/process/clock.h"
#include "operator/sources/namespace_metrics.h"
#include "operator/sources/request_history.h"
#include "operator/sources/sample_looks.h"
#include "operator/sources/shared_answers.h"
#include "operator/sources/source_metrics.h"
#include "operator/telemetry/debug_state.h"

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
  std::size_t pods = 0;                // how many it matches, about
  std::chrono::nanoseconds period{0};  // until it is asked again
  std::chrono::nanoseconds max_age{0};
};

class PodMetricsReader {
 public:
  struct FoundMetrics {
    std::shared_ptr<const NamespaceMetrics> metrics;  // at least those of the query's pods
    bool whole = false;                               // all of the namespace
  };
  // The pods in the namespace (empty: in the cluster), with or without metrics.
  using PodCount = std::function<std::size_t(const std::string& namespace_)>;

  // `client` and `clock` must outlive the reader.
  PodMetricsReader(kube::Client& client, const process::Clock& clock,
                   const PodMetricsOptions& options = {}, const SourceMetrics& metrics = {})
      : client_(client),
        clock_(clock),
        options_(options),
        metrics_(metrics),
        looks_(clock, [this](const LookTarget& target) { return AskFor(target); }),
        answers_(kApi, clock) {}

  void CountPods(PodCount count) { count_ = std::move(count); }

  // As MetricSource::Start.
  void Start(const PodMetricsQuery& query,
             const std::function<void(const Result<FoundMetrics>& found)>& done);

  // Takes a look at samples, if one is due, so that their rhythm becomes known and stays so.
  // Returns when the next one is due.
  process::SteadyTime LookAtSamples();
  std::optional<Rhythm> rhythm() const { return looks_.rhythm(); }

  // Whether the cluster is listed for what is asked for together.
  bool ListsCluster() const;
  telemetry::MetricsApiDebugState DebugState() const { return answers_.DebugState(); }
  // Number of answers and requests kept.
  std::size_t size() const { return answers_.size(); }

 private:
  using ByNamespace = std::map<std::string, std::shared_ptr<const NamespaceMetrics>>;
  using Lists = std::shared_ptr<const ByNamespace>;
  using Answers = SharedAnswers<Lists>;
  static constexpr const char* kApi = "metrics.k8s.io";

  // The list that serves the query: one that is there or under way, else the cheapest.
  PodMetricsList Choose(const PodMetricsQuery& query);
  PodMetricsList Cheapest(const PodMetricsQuery& query) const;
  // Requests it, if the circuit breaker admits it.
  Result<Lists> Ask(const PodMetricsQuery& query, PodMetricsList list);
  Result<Lists> Request(const PodMetricsQuery& query, PodMetricsList list);
  Result<std::shared_ptr<const NamespaceMetrics>> AskFor(const LookTarget& target);
  Freshness FreshFor(const PodMetricsQuery& query) const;
  bool MayListCluster() const;
  void LookAtCluster(process::SteadyTime now);
  // Leaves the list for a while if that error is a reason to.
  void NoteFailure(const std::string& namespace_, PodMetricsList list, Code code);
  // Whether the list is left now, so that Choose() takes a narrower one. IsLeft: under the lock.
  bool IsLeft(const std::string& namespace_, PodMetricsList list) const;
  bool MustNarrow(const std::string& namespace_, PodMetricsList list) const;

  kube::Client& client_;
  const process::Clock& clock_;
  const PodMetricsOptions options_;
  const SourceMetrics metrics_;
  PodCount count_ = [](const std::string&) { return std::size_t{0}; };
  mutable std::mutex mutex_;  // guards: the rest but the last two; not held during requests
  RequestHistory request_history_;
  bool lists_cluster_ = false;
  std::optional<process::SteadyTime> looked_at_;  // when that was last decided
  // Until when lists are left: of the namespace, and under "" of the cluster.
  std::map<std::string, process::SteadyTime> left_until_;
  SampleLooks looks_;
  Answers answers_;  // last: its threads use the rest
};

}  // namespace ballast::sources
