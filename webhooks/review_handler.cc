#include "webhooks/review_handler.h"

#include "webhooks/limits.h"

namespace ballast::webhooks {
namespace {

struct Judged {
  ReviewSubject subject;
  Verdict verdict;
};

Result<Judged> JudgeReview(AdmissionPhase step, std::string_view body,
                           const ReviewOptions& options) {
  const auto document = json::ParseAtMost(kMaxValues, body);
  if (document.ok()) {
    json::Decoder decoder(*document);
    ASSIGN_OR_RETURN(const Review review, DecodeReview(decoder.root()));
    TRY(decoder.status());
    return Judged{review.subject, step == AdmissionPhase::kMutate ? Default(review, options)
                                                                  : Validate(review, options)};
  }
  if (document.error().code != Code::kFull) {
    return document.error();
  }
  ASSIGN_OR_RETURN(const Outline outline, DecodeOutline(body));
  return Judged{outline.subject, step == AdmissionPhase::kMutate
                                     ? Verdict()
                                     : ValidateUnread(outline, "it " + document.error().message)};
}

}  // namespace

Result<std::string> AnswerReview(AdmissionPhase step, std::string_view body,
                                 const ReviewOptions& options, const OnVerdict& on_verdict) {
  ASSIGN_OR_RETURN(const Judged judged, JudgeReview(step, body, options));
  if (on_verdict) {
    on_verdict(judged.subject, judged.verdict);
  }
  return EncodeAnswer(judged.subject, judged.verdict);
}

}  // namespace ballast::webhooks
