// Clients that send reviews at a fixed rate whatever comes back, over kept-alive TLS connections.
//
// Thread-safety: any thread; returns when all were sent.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tests/bench/webhook_process.h"

namespace ballast::bench {

// A review, and what the right answer to it contains.
struct Question {
  std::string body;
  std::string answer;
};

struct Measured {
  std::vector<double> milliseconds;  // of each review, from when it was due; sorted
  long wrong = 0;                    // answers, or none at all

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

// The questions go to /validate, each connection's in turn.
Measured SendSteadily(const WebhookProcess& server, const std::vector<Question>& questions,
                      const Pace& pace);

}  // namespace ballast::bench
