// A review as it comes over the wire, to the answer as it goes back.
//
// Thread-safety: as the Lookup's.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "api/base/result.h"
#include "webhooks/admit.h"
#include "webhooks/review.h"

namespace ballast::webhooks {

enum class Step { kMutate, kValidate };

// Told of each review answered, on the thread that answered it.
using OnVerdict = std::function<void(const Subject& subject, const Verdict& verdict)>;

// Of at most 64 KiB. kInvalid: `body` is no JSON, or no review of admission.k8s.io/v1. A refusal is
// no error.
Result<std::string> AnswerReview(Step step, std::string_view body, const Manner& manner,
                                 const OnVerdict& on_verdict = {});

}  // namespace ballast::webhooks
