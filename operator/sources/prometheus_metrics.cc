#include "operator/sources/prometheus_metrics.h"

#include <algorithm>
#include <chrono>
#include <mutex>
#include <utility>

#include "api/autoscaling/query_template.h"
#include "api/base/base64.h"
#include "api/kubernetes/label_syntax.h"
#include "operator/kube/connect.h"
#include "operator/kube/headers.h"
#include "operator/kube/transport.h"
#include "operator/sources/metric_request.h"
#include "operator/sources/prometheus_answer.h"
#include "operator/sources/shared_answers.h"

namespace ballast::sources {
namespace {

constexpr std::string_view kNamespaceVariable = "$namespace";

std::string WithNamespace(std::string text, const std::string& namespace_) {
  for (std::size_t at = 0; (at = text.find(kNamespaceVariable, at)) != std::string::npos;
       at += namespace_.size()) {
    text.replace(at, kNamespaceVariable.size(), namespace_);
  }
  return text;
}

// A credential as it is in its file now, without the line break at its end.
Result<std::string> ReadHeaderText(const kube::Material& material) {
  ASSIGN_OR_RETURN(std::string text, material.Read());
  if (!material.file.empty()) {
    text.erase(text.find_last_not_of("\r\n") + 1);
    if (text.empty() || !kube::IsHeaderText(text)) {
      return Error{Code::kInvalid,
                   material.file + ": " + (text.empty() ? "is empty" : kube::kNotHeaderText)};
    }
  }
  return text;
}

}  // namespace

class PrometheusMetrics::Source {
 public:
  Source(const PrometheusSource& source, const PrometheusOptions& options,
         const runtime::Clock& clock)
      : source_(source),
        stop_(options.stop),
        clock_(clock),
        metrics_(options.metrics),
        answers_("prometheus/" + source.name, clock, source.max_in_flight) {}

  const std::string& name() const { return source_.name; }
  bool IsFor(const std::string& namespace_) const { return source_.namespaces.Contain(namespace_); }

  // What is sent, without credentials.
  Result<kube::Request> RequestFor(const Query& query) const {
    kube::Request request;
    request.path = "/api/v1/query";
    request.timeout = source_.timeout;
    for (const auto& [name, value] : source_.parameters) {
      request.query.emplace_back(name, WithNamespace(value, query.namespace_));
    }
    // Shorter than our own, so that the source says in time that the query takes too long.
    const std::chrono::milliseconds timeout = source_.timeout;
    request.query.emplace_back("timeout", std::to_string((timeout * 9 / 10).count()) + "ms");
    ASSIGN_OR_RETURN(std::string text,
                     api::ExpandQuery(query.metric.prometheus->query,
                                      {.namespace_ = query.namespace_, .target = query.target}));
    request.query.emplace_back("query", std::move(text));
    return request;
  }

  Result<engine::MetricAnswer> Fetch(const Query& query) {
    ASSIGN_OR_RETURN(const kube::Request request, RequestFor(query));
    return answers_.Get(KeyOf(request), query.freshness(), [&] { return Ask(request); });
  }

  bool Prepare(const Query& query, const std::function<void()>& done) {
    const Result<kube::Request> request = RequestFor(query);
    return !request.ok() || answers_.Prepare(
                                KeyOf(*request), query.freshness(),
                                [this, request = *request] { return Ask(request); }, done);
  }

  telemetry::MetricsApiInside Inside() const { return answers_.Inside(); }

 private:
  Result<engine::MetricAnswer> Ask(kube::Request request) {
    const runtime::SteadyTime began = clock_.Steady();
    const auto response = Send(std::move(request));
    auto values = Read(response);
    metrics_.seconds.With({source_.name})
        .Observe(std::chrono::duration<double>(clock_.Steady() - began).count());
    metrics_.queries.With({source_.name, values.ok() ? "Ok" : Name(values.error().code)}).Add();
    // kInvalid: the query is to blame.
    const bool up = response.ok() ? values.ok() || values.error().code != Code::kCorrupt
                                  : response.error().code == Code::kInvalid;
    metrics_.up.With({source_.name}).Set(up ? 1 : 0);
    if (up) {
      metrics_.answered.With({source_.name})
          .Set(static_cast<double>(clock_.Now().unix_nanoseconds()) / 1e9);
    }
    if (!values.ok()) {
      return values.error();
    }
    return engine::MetricAnswer(std::move(values).value());
  }

  // kUnavailable: not sent either, for want of a credential or a certificate.
  Result<kube::Response> Send(kube::Request request) {
    auto headers = Headers();
    if (!headers.ok()) {
      return Error{Code::kUnavailable, headers.error().message};
    }
    request.headers = std::move(headers).value();
    const auto transport = Connected();
    if (!transport.ok()) {
      return Error{Code::kUnavailable, transport.error().message};
    }
    return (*transport)->Do(request);
  }

  Result<engine::MetricValueList> Read(const Result<kube::Response>& response) const {
    if (!response.ok()) {
      return response.error();
    }
    return ReadPrometheusAnswer(response->body,
                                source_.accepts_warnings ? OnWarning::kAccept : OnWarning::kRefuse);
  }

  // With the credentials as their files are now.
  Result<std::vector<std::pair<std::string, std::string>>> Headers() const {
    std::vector<std::pair<std::string, std::string>> headers;
    for (const PrometheusSource::Header& header : source_.headers) {
      auto value = ReadHeaderText(header.value);
      if (!value.ok()) {
        return value.error().In("header " + header.name);
      }
      headers.emplace_back(header.name, std::move(value).value());
    }
    if (!source_.bearer_token.empty()) {
      auto token = ReadHeaderText(source_.bearer_token);
      if (!token.ok()) {
        return token.error().In("bearerTokenFile");
      }
      headers.emplace_back("Authorization", "Bearer " + *token);
    }
    if (!source_.username.empty()) {
      auto password = ReadHeaderText(source_.password);
      if (!password.ok()) {
        return password.error().In("basic.passwordFile");
      }
      headers.emplace_back("Authorization",
                           "Basic " + EncodeBase64(source_.username + ":" + *password));
    }
    return headers;
  }

  // Made for the first query, so that a certificate that is missing fails queries and not the
  // program.
  Result<kube::Transport*> Connected() {
    const std::lock_guard lock(mutex_);
    if (transport_ == nullptr) {
      kube::ConnectOptions options{.max_in_flight = source_.max_in_flight,
                                   .max_response_bytes = source_.max_answer_bytes,
                                   .silence = source_.timeout,
                                   .stop = stop_};
      ASSIGN_OR_RETURN(transport_, kube::Connect(source_.connection, options));
    }
    return transport_.get();
  }

  const PrometheusSource source_;
  const std::stop_token stop_;
  const runtime::Clock& clock_;
  const PrometheusSourceMetrics metrics_;
  std::mutex mutex_;  // guards: transport_
  std::unique_ptr<kube::Transport> transport_;
  SharedAnswers<engine::MetricAnswer> answers_;  // last: its threads use the rest
};

PrometheusMetrics::PrometheusMetrics(const PrometheusOptions& options,
                                     const runtime::Clock& clock) {
  for (const PrometheusSource& source : options.sources) {
    sources_.push_back(std::make_unique<Source>(source, options, clock));
  }
}

PrometheusMetrics::~PrometheusMetrics() = default;

Result<PrometheusMetrics::Source*> PrometheusMetrics::SourceOf(const Query& query) const {
  const std::string& name = query.metric.prometheus->source;
  const auto found = std::ranges::find_if(sources_, [&](const auto& source) {
    return source->name() == name && source->IsFor(query.namespace_);
  });
  if (found == sources_.end()) {
    return Error{Code::kNotFound, "the installation defines no source " + api::Quote(name) +
                                      " for namespace " + query.namespace_};
  }
  return found->get();
}

Result<engine::MetricAnswer> PrometheusMetrics::Fetch(const Query& query) {
  ASSIGN_OR_RETURN(Source* const source, SourceOf(query));
  return source->Fetch(query);
}

bool PrometheusMetrics::Prepare(const Query& query, const std::function<void()>& done) {
  const Result<Source*> source = SourceOf(query);
  return !source.ok() || (*source)->Prepare(query, done);
}

std::vector<telemetry::MetricsApiInside> PrometheusMetrics::Inside() const {
  std::vector<telemetry::MetricsApiInside> all;
  for (const auto& source : sources_) {
    all.push_back(source->Inside());
  }
  return all;
}

}  // namespace ballast::sources
