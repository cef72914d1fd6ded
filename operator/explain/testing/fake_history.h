// A history of one autoscaler as plain values, which a test sets.
//
// Thread-safety: one thread at a time.
// Errors: those that a test sets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "store/history.h"

namespace ballast::explain {

class FakeHistory final : public store::History {
 public:
  std::vector<store::Entry> entries;                   // oldest first
  std::map<store::DecisionId, std::string> snapshots;  // JSON
  std::vector<store::SeriesPoint> evaluations;
  std::vector<store::ForeignChangeEntry> foreign_changes;
  std::vector<store::EditEntry> edits;
  std::vector<store::DelayEntry> delays;
  store::GapFacts pause;  // whatever the time
  std::optional<store::Reach> reach;

  Result<std::optional<store::Reach>> HowFarBack(const store::HistoryQuery& /*query*/) override {
    return reach;
  }
  Result<bool> Knows(const api::ObjectKey& /*key*/, const std::string& /*kind*/) override {
    return !entries.empty();
  }
  Result<std::vector<store::Subject>> Subjects() override { return std::vector<store::Subject>(); }
  Result<std::optional<store::Extent>> ExtentOf(const store::HistoryQuery& /*query*/) override {
    return entries.empty()
               ? std::nullopt
               : std::optional(store::Extent{entries.back().subject, entries.front().time,
                                             entries.back().until});
  }
  Result<std::vector<store::Entry>> Entries(const store::HistoryQuery& query) override {
    std::vector<store::Entry> found;
    for (const store::Entry& entry : entries) {
      if (entry.until >= query.since.value_or(entry.until) &&
          entry.time <= query.until.value_or(entry.time)) {
        found.push_back(entry);
      }
    }
    return found;
  }
  // Each entry is a part of its own.
  Status ForEachPart(const store::HistoryQuery& query, const store::Place& /*from*/,
                     const VisitPart& visit) override {
    const auto found = Entries(query).value();
    for (std::size_t i = 0; i < found.size(); ++i) {
      TRY(visit({found[i]}, i + 1 < found.size() ? found[i + 1].time - Duration{1}
                                                 : query.until.value_or(found[i].until)));
    }
    return Done{};
  }
  Result<std::optional<store::Newest>> FindNewest(const store::HistoryQuery& /*query*/,
                                                  std::int64_t /*count*/,
                                                  bool /*changes_only*/) override {
    return std::optional<store::Newest>();
  }
  Result<store::HistoryAt> Look(const store::HistoryQuery& /*query*/, Time /*at*/) override {
    return store::HistoryAt();
  }
  Result<std::vector<store::ReasonEntry>> Reasons(const store::Entry& /*entry*/) override {
    return std::vector<store::ReasonEntry>();
  }
  Result<std::vector<store::ForeignChangeEntry>> ForeignChanges(
      const store::HistoryQuery& query) override {
    return Within(query, foreign_changes, [](const auto& entry) { return entry.change.time; });
  }
  Result<std::vector<store::EditEntry>> Edits(const store::HistoryQuery& query) override {
    return Within(query, edits, [](const auto& entry) { return entry.edit.time; });
  }
  Result<std::vector<store::DelayEntry>> DelaysInRuns(const store::HistoryQuery& query) override {
    return Within(query, delays, [](const auto& entry) { return entry.delay.since; });
  }
  Result<store::GapFacts> Explain(const store::Subject* /*subject*/, Time /*from*/,
                                  Time /*to*/) override {
    return pause;
  }
  Status ForEach(const store::HistoryQuery& query, const Visit& visit) override {
    const auto found = Entries(query).value();
    for (const store::Entry& entry : found) {
      TRY(visit(entry, {snapshots[entry.id], ""}));
    }
    return Done{};
  }
  Status ForEachEvaluation(const store::HistoryQuery& query,
                           const VisitEvaluation& visit) override {
    for (const store::SeriesPoint& point :
         Within(query, evaluations, [](const auto& one) { return one.time; })) {
      TRY(visit(entries.front().subject, point));
    }
    return Done{};
  }
  std::int64_t damaged() const override { return 0; }

 private:
  template <typename T, typename TimeOf>
  static std::vector<T> Within(const store::HistoryQuery& query, const std::vector<T>& all,
                               TimeOf time_of) {
    std::vector<T> found;
    for (const T& one : all) {
      const Time time = time_of(one);
      if (time >= query.since.value_or(time) && time <= query.until.value_or(time)) {
        found.push_back(one);
      }
    }
    return found;
  }
};

}  // namespace ballast::explain
