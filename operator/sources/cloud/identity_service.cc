#include "operator/sources/cloud/identity_service.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>

#include "api/base/printable.h"
#include "operator/kube/answer_limit.h"
#include "operator/kube/http/connect.h"
#include "operator/kube/status_error.h"
#include "operator/sources/query_credentials.h"

namespace ballast::sources {
namespace {

constexpr std::chrono::seconds kTimeout{5};
constexpr double kMostSeconds = 1e11;  // about the year 5000

}  // namespace

Result<json::Document> AskIdentityService(const IdentityService& service, kube::Request request,
                                          const std::vector<std::string>& secrets) {
  const auto refuse = [&](const std::string& why) {
    return Error{Code::kUnavailable,
                 service.url + " gave no credential: " + Printable(Redact(why, secrets))};
  };
  request.timeout = kTimeout;
  request.limit = kube::kQueryResult;
  request.any_status = true;
  kube::ConnectOptions options{.max_in_flight = 1, .max_attempts = 2, .silence = kTimeout};
  options.api_server = false;
  options.stop = service.stop;
  const auto transport =
      kube::Connect({.server = service.url, .proxy_url = service.proxy_url}, options);
  if (!transport.ok()) {
    return refuse(transport.error().message);
  }
  const auto response = (*transport)->Do(request);
  if (!response.ok()) {
    return refuse(response.error().message);
  }
  if (response->status / 100 != 2) {
    return refuse(kube::ErrorFromAnswer(response->status, response->body).message);
  }
  auto document = kube::ParseAnswer(response->body, request.limit);
  return document.ok() ? std::move(document) : refuse("its answer is no JSON");
}

Error UnreadableCredential(const IdentityService& service, const Status& status) {
  return {Code::kUnavailable, service.url + " gave no credential: its answer cannot be read: " +
                                  status.error().message};
}

std::int64_t WholeSeconds(double given) {
  return static_cast<std::int64_t>(std::isfinite(given) ? std::clamp(given, 0.0, kMostSeconds) : 0);
}

}  // namespace ballast::sources
