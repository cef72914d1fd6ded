#include "tests/bench/fleet.h"

#include <algorithm>
#include <cmath>
#include <ctime>
#include <numbers>
#include <string>
#include <utility>

#include "operator/engine/engine.h"
#include "operator/engine/testing/test_snapshot.h"
#include "operator/session/evaluation_record.h"

namespace ballast::bench {
namespace {

constexpr std::int32_t kMostReplicas = 20;  // times the size
constexpr double kTarget = 50;              // millicores used by a pod, of the 100 that it requests
constexpr std::int64_t kSampling = 15;      // seconds
constexpr std::int64_t kSampleAge = 2;      // seconds, at least

double Seconds(clockid_t clock) {
  std::timespec time{};
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

// Approximately normal with a deviation of 1; determined by the seed.
double Noise(std::uint64_t seed) {
  seed = (seed ^ (seed >> 30)) * 0xbf58476d1ce4e5b9U;
  seed = (seed ^ (seed >> 27)) * 0x94d049bb133111ebU;
  seed ^= seed >> 31;
  double sum = 0;
  for (int shift = 0; shift < 64; shift += 16) {
    sum += static_cast<double>(seed >> shift & 0xffff) / 0xffff;
  }
  return (sum - 2) * std::numbers::sqrt3;
}

// So many pods. All policies share them: differences between pods do not matter here.
engine::PodList Pods(std::int32_t count) {
  static engine::PodList pods;
  while (std::ssize(pods) < count) {
    pods.push_back(engine::testing::MakePod("pod-" + std::to_string(pods.size())));
  }
  return {pods.begin(), pods.begin() + count};
}

}  // namespace

double ThreadCpu() { return Seconds(CLOCK_THREAD_CPUTIME_ID); }
double ProcessCpu() { return Seconds(CLOCK_PROCESS_CPUTIME_ID); }

Policy::Policy(std::size_t number, const Pace& pace)
    : number_(number),
      pace_(pace),
      phase_(static_cast<double>(number % 24) / 12 * std::numbers::pi),
      base_(kTarget * static_cast<double>(3 + number % 10) * pace.size),
      replicas_(static_cast<std::int32_t>(3 + number % 10) * pace.size) {
  snapshot_ = engine::testing::MakePolicy(1);
  api::Autoscaler& policy = snapshot_.autoscaler;
  policy.metadata.name = "web-" + std::to_string(number);
  policy.metadata.uid = "0d9f4c3e-5b1a-4f0e-9c57-" + std::to_string(100'000'000'000 + number);
  policy.spec.mode = "Active";
  policy.spec.min_replicas = 2;
  policy.spec.max_replicas = kMostReplicas * pace.size;
  policy.spec.metrics = {engine::testing::CpuMetric()};
  snapshot_.memory.reset();
}

void Policy::Instrument(Time now) {
  const std::int64_t sampled = (now.unix_seconds() - kSampleAge) / kSampling * kSampling;
  const double day = static_cast<double>(sampled % 86'400) / 43'200 * std::numbers::pi;
  const double load = base_ * (1 + pace_.swing * std::sin(day + phase_));
  const auto noise = [&](std::int32_t pod) {
    return 1 + 0.05 * Noise((number_ << 40) + (static_cast<std::uint64_t>(sampled) << 9) +
                            static_cast<std::uint64_t>(pod + 1));
  };
  const double whole = load * noise(-1);
  std::vector<std::string> usage;
  for (std::int32_t i = 0; i < replicas_; ++i) {
    const double pod = whole / replicas_ * noise(i);
    usage.push_back(std::to_string(static_cast<std::int64_t>(std::max(1.0, pod * 1e6))) + "n");
  }
  snapshot_.metrics = {engine::testing::CpuOf(usage, Time(sampled, 0))};
}

double Policy::Evaluate(store::Ledger& ledger, Time now) {
  snapshot_.last_evaluation =
      snapshot_.memory ? std::optional(snapshot_.now) : std::optional<Time>();
  snapshot_.now = now;
  snapshot_.pods = Pods(replicas_);
  api::Scale scale;
  scale.spec_replicas = scale.status_replicas = replicas_;
  scale.selector = "app=web";
  snapshot_.scale = scale;
  Instrument(now);

  const engine::Decision decision = engine::Decide(snapshot_);
  store::EvaluationRecord evaluation = session::Describe(snapshot_, decision, pace_.period);
  evaluation.seen = evaluation.decided = now + Duration::Milliseconds(20);
  const engine::Outcome outcome{
      decision.rescale ? engine::Outcome::Kind::kWritten : engine::Outcome::Kind::kNotAttempted,
      ""};
  engine::Conclusion conclusion = engine::Conclude(snapshot_, decision, outcome);

  const double before = ThreadCpu();
  if (decision.rescale) {
    const auto intent = ledger.AppendDurably(store::Intended{evaluation});
    ledger.Append(store::Concluded{intent.id, outcome, now + Duration::Milliseconds(40),
                                   conclusion.memory, &conclusion});
  } else {
    ledger.Append(store::Evaluated{evaluation, conclusion.memory, &conclusion});
  }
  const double used = ThreadCpu() - before;

  if (decision.rescale) {
    replicas_ = decision.target_replicas;
    ++scalings_;
  }
  snapshot_.memory = std::move(conclusion.memory);
  snapshot_.autoscaler.status = std::move(conclusion.status);
  return used;
}

Fleet::Fleet(std::size_t policies, const Pace& pace, Time begin)
    : pace_(pace),
      step_{pace.period.nanoseconds / static_cast<std::int64_t>(policies)},
      now_(begin) {
  policies_.reserve(policies);
  for (std::size_t i = 0; i < policies; ++i) {
    policies_.emplace_back(i, pace);
  }
}

void Fleet::EvaluateNext(store::Ledger& ledger) {
  const Time began = next_ % 2 == 0 ? now_ : now_ - pace_.late;
  ledger_cpu_ += policies_[next_].Evaluate(ledger, began);
  next_ = (next_ + 1) % policies_.size();
  now_ = now_ + step_;
}

void Fleet::Live(store::Ledger& ledger, Duration span) {
  for (const Time end = now_ + span; now_ < end;) {
    EvaluateNext(ledger);
  }
}

std::int64_t Fleet::scalings() const {
  std::int64_t sum = 0;
  for (const Policy& policy : policies_) {
    sum += policy.scalings();
  }
  return sum;
}

}  // namespace ballast::bench
