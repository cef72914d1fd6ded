// How the webhook serves honest callers during an attack. Attackers on keep-alive TLS connections
// send, as fast as they are answered, the worst known bodies of every size; beside them reviews as
// API servers send them come at a fixed rate. Fails if the server's memory, an answer's size or the
// honest callers' latency is out of bounds.
//
//   hostile_reviews_bench [SECONDS] [HOSTILE CLIENTS] [HONEST REVIEWS A SECOND]
#include <signal.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "tests/bench/steady_reviews.h"
#include "tests/bench/webhook_process.h"
#include "tests/support/http_client.h"
#include "webhooks/testing/test_review.h"

namespace {

using namespace ballast;

constexpr double kMaxResidentMib = 128;
constexpr std::size_t kMaxAnswer = std::size_t{64} * 1024;
constexpr double kMaxP99 = 250;  // ms
constexpr int kHonestConnections = 8;
constexpr const char* kBounds = R"("minReplicas":2,"maxReplicas":5)";

std::string Fill(const std::string& piece, std::size_t size) {
  std::string out;
  out.reserve(size + piece.size());
  while (out.size() < size) {
    out += (out.empty() ? "" : ",") + piece;
  }
  return out;
}

// "PIECE0":VALUE,"PIECE1":VALUE,...
std::string Members(const std::string& name, const std::string& value, std::size_t size) {
  std::string out;
  out.reserve(size + 64);
  for (int i = 0; out.size() < size; ++i) {
    out += (i == 0 ? "\"" : ",\"") + name + std::to_string(i) + "\":" + value;
  }
  return out;
}

struct Attack {
  const char* path;
  std::string body;
};

std::string Metrics(const std::string& elements) {
  return std::string(kBounds) + R"(,"metrics":[)" + elements + "]";
}

// The attacks, with bodies of about that size.
std::vector<Attack> Attacks(std::size_t size) {
  using namespace webhooks;
  const auto labels = [](const std::string& members) { return R"(,"labels":{)" + members + "}"; };
  const auto texts = [](const std::string& text) {
    return R"(,"annotations":{"a":")" + text + "\"}";
  };
  const auto create = [](const std::string& object) { return ReviewJson("CREATE", object); };
  const auto update = [](const std::string& object) {
    return ReviewJson("UPDATE", object, PolicyJson(R"("maxReplicas":9)"));
  };
  const std::string odd = R"({"type":"Odd","resource":{"target":{"type":"Odder"}}})";
  return {
      {"/validate", create(HpaJson(Metrics(Fill("null", size))))},
      {"/validate", create(HpaJson(Metrics(Fill("{}", size))))},
      {"/validate", update(HpaJson(Metrics(Fill(odd, size))))},
      {"/validate", create(PolicyJson(Metrics(Fill("1", size))))},
      {"/validate", create(PolicyJson(Metrics(Fill(odd, size))))},
      {"/validate", update(PolicyJson(Metrics(Fill("[[[[[]]]]]", size))))},
      {"/validate", create(PolicyJson(kBounds, labels(Members("no key!", "\"\"", size))))},
      {"/validate", create(PolicyJson(kBounds, labels(Members("k", "7", size))))},
      {"/validate", update(PolicyJson(kBounds, texts(std::string(size, 'x'))))},
      {"/validate", create(PolicyJson(kBounds, texts(Fill("\\u0001", size))))},
      {"/validate", create(PolicyJson(kBounds + (R"(,"mode":")" + std::string(size, 'm')) + "\""))},
      {"/validate", create(PolicyJson(std::string(kBounds) + "," + Members("f", "{}", size)))},
      {"/validate", create("[" + Fill("[]", size) + "]")},
      {"/validate", std::string(size, '[')},
      {"/validate",
       create(HpaJson(Metrics(
           R"({"type":"Resource","resource":{"name":"cpu","target":{"type":"Value","value":")" +
           std::string(size, '1') + R"("}}})")))},
      {"/mutate", create(PolicyJson(kBounds, labels(Members("k", "\"v\"", size))))},
      {"/mutate", create(PolicyJson(Metrics(Fill("1", size))))},
      {"/mutate", create(PolicyJson(Metrics(
                      R"({"type":"Pods","pods":{"metric":{"name":"m","selector":{"matchLabels":{)" +
                      Members("k", "\"v\"", size) + R"(}}},"target":{"type":"Value"}}})")))},
  };
}

constexpr std::size_t kSizes[] = {1000, 8000, 64'000, 100'000, 1'000'000, 4'000'000, 5'000'000};

// The answers to bodies of one size.
struct Tally {
  std::map<int, long> by_status;  // 0: the connection was closed
  std::size_t largest_answer = 0;
};

class Hostile {
 public:
  Hostile() {
    for (const std::size_t size : kSizes) {
      attacks_.emplace_back(size, Attacks(size));
    }
  }

  void Attack(const bench::WebhookProcess& server, unsigned seed, const std::atomic<bool>& done) {
    // Real attackers use machines of their own. Here they share the cores, so they get less
    // priority.
    setpriority(PRIO_PROCESS, 0, getpriority(PRIO_PROCESS, 0) + 10);
    std::mt19937 random(seed);
    auto client = std::make_unique<support::HttpClient>(server.address(), server.ca());
    while (!done) {
      const auto& [size, bodies] = attacks_[random() % attacks_.size()];
      const auto& attack = bodies[random() % bodies.size()];
      const auto answer = client->Post(attack.path, attack.body);
      if (!answer || answer->status != 200) {
        client = std::make_unique<support::HttpClient>(server.address(), server.ca());
      }
      const std::lock_guard lock(mutex_);
      Tally& tally = tallies_[size];
      ++tally.by_status[answer ? answer->status : 0];
      tally.largest_answer = std::max(tally.largest_answer, answer ? answer->body.size() : 0);
    }
  }

  const std::map<std::size_t, Tally>& tallies() const { return tallies_; }

 private:
  std::vector<std::pair<std::size_t, std::vector<::Attack>>> attacks_;
  std::mutex mutex_;  // guards: tallies_
  std::map<std::size_t, Tally> tallies_;
};

std::vector<bench::Question> HonestReviews() {
  using namespace webhooks;
  const std::string spec =
      Metrics(R"({"type":"Resource","resource":{"name":"cpu","target":{"type":"Utilization",)"
              R"("averageUtilization":60}}})");
  const std::string large = R"(,"annotations":{"note":")" + std::string(29'000, 'n') + "\"}";
  return {{ReviewJson("CREATE", PolicyJson(spec)), "\"allowed\":true"},
          {ReviewJson("CREATE", PolicyJson(R"("maxReplicas":0)")), "\"allowed\":false"},
          {ReviewJson("UPDATE", PolicyJson(spec + R"(,"mode":"DryRun")", large),
                      PolicyJson(spec, large)),
           "\"allowed\":true"}};
}

// Returns the size of the largest answer.
std::size_t Print(const Hostile& hostile) {
  std::size_t largest = 0;
  std::printf("  %12s %8s %8s %8s %8s %8s %16s\n", "bytes, about", "200", "400", "413", "503",
              "hung up", "largest answer");
  for (const auto& [size, tally] : hostile.tallies()) {
    const auto of = [&tally = tally](int status) {
      const auto found = tally.by_status.find(status);
      return found == tally.by_status.end() ? 0 : found->second;
    };
    std::printf("  %12zu %8ld %8ld %8ld %8ld %8ld %16zu\n", size, of(200), of(400), of(413),
                of(503), of(0), tally.largest_answer);
    largest = std::max(largest, tally.largest_answer);
  }
  return largest;
}

}  // namespace

int main(int count, char** arguments) {
  const auto argument = [&](int i, int fallback) {
    return count > i ? std::atoi(arguments[i]) : fallback;
  };
  const int seconds = argument(1, 20);
  const int clients = argument(2, 64);
  const int rate = argument(3, 40);
  signal(SIGPIPE, SIG_IGN);
  const bench::WebhookProcess server;
  const auto questions = HonestReviews();
  SendSteadily(server, questions, {rate, 2, kHonestConnections});  // warm-up
  const bench::Usage before = server.usage();
  Hostile hostile;
  std::atomic<bool> done = false;
  std::vector<std::thread> threads;
  for (int i = 0; i < clients; ++i) {
    threads.emplace_back([&, i] { hostile.Attack(server, static_cast<unsigned>(i), done); });
  }
  const bench::Measured honest =
      SendSteadily(server, questions, {rate, seconds, kHonestConnections});
  done = true;
  for (std::thread& thread : threads) {
    thread.join();
  }
  const bench::Usage after = server.usage();

  std::printf("%d hostile clients for %d seconds; what their reviews were answered:\n", clients,
              seconds);
  const std::size_t largest = Print(hostile);
  std::printf("  honest   %zu reviews, %ld wrong; p50 %.1f ms  p99 %.1f ms  worst %.1f ms\n",
              honest.milliseconds.size(), honest.wrong, honest.At(0.5), honest.At(0.99),
              honest.At(1));
  std::printf(
      "  server   %.1f MiB resident before, %.1f MiB at the most; %.1f s of CPU, %.1f s ready but "
      "not run\n",
      before.resident_mib, after.peak_mib, after.cpu_seconds - before.cpu_seconds,
      after.waiting_seconds - before.waiting_seconds);
  const bool kept = honest.wrong == 0 && largest <= kMaxAnswer &&
                    after.peak_mib < kMaxResidentMib && honest.At(0.99) < kMaxP99;
  std::printf("  %s\n", kept ? "all bounds are kept" : "a bound is NOT kept");
  return kept ? 0 : 1;
}
