#include "tests/bench/steady_reviews.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <memory>
#include <thread>

#include "tests/support/http_client.h"

namespace ballast::bench {
namespace {

using Clock = std::chrono::steady_clock;

// Sends one review each `period` over one connection.
Measured Send(const WebhookProcess& server, const std::vector<Question>& questions,
              Clock::time_point begin, Clock::time_point end, Clock::duration period) {
  Measured measured;
  auto client = std::make_unique<support::HttpClient>(server.address(), server.ca());
  std::size_t next = 0;
  for (Clock::time_point due = begin; due < end; due += period) {
    std::this_thread::sleep_until(due);
    const Question& question = questions[next++ % questions.size()];
    const auto answer = client->Post("/validate", question.body);
    if (!answer || answer->status != 200 ||
        answer->body.find(question.answer) == std::string::npos) {
      ++measured.wrong;
      client = std::make_unique<support::HttpClient>(server.address(), server.ca());
    }
    measured.milliseconds.push_back(
        std::chrono::duration<double, std::milli>(Clock::now() - due).count());
  }
  return measured;
}

}  // namespace

Measured SendSteadily(const WebhookProcess& server, const std::vector<Question>& questions,
                      const Pace& pace) {
  const auto begin = Clock::now() + std::chrono::milliseconds(200);
  const auto end = begin + std::chrono::seconds(pace.seconds);
  const auto period = std::chrono::nanoseconds(1'000'000'000LL * pace.connections / pace.rate);
  std::vector<Measured> parts(static_cast<std::size_t>(pace.connections));
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    threads.emplace_back([&, i] {
      parts[i] = Send(server, questions, begin + period * i / parts.size(), end, period);
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

}  // namespace ballast::bench
