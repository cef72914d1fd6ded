// How fast reviews are answered over kept-alive TLS, and whether memory stays flat: the webhook in
// a process of its own, clients that send at a fixed rate whatever comes back (latency counts from
// when a review was due), the server's CPU and resident memory from /proc.
//
//   admission_bench [REVIEWS A SECOND] [SECONDS] [CONNECTIONS]
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "operator/net/http_server.h"
#include "tests/support/certificates.h"
#include "tests/support/http_client.h"
#include "webhooks/serve/http.h"
#include "webhooks/serve/server_options.h"
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

// Serves until it is ended; its address goes into the pipe.
[[noreturn]] void Serve(const support::KeyPair& pair, int pipe) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  webhooks::FakeLookup lookup({.target = webhooks::Facts::Target::kFound, .replicas = 3});
  const auto identity = std::make_shared<net::TlsIdentity>();
  if (!identity->Set(pair.certificate, pair.key).ok()) {
    std::abort();
  }
  const auto server = net::HttpServer::Start(
      "127.0.0.1:0",
      [&](const net::HttpRequest& request) { return webhooks::AnswerRequest(request, lookup); },
      webhooks::ServerOptions(identity));
  const std::string address = (*server)->address();
  if (write(pipe, address.data(), address.size()) < 0) {
    std::abort();
  }
  close(pipe);
  while (true) {
    pause();
  }
}

struct Usage {
  double cpu_seconds = 0;
  double waiting_seconds = 0;  // ready to run, while others had the cores
  double resident_mib = 0;
};

double WaitingSeconds(const std::string& folder) {
  double nanoseconds = 0;
  for (const auto& thread : std::filesystem::directory_iterator(folder + "/task")) {
    std::ifstream file(thread.path() / "schedstat");
    double running = 0;
    double waiting = 0;
    file >> running >> waiting;
    nanoseconds += waiting;
  }
  return nanoseconds / 1e9;
}

Usage UsageOf(pid_t process) {
  const std::string folder = "/proc/" + std::to_string(process);
  std::ifstream statm(folder + "/statm");
  long pages = 0;
  statm >> pages >> pages;
  std::ifstream stat(folder + "/stat");
  std::string field;
  long user = 0;
  long system = 0;
  for (int i = 1; i < 14; ++i) {
    stat >> field;
  }
  stat >> user >> system;
  return {static_cast<double>(user + system) / static_cast<double>(sysconf(_SC_CLK_TCK)),
          WaitingSeconds(folder), static_cast<double>(pages * sysconf(_SC_PAGESIZE)) / (1 << 20)};
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
  const support::CertificateAuthority ca;
  const support::KeyPair pair = ca.Issue("bench", {"IP:127.0.0.1"});
  int ends[2];
  if (pipe(ends) != 0) {
    return 1;
  }
  const pid_t server = fork();
  if (server == 0) {
    Serve(pair, ends[1]);
  }
  char text[64] = {};
  if (read(ends[0], text, sizeof text - 1) <= 0) {
    return 1;
  }
  const std::string address = text;
  Load(address, ca.certificate(), rate, 3, connections);  // warm
  const Usage before = UsageOf(server);
  const Measured measured = Load(address, ca.certificate(), rate, seconds, connections);
  const Usage after = UsageOf(server);
  kill(server, SIGTERM);
  waitpid(server, nullptr, 0);

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
