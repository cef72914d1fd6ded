#include "operator/cli/testing/test_records.h"

#include <utility>

#include "operator/session/evaluation_record.h"
#include "store/testing/open_ledger.h"
#include "tests/support/test_patience.h"

namespace ballast::cli::testing {

Time After(std::int64_t seconds) { return engine::testing::kNow + Duration::Seconds(seconds); }

engine::Snapshot WebAt(std::int64_t seconds, std::int32_t replicas, const std::string& queue) {
  engine::Snapshot snapshot = engine::testing::MakePolicy(replicas);
  snapshot.now = After(seconds);
  snapshot.autoscaler.metadata.uid = "uid-web";
  snapshot.autoscaler.spec.mode = "Active";
  snapshot.metrics = {engine::testing::QueueOf(queue, After(seconds - 5))};
  snapshot.memory.reset();
  return snapshot;
}

engine::Conclusion Life::Evaluate(engine::Snapshot snapshot, engine::Outcome outcome) {
  const Duration period = Duration::Seconds(15);
  if (!snapshot.memory) {
    snapshot.memory = memory_;
    snapshot.last_evaluation = last_;
  }
  last_ = snapshot.now;
  const engine::Decision decision = engine::Decide(snapshot);
  store::EvaluationRecord evaluation = session::Describe(snapshot, decision, period);
  evaluation.seen = evaluation.decided = snapshot.now + Duration::Milliseconds(100);
  if (!decision.rescale) {
    outcome = {};
  }
  engine::Conclusion conclusion = engine::Conclude(snapshot, decision, outcome);
  if (decision.rescale) {
    const auto intent = ledger_.AppendDurably(store::Intended{evaluation});
    ledger_.Append(store::Concluded{intent.id, outcome, snapshot.now + Duration::Milliseconds(200),
                                    conclusion.memory, &conclusion});
  } else {
    ledger_.Append(store::Evaluated{evaluation, conclusion.memory, &conclusion});
  }
  memory_ = conclusion.memory;
  return conclusion;
}

RecordsTest::RecordsTest()
    : ledger_(std::move(store::testing::OpenLedger(path_, {.intent_timeout = support::Patience()}))
                  .value()),
      web_(*ledger_) {}

Answer RecordsTest::Ask(AddCommand add, std::vector<std::string> arguments) {
  EXPECT_TRUE(!ledger_ || ledger_->Flush().ok());
  arguments.insert(arguments.end(), {"--store", path_, "--utc"});
  return testing::Run(add, std::move(arguments));
}

}  // namespace ballast::cli::testing
