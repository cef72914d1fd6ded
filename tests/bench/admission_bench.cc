// How fast reviews are answered over kept-alive TLS, and whether memory stays flat: the webhook in
// a process of its own, clients that send at a fixed rate whatever comes back (latency counts from
// when a review was due), the server's CPU and resident memory from /proc.
//
//   admission_bench [REVIEWS A SECOND] [SECONDS] [CONNECTIONS]
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "tests/bench/webhook_process.h"
#include "tests/support/http_client.h"
#include "webhooks/test_review.h"

namespace {

using namespace ballast;
using Clock = std::chrono::steady_clock;

// An update as kubectl sends it: both states with managedFields, about 6 KiB.
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

struct Measured {
  std::vector<double> milliseconds;
  long wrong = 0;
};

// One connection, one review each `period`.
Measured Send(const std::string& address, const std::string& ca, const std::string& review,
              Clock::time_point begin, Clock::time_point end, Clock::duration period) {
  Measured measured;
  support::HttpClient client(address, ca);
  for (Clock::time_point due = begin; due < end; due += period) {
    std::this_thread::sleep_until(due);
    const auto answer = client.Post("/validate", review);
    if (!answer || answer->status != 200 ||
        answer->body.find("\"allowed\":true") == std::string::npos) {
      ++measured.wrong;
    }
    measured.milliseconds.push_back(
        std::chrono::duration<double, std::milli>(Clock::now() - due).count());
  }
  return measured;
}

Measured Load(const std::string& address, const std::string& ca, int rate, int seconds,
              int connections) {
  const std::string review = Review();
  const auto begin = Clock::now() + std::chrono::milliseconds(200);
  const auto period = std::chrono::nanoseconds(1'000'000'000LL * connections / rate);
  std::vector<Measured> parts(static_cast<std::size_t>(connections));
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    threads.emplace_back([&, i] {
      parts[i] = Send(address, ca, review, begin + period * i / parts.size(),
                      begin + std::chrono::seconds(seconds), period);
    });
  }
  Measured all;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    threads[i].join();
    all.wrong += parts[i].wrong;
    all.milliseconds.insert(all.milliseconds.end(), parts[i].milliseconds.begin(),
                            parts[i].milliseconds.end());
  }
  std::sort(all.milliseconds.begin(), all.milliseconds.end());
  return all;
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
  Load(server.address(), server.ca(), rate, 3, connections);  // warm
  const bench::Usage before = server.usage();
  const Measured measured = Load(server.address(), server.ca(), rate, seconds, connections);
  const bench::Usage after = server.usage();

  const std::vector<double>& sorted = measured.milliseconds;
  const auto at = [&](double share) {
    return sorted[static_cast<std::size_t>(share * static_cast<double>(sorted.size() - 1))];
  };
  std::printf("%zu reviews of %zu bytes, %d a second, %d connections over TLS; %ld wrong\n",
              sorted.size(), Review().size(), rate, connections, measured.wrong);
  std::printf("  latency  p50 %.2f ms  p99 %.2f ms  p99.9 %.2f ms  worst %.2f ms\n", at(0.5),
              at(0.99), at(0.999), at(1));
  const double micro = 1e6 / static_cast<double>(sorted.size());
  std::printf(
      "  server   %.0f us of CPU a review, %.0f us ready but not run; %.1f MiB resident before, "
      "%.1f MiB after\n",
      (after.cpu_seconds - before.cpu_seconds) * micro,
      (after.waiting_seconds - before.waiting_seconds) * micro, before.resident_mib,
      after.resident_mib);
  return measured.wrong == 0 ? 0 : 1;
}
