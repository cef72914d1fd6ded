// Any review gets either an error or an answer that parses, has at most 64 KiB and does not take
// long.
#include <time.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "webhooks/limits.h"
#include "webhooks/review_handler.h"
#include "webhooks/testing/test_review.h"

using namespace ballast;

namespace {

double ProcessorSeconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

void Require(bool holds) {
  if (!holds) {
    std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static webhooks::FakeLookup lookup(
      {.rivals = {{.who = "HorizontalPodAutoscaler shop/old", .hpa = "old"}}});
  const std::string_view body(reinterpret_cast<const char*>(data), size);
  for (const auto step : {webhooks::AdmissionPhase::kMutate, webhooks::AdmissionPhase::kValidate}) {
    for (const auto hpas : {webhooks::Hpas::kWarn, webhooks::Hpas::kRefuse}) {
      const double began = ProcessorSeconds();
      const auto answer = webhooks::AnswerReview(step, body, {lookup, hpas});
      // A hundred times what it takes with the sanitizers: anything worse than linear takes far
      // longer.
      Require(ProcessorSeconds() - began < 0.5 + static_cast<double>(size) * 1e-4);
      Require(!answer.ok() ||
              (answer->size() <= webhooks::kMaxAnswer && json::Parse(*answer).ok()));
    }
  }
  return 0;
}
