#include "webhooks/http/review_endpoint.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace ballast::webhooks {
namespace {

constexpr const char* kJson = "application/json";

}  // namespace

net::HttpResponse AnswerRequest(const net::HttpRequest& request, ReviewOptions options,
                                const OnVerdict& on_verdict) {
  const bool mutate = request.path == kMutatePath;
  if (!mutate && request.path != kValidatePath) {
    return net::Refuse(404, "there is /mutate and /validate");
  }
  if (request.method != "POST") {
    return net::Refuse(405, "POST an AdmissionReview");
  }
  if (!request.content_type.starts_with(kJson)) {
    return net::Refuse(400, "the content type must be application/json");
  }
  options.timeout = std::max(options.timeout - request.waited, std::chrono::milliseconds(0));
  auto answer = AnswerReview(mutate ? AdmissionPhase::kMutate : AdmissionPhase::kValidate,
                             request.body, options, on_verdict);
  if (!answer.ok()) {
    return net::Refuse(400, answer.error().message);
  }
  return {.status = 200, .body = std::move(answer).value(), .content_type = kJson};
}

}  // namespace ballast::webhooks
