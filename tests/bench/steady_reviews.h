// Sends reviews at a fixed rate, regardless of the answers, over keep-alive TLS connections.
//
// Thread-safety: any thread; SendSteadily returns after the last answer.
// Errors: wrong and missing answers are counted in Measured::wrong.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tests/bench/webhook_process.h"

namespace ballast::bench {

// A review, and a part that the right answer contains.
struct Question {
  std::string body;
  std::string answer;
};

struct Measured {
  std::vector<double> milliseconds;  // latency of each review since it was due; sorted
  long wrong = 0;                    // wrong or missing answers

  // The latency that `share` (0 to 1) of the reviews did not exceed.
  double At(double share) const {
    return milliseconds[static_cast<std::size_t>(share *
                                                 static_cast<double>(milliseconds.size() - 1))];
  }
};

struct Pace {
  int rate = 0;  // reviews a second
  int seconds = 0;
  int connections = 0;
};

// Posts the questions to /validate, each connection all of them in turn.
Measured SendSteadily(const WebhookProcess& server, const std::vector<Question>& questions,
                      const Pace& pace);

}  // namespace ballast::bench
