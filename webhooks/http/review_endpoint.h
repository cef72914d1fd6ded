// The webhook's HTTP endpoints: POST /mutate and POST /validate with an AdmissionReview.
//
// A denied object is a 200 with `allowed: false`.
//
// Thread-safety: any thread, if Lookup is thread-safe.
// Errors: 400 with the reason as text for another content type, malformed JSON, or no valid
// AdmissionReview of admission.k8s.io/v1; 404 for another path, 405 for another method.
#pragma once

#include "operator/net/http_message.h"
#include "webhooks/review_handler.h"

namespace ballast::webhooks {

inline constexpr const char* kMutatePath = "/mutate";
inline constexpr const char* kValidatePath = "/validate";

// The time that the request has waited already is subtracted from the ReviewOptions' timeout.
net::HttpResponse AnswerRequest(const net::HttpRequest& request, ReviewOptions options,
                                const OnVerdict& on_verdict = {});

}  // namespace ballast::webhooks
