// What requests for metrics share: the key by which equal ones are known, and of those to the
// custom and the external metrics APIs the metric's selector as a query parameter, a list of values
// as the answer, and that equal requests of about the same moment are made once.
//
// Thread-safety: any thread.
// Errors: kInvalid as below; from ValuesReader also the API server's.
#pragma once

#include <functional>
#include <string>
#include <utility>

#include "api/autoscaling/types.h"
#include "api/base/result.h"
#include "api/decision/snapshot.h"
#include "operator/kube/transport.h"
#include "operator/runtime/clock.h"
#include "operator/sources/shared_answers.h"

namespace ballast::sources {

// Adds the metric's own selector as the query parameter `name`; a metric without one means all of
// its series. kInvalid: it is not a valid selector.
Status AddSelector(kube::Request& request, const char* name, const api::MetricIdentifier& metric);

// Equal for equal requests to one server only: neither a path nor a parameter's name has a newline.
std::string KeyOf(const kube::Request& request);

class ValuesReader {
 public:
  // `api`: its name. The rest must outlive the ValuesReader.
  ValuesReader(std::string api, kube::Transport& transport, const runtime::Clock& clock)
      : transport_(transport), answers_(std::move(api), clock) {}

  // Sends the request and reads the answer, unless the answer to an equal one serves
  // (shared_answers.h). kInvalid: the answer is not a list of values.
  Result<engine::MetricAnswer> Read(const kube::Request& request, const Freshness& fresh);
  // As MetricSource::Prepare.
  bool Prepare(const kube::Request& request, const Freshness& fresh,
               const std::function<void()>& done);

  telemetry::MetricsApiInside Inside() const { return answers_.Inside(); }

 private:
  kube::Transport& transport_;
  SharedAnswers<engine::MetricAnswer> answers_;
};

}  // namespace ballast::sources
