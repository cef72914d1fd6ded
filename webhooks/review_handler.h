// Answers an admission review: from the body of the request to the body of the response.
//
// Thread-safety: any thread, if Lookup is thread-safe.
// Errors: kInvalid for a body that is not a valid AdmissionReview. A denial is not an error.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "api/base/result.h"
#include "webhooks/admit.h"
#include "webhooks/review.h"

namespace ballast::webhooks {

enum class AdmissionPhase { kMutate, kValidate };

// Called for each review that is answered, on the thread that answers it.
using OnVerdict = std::function<void(const ReviewSubject& subject, const Verdict& verdict)>;

// Returns at most 64 KiB. kInvalid: `body` is not JSON or not a review of admission.k8s.io/v1.
Result<std::string> AnswerReview(AdmissionPhase step, std::string_view body,
                                 const ReviewOptions& options, const OnVerdict& on_verdict = {});

}  // namespace ballast::webhooks
