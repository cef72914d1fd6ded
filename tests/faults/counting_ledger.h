// The ledger of a process, which tells of each evaluation that it is given. Most of them come to
// the same as the one before, so that the disk has one record of many.
//
// Thread-safety: the Ledger's.
// Errors: the Ledger's.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "store/ledger.h"

namespace ballast::faults {

class CountingLedger final : public store::Ledger {
 public:
  CountingLedger(std::unique_ptr<store::Ledger> ledger,
                 std::function<void(const store::Subject&)> on_evaluation)
      : ledger_(std::move(ledger)), on_evaluation_(std::move(on_evaluation)) {}

  Status Start(const std::stop_token& stop) override { return ledger_->Start(stop); }
  std::vector<store::OpenIntent> OpenIntents() const override { return ledger_->OpenIntents(); }
  std::optional<store::RecalledState> Recall(const std::string& uid, Time now) const override {
    return ledger_->Recall(uid, now);
  }
  std::string SpecOf(const std::string& uid) const override { return ledger_->SpecOf(uid); }
  bool KeepsDocuments(const store::EvaluationRecord& evaluation) const override {
    return ledger_->KeepsDocuments(evaluation);
  }
  void Append(const store::Record& record) override {
    std::visit(
        [this](const auto& one) {
          if constexpr (requires { one.evaluation.subject; }) {
            on_evaluation_(one.evaluation.subject);
          }
        },
        record);
    ledger_->Append(record);
  }
  Appended AppendDurably(const store::Intended& intended) override {
    on_evaluation_(intended.evaluation.subject);
    return ledger_->AppendDurably(intended);
  }
  Status Flush() override { return ledger_->Flush(); }
  store::LedgerHealth health() const override { return ledger_->health(); }

 private:
  const std::unique_ptr<store::Ledger> ledger_;
  const std::function<void(const store::Subject&)> on_evaluation_;
};

}  // namespace ballast::faults
