// For tests of the commands that read the ledger: evaluations recorded as the operator records
// them, and commands run with their output caught.
//
// Thread-safety: one thread at a time. For tests only.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "operator/cli/command.h"
#include "operator/controllers/evaluation.h"
#include "operator/engine/engine.h"
#include "operator/engine/test_snapshot.h"
#include "store/ledger.h"

namespace ballast::cli::testing {

using engine::testing::kNow;  // 2026-03-04T12:00:00Z

inline Time After(std::int64_t seconds) { return kNow + Duration::Seconds(seconds); }

// The policy shop/web with so many replicas and a queue of `queue` (10 a pod is the target), at a
// moment; evaluated every 15 s, the sample taken 5 s before.
inline engine::Snapshot WebAt(std::int64_t seconds, std::int32_t replicas,
                              const std::string& queue) {
  engine::Snapshot snapshot = engine::testing::MakePolicy(replicas);
  snapshot.now = After(seconds);
  snapshot.autoscaler.metadata.uid = "uid-web";
  snapshot.autoscaler.spec.mode = "Active";
  snapshot.metrics = {engine::testing::QueueOf(queue, After(seconds - 5))};
  snapshot.memory.reset();
  return snapshot;
}

// One autoscaler's life in a ledger.
class Life {
 public:
  explicit Life(store::Ledger& ledger) : ledger_(ledger) {}

  // Evaluates, carrying the memory along, and records; a write of the scale ends as `outcome` says.
  engine::Conclusion Evaluate(engine::Snapshot snapshot,
                              engine::Outcome outcome = {engine::Outcome::Kind::kWritten, ""}) {
    const Duration period = Duration::Seconds(15);
    if (!snapshot.memory) {
      snapshot.memory = memory_;
      snapshot.last_evaluation = last_;
    }
    last_ = snapshot.now;
    const engine::Decision decision = engine::Decide(snapshot);
    store::Evaluation evaluation = controllers::Describe(snapshot, decision, period);
    evaluation.seen = evaluation.decided = snapshot.now + Duration::Milliseconds(100);
    if (!decision.rescale) {
      outcome = {};
    }
    engine::Conclusion conclusion = engine::Conclude(snapshot, decision, outcome);
    const auto print = [&] { return controllers::Print(conclusion); };
    if (decision.rescale) {
      const auto intent = ledger_.RecordIntent(evaluation);
      ledger_.RecordOutcome(intent.id, outcome, snapshot.now + Duration::Milliseconds(200),
                            conclusion.memory, print);
    } else {
      ledger_.RecordEvaluation(evaluation, conclusion.memory, print);
    }
    memory_ = conclusion.memory;
    return conclusion;
  }

 private:
  store::Ledger& ledger_;
  engine::Memory memory_;
  std::optional<Time> last_;
};

// What a command printed and how it ended.
struct Answer {
  ExitStatus status = ExitStatus::kDone;
  std::string out;
  std::string error;
};

// Runs the subcommand that `add` adds, with these arguments after its name.
inline Answer Run(void (*add)(CLI::App&, ExitStatus&), std::vector<std::string> arguments) {
  Answer answer;
  CLI::App program;
  add(program, answer.status);
  arguments.insert(arguments.begin(), program.get_subcommands({}).front()->get_name());
  std::reverse(arguments.begin(), arguments.end());  // as CLI11 wants them
  ::testing::internal::CaptureStdout();
  ::testing::internal::CaptureStderr();
  program.parse(arguments);
  answer.out = ::testing::internal::GetCapturedStdout();
  answer.error = ::testing::internal::GetCapturedStderr();
  return answer;
}

}  // namespace ballast::cli::testing
