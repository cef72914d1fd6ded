// One history out of several ledgers. A ledger has what its process did while it led, so they
// complement each other: of a moment one has a decision, and the others have a gap.
//
// A ledger that gives no answer is asked nothing more, and the history has what the others have:
// whoever prints it says so (`lost`).
//
// Thread-safety: one thread at a time.
// Errors: those of the ledgers, if none is left that answers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "store/paged_history.h"

namespace ballast::explain {

// The pod of a leader, which is named as its pod, and "_" and a number of its process.
std::string PodOf(const std::string& leader);

class MergedHistory final : public store::History {
 public:
  struct NamedLedger {
    std::string name;                        // that its entries have
    store::PagedHistory* history = nullptr;  // must outlive this object
    std::optional<Error> lost = {};          // why it gave no answer
  };
  explicit MergedHistory(std::vector<NamedLedger> ledgers);

  const std::vector<NamedLedger>& ledgers() const { return ledgers_; }

  // What else the ledgers say of the moment of the last Look: decisions that were in effect while
  // its last one was, with another count.
  const std::vector<store::Entry>& contradicting() const { return contradicting_; }

  // Of several ledgers: since all that have lost something have everything.
  Result<std::optional<store::Reach>> HowFarBack(const store::HistoryQuery& query) override;
  Result<bool> Knows(const api::ObjectKey& key, const std::string& kind) override;
  Result<std::vector<store::Subject>> Subjects() override;
  Result<std::optional<store::Extent>> ExtentOf(const store::HistoryQuery& query) override;
  Status ForEachPart(const store::HistoryQuery& query, const store::Place& from,
                     const VisitPart& visit) override;
  Result<std::optional<store::Newest>> FindNewest(const store::HistoryQuery& query,
                                                  std::int64_t count) override;
  // What the ledger has that knows of the moment itself rather than of one before; of several, the
  // one with the latest decision.
  Result<store::HistoryAt> Look(const store::HistoryQuery& query, Time at) override;
  Result<std::vector<store::ForeignChangeEntry>> ForeignChanges(
      const store::HistoryQuery& query) override;
  Result<std::vector<store::EditEntry>> Edits(const store::HistoryQuery& query) override;
  Result<std::vector<store::DelayEntry>> DelaysInRuns(const store::HistoryQuery& query) override;
  // Of a time in which no ledger has an evaluation.
  Result<store::GapFacts> Explain(const store::Subject* subject, Time from, Time to) override;
  Status ForEach(const store::HistoryQuery& query, const Visit& visit) override;
  Status ForEachEvaluation(const store::HistoryQuery& query, const VisitEvaluation& visit) override;
  std::int64_t damaged() const override;

 private:
  template <typename Call, typename Use>
  Status Ask(Call call, Use use);
  template <typename Item, typename Call, typename TimeOf>
  Result<std::vector<Item>> Collect(Call call, TimeOf time_of);
  template <typename Item, typename Read, typename OrderOf, typename VisitItem>
  Status MergePages(Read read, OrderOf order_of, VisitItem visit);
  // The error of the first one, if none is left.
  Status AnyLeft() const;
  bool HasLedgerOf(const std::string& leader) const;

  std::vector<NamedLedger> ledgers_;
  std::vector<store::Entry> contradicting_;
};

}  // namespace ballast::explain
