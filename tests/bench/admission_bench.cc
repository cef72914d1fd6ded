// How fast the webhook answers reviews over keep-alive TLS, and whether its memory stays flat. The
// webhook has a process of its own; clients send at a fixed rate regardless of the answers, and
// latency counts from when a review was due. CPU time and resident memory are read from /proc.
//
//   admission_bench [REVIEWS A SECOND] [SECONDS] [CONNECTIONS]
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "tests/bench/steady_reviews.h"
#include "tests/bench/webhook_process.h"
#include "webhooks/testing/test_review.h"

namespace {

using namespace ballast;

// An update as kubectl sends it: old and new object with managedFields, about 6 KiB.
std::string Review() {
  std::string managed = R"(,"managedFields":[)";
  for (int i = 0; i < 4; ++i) {
    managed += std::string(i == 0 ? "" : ",") +
               R"({"manager":"kubectl-client-side-apply","operation":"Update",)"
               R"("apiVersion":"ballast.dev/v1alpha1","time":"2026-04-08T04:42:29Z",)"
               R"("fieldsType":"FieldsV1","fieldsV1":{"f:spec":{"f:behavior":{"f:scaleDown":)"
               R"({"f:policies":{},"f:selectPolicy":{},"f:stabilizationWindowSeconds":{}}},)"
               R"("f:maxReplicas":{},"f:metrics":{},"f:minReplicas":{},"f:scaleTargetRef":{}}}})";
  }
  const std::string spec =
      R"("minReplicas":2,"mode":"Active","syncPeriodSeconds":15,"metrics":[)"
      R"({"type":"Resource","resource":{"name":"cpu","target":{"type":"Utilization",)"
      R"("averageUtilization":60}}},{"type":"External","external":{"metric":{"name":"queue",)"
      R"("selector":{"matchLabels":{"queue":"orders"}}},"target":{"type":"AverageValue",)"
      R"("averageValue":"30"}}}],"behavior":{"scaleDown":{"stabilizationWindowSeconds":300,)"
      R"("selectPolicy":"Max","policies":[{"type":"Percent","value":10,"periodSeconds":60}]}},)"
      R"("maxReplicas":)";
  return webhooks::ReviewJson("UPDATE", webhooks::PolicyJson(spec + "30", managed + "]"),
                              webhooks::PolicyJson(spec + "20", managed + "]"));
}

}  // namespace

int main(int count, char** arguments) {
  const auto argument = [&](int i, int fallback) {
    return count > i ? std::atoi(arguments[i]) : fallback;
  };
  const int rate = argument(1, 2000);
  const int seconds = argument(2, 20);
  const int connections = argument(3, 16);
  const bench::WebhookProcess server;
  const std::vector<bench::Question> questions = {{Review(), "\"allowed\":true"}};
  SendSteadily(server, questions, {rate, 3, connections});  // warm-up
  const bench::Usage before = server.usage();
  const bench::Measured measured = SendSteadily(server, questions, {rate, seconds, connections});
  const bench::Usage after = server.usage();

  const std::size_t reviews = measured.milliseconds.size();
  std::printf("%zu reviews of %zu bytes, %d a second, %d connections over TLS; %ld wrong\n",
              reviews, questions[0].body.size(), rate, connections, measured.wrong);
  std::printf("  latency  p50 %.2f ms  p99 %.2f ms  p99.9 %.2f ms  worst %.2f ms\n",
              measured.At(0.5), measured.At(0.99), measured.At(0.999), measured.At(1));
  const double micro = 1e6 / static_cast<double>(reviews);
  std::printf(
      "  server   %.0f us of CPU a review, %.0f us ready but not run; %.1f MiB resident before, "
      "%.1f MiB after\n",
      (after.cpu_seconds - before.cpu_seconds) * micro,
      (after.waiting_seconds - before.waiting_seconds) * micro, before.resident_mib,
      after.resident_mib);
  return measured.wrong == 0 ? 0 : 1;
}
