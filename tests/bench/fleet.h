// A fleet of policies that are evaluated and recorded as the operator does it: real decisions on a
// load with noise, through the ledger's own functions.
//
// Each policy has one CPU metric, sampled every 15 s, with 5 % of noise in each sample; its load
// may rise and fall in a day. Scale writes succeed at once. All of it follows from the policy's
// number, so that every run is the same.
//
// Thread-safety: none; one thread at a time. For benchmarks only.
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
  Duration period;   // of evaluations
  double swing = 0;  // by which part of it the load rises and falls in a day
};

class Policy {
 public:
  Policy(std::size_t number, const Pace& pace);

  // Evaluates at `now` and records. How much CPU time the ledger took of this thread, in seconds.
  double Evaluate(store::Ledger& ledger, Time now);

  const std::string& uid() const { return snapshot_.autoscaler.metadata.uid; }
  std::int64_t scalings() const { return scalings_; }

 private:
  // What the metrics API says at that moment.
  void Instrument(Time now);

  const std::size_t number_;
  const Pace pace_;
  const double phase_;         // of its day, in radians
  const double base_;          // millicores
  engine::Snapshot snapshot_;  // of the last evaluation
  std::int32_t replicas_;
  std::int64_t scalings_ = 0;
};

class Fleet {
 public:
  Fleet(std::size_t policies, const Pace& pace, Time begin);

  // Evaluates the next one; the times of all are spread evenly over the period.
  void EvaluateNext(store::Ledger& ledger);
  // Evaluates until that much time has passed for the fleet.
  void Live(store::Ledger& ledger, Duration span);

  Time now() const { return now_; }
  const std::vector<Policy>& policies() const { return policies_; }
  // CPU seconds that this thread has spent in the ledger.
  double ledger_cpu() const { return ledger_cpu_; }
  std::int64_t scalings() const;

 private:
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
