// Many policies that are evaluated and recorded as in the operator: real decisions on a noisy load,
// through the ledger's own functions.
//
// Each policy has one CPU metric of 3 to 12 pods, or a multiple of that, sampled every 15 s with
// 5 % of noise; its load may rise and fall over the day. Writes of scales succeed at once. All of
// this follows from the policy's number, so every run is the same.
//
// Thread-safety: none; one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/decision/snapshot.h"
#include "store/ledger.h"

namespace ballast::bench {

struct Pace {
  Duration period;        // of evaluations
  double swing = 0;       // the part of it by which the load varies over the day
  Duration late{};        // the answers for every other policy take that much longer
  std::int32_t size = 1;  // so many times the pods
};

class Policy {
 public:
  Policy(std::size_t number, const Pace& pace);

  // Evaluates at `now` and records. Returns the CPU seconds of this thread that the ledger used.
  double Evaluate(store::Ledger& ledger, Time now);

  const std::string& uid() const { return snapshot_.autoscaler.metadata.uid; }
  std::int64_t scalings() const { return scalings_; }

 private:
  // Fills in the metrics API's answer at that moment.
  void Instrument(Time now);

  const std::size_t number_;
  const Pace pace_;
  const double phase_;         // of the daily swing, in radians
  const double base_;          // millicores
  engine::Snapshot snapshot_;  // of the last evaluation
  std::int32_t replicas_;
  std::int64_t scalings_ = 0;
};

class Fleet {
 public:
  Fleet(std::size_t policies, const Pace& pace, Time begin);

  // Evaluates the next policy; all are spread evenly over the period.
  void EvaluateNext(store::Ledger& ledger);
  // Evaluates until that much simulated time has passed.
  void Live(store::Ledger& ledger, Duration span);

  Time now() const { return now_; }
  const std::vector<Policy>& policies() const { return policies_; }
  // CPU seconds of this thread in the ledger so far.
  double ledger_cpu() const { return ledger_cpu_; }
  std::int64_t scalings() const;

 private:
  const Pace pace_;
  const Duration step_;  // between two evaluations
  Time now_;
  std::size_t next_ = 0;
  double ledger_cpu_ = 0;
  std::vector<Policy> policies_;
};

// CPU time of the calling thread, and of the whole process, in seconds.
double ThreadCpu();
double ProcessCpu();

}  // namespace ballast::bench
