// A back end in memory: what batches leave, without a disk. It is the oracle for tests of the other
// back end: a store that has applied the same prefix of batches loads the same state.
//
// It keeps what a ledger continues from; of the history only the decisions.
//
// Thread-safety: one thread at a time.
// Errors: nothing fails.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "store/backend.h"

namespace ballast::store {

class InMemoryBackend final : public Backend {
 public:
  Result<Opened> Open(const std::stop_token& stop) override;
  Result<StoredState> Read() override;
  Result<Applied> Apply(const Batch& batch) override;
  Result<Thinned> Thin(const Retention& retention, Time now) override;

 private:
  struct KeptDecision {
    Subject subject;
    Time time;
    Time decided;
    std::int32_t from = 0;
    std::int32_t to = 0;
    Disposition disposition = Disposition::kNone;
    bool ready = false;
    std::optional<std::int64_t> generation;
  };
  struct InMemoryApplier;  // applies a change

  std::map<std::string, Time> NewestAttempts() const;
  static OpenIntent OpenIntentOf(DecisionId id, const KeptDecision& decision);
  static void Follow(LastReplicas& last, DecisionId id, const KeptDecision& decision);

  std::map<DecisionId, KeptDecision> decisions_;
  std::map<std::string, LoadedMemory> memories_;  // by uid
  std::map<std::string, LoadedSpec> specs_;       // by uid
  std::vector<JournalEntry> journal_;
  std::int64_t next_journal_ = 1;
  Time heartbeat_ = Time(0, 0);
};

}  // namespace ballast::store
