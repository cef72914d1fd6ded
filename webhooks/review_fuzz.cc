// Whatever comes as a review, the answer can be read, or there is a reason for none.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "webhooks/answer.h"
#include "webhooks/test_review.h"

using namespace ballast;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static webhooks::FakeLookup lookup({.rivals = {{"HorizontalPodAutoscaler shop/old"}}});
  const std::string_view body(reinterpret_cast<const char*>(data), size);
  for (const auto step : {webhooks::Step::kMutate, webhooks::Step::kValidate}) {
    const auto answer = webhooks::AnswerReview(step, body, lookup);
    if (answer.ok() && !json::Parse(*answer).ok()) {
      std::abort();
    }
  }
  return 0;
}
