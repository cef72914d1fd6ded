// What requests to the custom and the external metrics APIs share: the metric's selector as a query
// parameter, a list of values as the answer, and that equal requests of about the same moment are
// made once. Also the key by which equal requests are known, and what an answer weighs.
//
// Thread-safety: any thread.
// Errors: kInvalid as below; from ValuesReader also the API server's.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <utility>

#include "api/autoscaling/types.h"
#include "api/base/result.h"
#include "api/decision/snapshot.h"
#include "operator/kube/transport.h"
#include "operator/process/clock.h"
#include "operator/sources/request_pool.h"
#include "operator/sources/shared_answers.h"
#include "operator/sources/source_metrics.h"

namespace ballast::sources {

// Adds the metric's own selector as the query parameter `name`; a metric without one means all of
// its series. kInvalid: it is not a valid selector.
Status AddSelector(kube::Request& request, const char* name, const api::MetricIdentifier& metric);

// Equal for equal requests to one server only: neither a path nor a parameter's name has a newline.
std::string KeyOf(const kube::Request& request);

// How many bytes of memory the answer takes, about.
std::size_t BytesOf(const engine::MetricAnswer& answer);

class ValuesReader {
 public:
  // Makes the request. It runs where the request is made, so that it may ask the API server.
  using Make = std::function<Result<kube::Request>()>;

  // Adapters answer what namespaces ask for in different ways, so that some may hang.
  static constexpr std::size_t kThreads = 2 * RequestPool::kThreads;

  // `api`: its name. The rest must outlive the ValuesReader.
  ValuesReader(const std::string& api, kube::Transport& transport, const process::Clock& clock,
               const SourceMetrics& metrics)
      : api_(api),
        transport_(transport),
        clock_(clock),
        metrics_(metrics),
        answers_(api, clock, kThreads, BytesOf) {}

  using AnswerPointer = SharedAnswers<engine::MetricAnswer>::AnswerPointer;
  using Done = SharedAnswers<engine::MetricAnswer>::Done;

  // Makes and sends the request and reads the answer, unless the answer to one with the same key
  // serves (shared_answers.h). kInvalid: the answer is not a list of values. kCorrupt: it is too
  // large. `make` must own what it uses. `namespace_`: the autoscaler's, which the key has too.
  void Start(const std::string& key, const Freshness& fresh, const Make& make,
             const std::string& namespace_, Done done);

  telemetry::MetricsApiDebugState DebugState() const { return answers_.DebugState(); }

 private:
  Result<engine::MetricAnswer> Ask(const std::string& key, const Make& make,
                                   const std::string& namespace_);
  Result<engine::MetricAnswer> Send(const kube::Request& request);

  const std::string api_;
  kube::Transport& transport_;
  const process::Clock& clock_;
  const SourceMetrics metrics_;
  SharedAnswers<engine::MetricAnswer> answers_;  // last: its threads use the rest
};

}  // namespace ballast::sources
