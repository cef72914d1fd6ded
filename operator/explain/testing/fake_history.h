// A history of one autoscaler as plain values, which a test sets. Its pages have one item each.
//
// Thread-safety: one thread at a time.
// Errors: those that a test sets.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "store/paged_history.h"

namespace ballast::explain {

class FakeHistory final : public store::PagedHistory {
 public:
  std::vector<store::Entry> entries;                   // oldest first
  std::map<store::DecisionId, std::string> snapshots;  // JSON
  std::vector<store::SeriesPoint> evaluations;
  std::vector<store::ForeignChangeEntry> foreign_changes;
  std::vector<store::EditEntry> edits;
  std::vector<store::DelayEntry> delays;
  store::GapFacts pause;  // whatever the time
  std::optional<store::Reach> reach;
  store::HistoryAt at;         // whatever the time
  std::optional<Error> error;  // of all pages after the first one

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
  Result<store::EntryPage> ReadEntryPage(const store::HistoryQuery& query,
                                         const store::Place& from) override {
    const auto found = Select(query);
    const auto first = std::ranges::find_if(found, [&](const store::Entry& entry) {
      return std::pair(entry.time, entry.id) >= std::pair(from.time, from.id);
    });
    if (first == found.end()) {
      return store::EntryPage{{}, query.until.value_or(from.time), {}};
    }
    if (error && first != found.begin()) {
      return *error;
    }
    const auto next = first + 1;
    return next == found.end()
               ? store::EntryPage{{*first}, query.until.value_or(first->until), {}}
               : store::EntryPage{
                     {*first}, next->time - Duration{1}, store::Place{next->time, next->id}};
  }
  Result<std::optional<store::Newest>> FindNewest(const store::HistoryQuery& query,
                                                  std::int64_t count) override {
    auto found = Select(query);
    std::erase_if(found, [&](const auto& entry) { return query.changes_only && !entry.changes(); });
    const std::int64_t left_out = std::ssize(found) - count;
    if (left_out <= 0) {
      return std::optional<store::Newest>();
    }
    const store::Entry& from = found[static_cast<std::size_t>(left_out)];
    return std::optional(store::Newest{{from.time, from.id}, left_out, found.front().time});
  }
  Result<store::HistoryAt> Look(const store::HistoryQuery& /*query*/, Time /*at*/) override {
    return at;
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
  Result<store::DecisionPage> ReadDecisionPage(const store::HistoryQuery& query,
                                               const store::AutoscalerPlace& from) override {
    std::vector<store::FullEntry> all;
    for (const store::Entry& entry : Select(query)) {
      all.push_back({entry, {snapshots[entry.id], ""}, {}});
    }
    return PageAt(all, from);
  }
  Result<store::EvaluationPage> ReadEvaluationPage(const store::HistoryQuery& query,
                                                   const store::AutoscalerPlace& from) override {
    std::vector<store::Evaluation> all;
    for (const store::SeriesPoint& point :
         Within(query, evaluations, [](const auto& one) { return one.time; })) {
      all.push_back({entries.front().subject, point});
    }
    return PageAt(all, from);
  }
  std::int64_t damaged() const override { return 0; }

 private:
  // The number of a place is that of the item.
  template <typename Item>
  Result<store::PageOf<Item>> PageAt(const std::vector<Item>& all,
                                     const store::AutoscalerPlace& from) const {
    const auto index = static_cast<std::size_t>(from.place.id);
    if (error && index > 0) {
      return *error;
    }
    store::PageOf<Item> page;
    if (index < all.size()) {
      page.items.push_back(all[index]);
      page.next = store::AutoscalerPlace{{}, {}, {{}, from.place.id + 1}};
    }
    return page;
  }
  std::vector<store::Entry> Select(const store::HistoryQuery& query) const {
    std::vector<store::Entry> found;
    for (const store::Entry& entry : entries) {
      if (entry.until >= query.since.value_or(entry.until) &&
          entry.time <= query.until.value_or(entry.time)) {
        found.push_back(entry);
      }
    }
    return found;
  }

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
