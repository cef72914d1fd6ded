#include "webhooks/answer.h"

#include "webhooks/admit.h"

namespace ballast::webhooks {

Result<std::string> AnswerReview(Step step, std::string_view body, Lookup& lookup,
                                 const OnVerdict& on_verdict) {
  ASSIGN_OR_RETURN(const json::Document document, json::Parse(body));
  json::Decoder decoder(document);
  ASSIGN_OR_RETURN(const Review review, DecodeReview(decoder.root()));
  TRY(decoder.status());
  const Verdict verdict = step == Step::kMutate ? Default(review) : Validate(review, lookup);
  if (on_verdict) {
    on_verdict(review.subject, verdict);
  }
  return EncodeAnswer(review.subject, verdict);
}

}  // namespace ballast::webhooks
