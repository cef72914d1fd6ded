// The webhook's HTTP side: POST /mutate and POST /validate with an AdmissionReview.
//
// A refused object is 200 with `allowed: false`. 400: another content type, no JSON, or no review
// of admission.k8s.io/v1, with the reason as text; 404, 405: another path or method. Thread-safety:
// as the Lookup's.
#pragma once

#include "operator/net/http_message.h"
#include "webhooks/review_handler.h"

namespace ballast::webhooks {

inline constexpr const char* kMutatePath = "/mutate";
inline constexpr const char* kValidatePath = "/validate";

// What the request has waited already is taken off the look-up's patience.
net::HttpResponse AnswerRequest(const net::HttpRequest& request, Lookup& lookup,
                                Hpas hpas = Hpas::kWarn, const OnVerdict& on_verdict = {});

}  // namespace ballast::webhooks
