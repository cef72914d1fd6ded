#include "operator/sources/prometheus_metrics.h"

#include <algorithm>
#include <iterator>
#include <mutex>
#include <utility>

#include "api/base/base64.h"
#include "api/base/printable.h"
#include "api/kubernetes/label_syntax.h"
#include "operator/kube/http/connect.h"
#include "operator/kube/status_error.h"
#include "operator/kube/transport.h"
#include "operator/sources/cloud/cloud_credentials.h"
#include "operator/sources/metric_request.h"
#include "operator/sources/prometheus_answer.h"
#include "operator/sources/prometheus_request.h"
#include "operator/sources/query_credentials.h"
#include "operator/sources/shared_answers.h"

namespace ballast::sources {

class PrometheusMetrics::Source {
 public:
  Source(const PrometheusSource& source, const PrometheusOptions& options,
         const process::Clock& clock, const SourceMetrics& metrics)
      : source_(source),
        stop_(options.stop),
        clock_(clock),
        metrics_(metrics),
        cloud_(MakeCloudCredentials(source.cloud, source.connection, clock, options.stop)),
        answers_("prometheus/" + source.name, clock, source.max_in_flight, BytesOf) {}

  const std::string& name() const { return source_.name; }
  bool IsFor(const std::string& namespace_) const { return source_.namespaces.Contain(namespace_); }

  void Start(const sources::Query& query, const Done& done) {
    const Result<kube::Request> request = PrometheusRequest(
        source_, query.metric.prometheus->query, query.namespace_, std::string(query.target));
    if (!request.ok()) {
      done(ForAll(request.error()));
      return;
    }
    // Of its namespace, also if another asks the same: whether and when it is asked depends on
    // that.
    const std::string key = query.namespace_ + "\n" + KeyOf(*request);
    answers_.Start(
        key, query.freshness(),
        [this, of = query.namespace_, key, request = *request] {
          return answers_.Call(of, key, [&] { return Send(request); });
        },
        query.namespace_,
        [done](const auto& values) { done([values](const TargetPods&) { return *values; }); });
  }

  telemetry::MetricsApiDebugState DebugState() const { return answers_.DebugState(); }

 private:
  Result<engine::MetricAnswer> Send(const kube::Request& request) {
    const process::SteadyTime began = clock_.Steady();
    bool up = false;
    auto values = Query(request, up);
    metrics_.Record(source_.name, values.ok() ? std::nullopt : std::optional(values.error()), up,
                    began, clock_);
    if (!values.ok()) {
      return values.error();
    }
    return engine::MetricAnswer(std::move(values).value());
  }

  // `up`: whether the source evaluated the query, or says why it cannot. kUnavailable: not sent
  // either, for want of a credential or a certificate.
  Result<engine::MetricValueList> Query(kube::Request request, bool& up) {
    auto credentials = ReadCredentials(request);
    if (!credentials.ok()) {
      return Error{Code::kUnavailable, credentials.error().message};
    }
    const auto transport = Connected();
    if (!transport.ok()) {
      return Error{Code::kUnavailable, transport.error().message};
    }
    request.headers = std::move(credentials->headers);
    request.any_status = true;
    const Result<kube::Response> response = (*transport)->Do(request);
    if (!response.ok()) {
      return response.error();
    }
    if (response->status / 100 != 2) {
      const std::string body = Redact(response->body, credentials->secrets);
      Error error = kube::ErrorFromAnswer(response->status, body);
      error.message = Printable(error.message);
      up = BlamesQuery(error.code, body);
      return error;
    }
    auto values = ReadPrometheusAnswer(
        response->body, source_.accepts_warnings ? OnWarning::kAccept : OnWarning::kRefuse);
    up = values.ok() || values.error().code != Code::kCorrupt;
    if (!values.ok()) {
      return Error{values.error().code, Redact(values.error().message, credentials->secrets)};
    }
    return values;
  }

  // As the files are now.
  Result<QueryCredentials> ReadCredentials(const kube::Request& request) const {
    QueryCredentials credentials;
    const auto add = [&](const std::string& name, std::string value) {
      credentials.headers.emplace_back(name, std::move(value));
    };
    for (const PrometheusSource::Header& header : source_.headers) {
      auto value = ReadHeaderText(header.value);
      if (!value.ok()) {
        return value.error().In("header " + header.name);
      }
      if (!header.value.file.empty()) {
        credentials.secrets.push_back(*value);
      }
      add(header.name, std::move(value).value());
    }
    if (!source_.bearer_token.empty()) {
      auto token = ReadHeaderText(source_.bearer_token);
      if (!token.ok()) {
        return token.error().In("bearerTokenFile");
      }
      credentials.secrets.push_back(*token);
      add("Authorization", "Bearer " + *token);
    }
    if (!source_.username.empty()) {
      auto password = ReadHeaderText(source_.password);
      if (!password.ok()) {
        return password.error().In("basic.passwordFile");
      }
      const std::string login = EncodeBase64(source_.username + ":" + *password);
      credentials.secrets.insert(credentials.secrets.end(), {*password, login});
      add("Authorization", "Basic " + login);
    }
    if (cloud_ != nullptr) {
      ASSIGN_OR_RETURN(QueryCredentials more, cloud_->For(request));
      std::ranges::move(more.headers, std::back_inserter(credentials.headers));
      std::ranges::move(more.secrets, std::back_inserter(credentials.secrets));
    }
    return credentials;
  }

  // Made for the first query, so that a certificate that is missing fails queries and not the
  // program.
  Result<kube::Transport*> Connected() {
    const std::lock_guard lock(mutex_);
    if (transport_ == nullptr) {
      kube::ConnectOptions options{.max_in_flight = source_.max_in_flight,
                                   .max_attempts = 1,  // the next evaluation is one
                                   .silence = source_.timeout,
                                   .stop = stop_};
      ASSIGN_OR_RETURN(transport_, kube::Connect(source_.connection, options));
    }
    return transport_.get();
  }

  const PrometheusSource source_;
  const std::stop_token stop_;
  const process::Clock& clock_;
  const SourceMetrics metrics_;
  const std::unique_ptr<CloudCredentials> cloud_;  // null: another login, or none
  std::mutex mutex_;                               // guards: transport_
  std::unique_ptr<kube::Transport> transport_;
  SharedAnswers<engine::MetricAnswer> answers_;  // last: its threads use the rest
};

PrometheusMetrics::PrometheusMetrics(const PrometheusOptions& options, const process::Clock& clock,
                                     const SourceMetrics& metrics) {
  for (const PrometheusSource& source : options.sources) {
    sources_.push_back(std::make_unique<Source>(source, options, clock, metrics));
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

void PrometheusMetrics::Start(const Query& query, const Done& done) {
  const Result<Source*> source = SourceOf(query);
  if (!source.ok()) {
    done(ForAll(source.error()));
    return;
  }
  (*source)->Start(query, done);
}

std::vector<telemetry::MetricsApiDebugState> PrometheusMetrics::DebugState() const {
  std::vector<telemetry::MetricsApiDebugState> all;
  for (const auto& source : sources_) {
    all.push_back(source->DebugState());
  }
  return all;
}

}  // namespace ballast::sources
