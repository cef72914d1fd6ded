// A ledger on store/in_memory that records on the caller's thread, and shows as values what it has:
// a test needs no file, no thread and no query.
//
// Thread-safety: one thread at a time.
// Errors: none but what a test sets.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "api/decision/snapshot_json.h"
#include "api/json/json_writer.h"
#include "store/fold/batch.h"
#include "store/fold/ledger_state.h"
#include "store/in_memory/in_memory_backend.h"
#include "store/ledger.h"
#include "store/packing/compress.h"

namespace ballast::session {

class InMemoryLedger final : public store::Ledger {
 public:
  InMemoryLedger() { (void)Start({}); }

  // The process ends and another one starts with the same store.
  void Restart() {
    Apply(state_.End());
    state_ = store::LedgerState();
    (void)Start({});
  }

  Status Start(const std::stop_token& stop) override {
    auto opened = backend_.Open(stop).value();
    for (store::OpenIntent& intent : opened.state.intents) {
      intent.snapshot = snapshots[intent.id];
    }
    Apply(state_.Adopt(std::move(opened.state)));
    return Done{};
  }
  void Append(const store::Record& record) override {
    before_append(record);
    Apply(state_.Apply(record));
    Apply(state_.Beat());
  }
  Appended AppendDurably(const store::Intended& intended) override {
    Append(intended);
    if (intended.evaluation.snapshot != nullptr) {
      json::Writer writer;
      engine::Encode(writer, *intended.evaluation.snapshot);
      snapshots[state_.newest()] = writer.Take();
    }
    return {state_.newest(), Done{}};
  }
  std::vector<store::OpenIntent> OpenIntents() const override { return state_.open_intents(); }
  std::optional<store::RecalledState> Recall(const std::string& uid, Time now) const override {
    return state_.Recall(uid, now);
  }
  std::string SpecOf(const std::string& uid) const override {
    const std::string packed = state_.SpecOf(uid);
    return packed.empty() ? "" : store::Decompress(packed).value();
  }
  bool KeepsDocuments(const store::EvaluationRecord& evaluation) const override {
    return state_.WantsDocuments(evaluation);
  }
  Status Flush() override { return Done{}; }
  store::LedgerHealth health() const override { return says; }

  store::LedgerHealth says;  // what health() returns
  // May throw, as a defect does: then the record is not taken.
  std::function<void(const store::Record&)> before_append = [](const store::Record&) {};
  std::map<store::DecisionId, std::string> snapshots;  // of intents, as JSON

  // The history. Each decision has its present disposition.
  std::map<store::DecisionId, store::DecisionAdded> decisions;
  std::map<store::DecisionId, Time> pods_ready;
  std::vector<store::Edit> edits;
  std::vector<store::ForeignChange> foreign_changes;

 private:
  void Apply(const store::Batch& batch) {
    for (const store::Change& change : batch.changes) {
      if (const auto* added = std::get_if<store::DecisionAdded>(&change)) {
        decisions[added->id] = *added;
      } else if (const auto* settled = std::get_if<store::DecisionSettled>(&change)) {
        decisions[settled->id].disposition = settled->disposition;
      } else if (const auto* corrected = std::get_if<store::DispositionCorrected>(&change)) {
        decisions[corrected->id].disposition = corrected->disposition;
      } else if (const auto* ready = std::get_if<store::PodsGotReady>(&change)) {
        pods_ready[ready->id] = ready->time;
      } else if (const auto* edit = std::get_if<store::EditAdded>(&change)) {
        edits.push_back(edit->edit);
      } else if (const auto* foreign = std::get_if<store::ForeignChangeAdded>(&change)) {
        foreign_changes.push_back(foreign->change);
      }
    }
    (void)backend_.Apply(batch);
  }

  store::InMemoryBackend backend_;
  store::LedgerState state_;
};

}  // namespace ballast::session
