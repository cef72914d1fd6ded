#include "operator/explain/merged_history.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <tuple>
#include <utility>

namespace ballast::explain {
namespace {

using store::AutoscalerPlace;
using store::Entry;
using store::EntryPage;
using store::Evaluation;
using store::FullEntry;
using store::HistoryAt;
using store::HistoryQuery;
using store::PagedHistory;

auto PlaceOf(const store::Subject& subject, Time time) {
  return std::tuple(subject.key.namespace_, subject.key.name, subject.uid, time);
}

bool IsAbout(const HistoryAt& found, Time at) {
  return found.last && at <= found.last->known_until();
}

void SetLedger(const std::string& ledger, HistoryAt& found) {
  for (std::optional<Entry>* entry : {&found.last, &found.next, &found.kept}) {
    if (*entry) {
      (*entry)->ledger = ledger;
    }
  }
  if (found.foreign_change) {
    found.foreign_change->ledger = ledger;
  }
  for (store::EditEntry& edit : found.edits) {
    edit.ledger = ledger;
  }
}

void Lower(std::optional<Time>& earliest, const std::optional<Time>& time) {
  if (time && (!earliest || *time < *earliest)) {
    earliest = time;
  }
}

// Appends what a ledger has, with its name if that has a place.
template <typename Item>
void Append(const std::string& ledger, std::vector<Item> more, std::vector<Item>& all) {
  for (Item& item : more) {
    if constexpr (requires { item.ledger; }) {
      item.ledger = ledger;
    }
    all.push_back(std::move(item));
  }
}

}  // namespace

std::string PodOf(const std::string& leader) { return leader.substr(0, leader.find('_')); }

MergedHistory::MergedHistory(std::vector<NamedLedger> ledgers) : ledgers_(std::move(ledgers)) {}

// Asks each ledger, and uses what it answers.
template <typename Call, typename Use>
Status MergedHistory::Ask(Call call, Use use) {
  for (NamedLedger& ledger : ledgers_) {
    if (ledger.lost) {
      continue;
    }
    auto answer = call(*ledger.history);
    if (answer.ok()) {
      use(ledger, std::move(answer).value());
    } else {
      ledger.lost = answer.error();
    }
  }
  return AnyLeft();
}

Status MergedHistory::AnyLeft() const {
  const bool left = std::ranges::any_of(ledgers_, [](const NamedLedger& one) { return !one.lost; });
  return left || ledgers_.empty() ? Status(Done{}) : *ledgers_.front().lost;
}

Result<std::optional<store::Reach>> MergedHistory::HowFarBack(const HistoryQuery& query) {
  std::optional<store::Reach> all;
  TRY(Ask([&](PagedHistory& one) { return one.HowFarBack(query); },
          [&](const NamedLedger&, std::optional<store::Reach> reach) {
            if (reach && (!all || (reach->deleted != all->deleted ? reach->deleted
                                   : all->deleted                 ? reach->since > all->since
                                                                  : reach->since < all->since))) {
              all = std::move(reach);
            }
          }));
  return all;
}

Result<bool> MergedHistory::Knows(const api::ObjectKey& key, const std::string& kind) {
  bool known = false;
  TRY(Ask([&](PagedHistory& one) { return one.Knows(key, kind); },
          [&](const NamedLedger&, bool knows) { known = known || knows; }));
  return known;
}

Result<std::vector<store::Subject>> MergedHistory::Subjects() {
  std::vector<store::Subject> all;
  TRY(Ask([](PagedHistory& one) { return one.Subjects(); },
          [&](const NamedLedger&, std::vector<store::Subject> subjects) {
            for (store::Subject& subject : subjects) {
              if (std::ranges::find(all, subject) == all.end()) {
                all.push_back(std::move(subject));
              }
            }
          }));
  std::ranges::stable_sort(all, {}, [](const store::Subject& subject) {
    return std::tie(subject.key.namespace_, subject.key.name);
  });
  return all;
}

Result<std::optional<store::Extent>> MergedHistory::ExtentOf(const HistoryQuery& query) {
  std::optional<store::Extent> all;
  TRY(Ask([&](PagedHistory& one) { return one.ExtentOf(query); },
          [&](const NamedLedger&, std::optional<store::Extent> extent) {
            if (extent && all) {
              extent->from = std::min(extent->from, all->from);
              all->from = extent->from;
            }
            if (extent && (!all || extent->until > all->until)) {
              all = std::move(extent);
            }
          }));
  return all;
}

Status MergedHistory::ForEachPart(const HistoryQuery& query, const store::Place& from,
                                  const VisitPart& visit) {
  struct Reading {
    NamedLedger* ledger;
    EntryPage page;  // its entries have not been visited
  };
  std::vector<Reading> readings;
  for (NamedLedger& ledger : ledgers_) {
    if (!ledger.lost) {
      readings.push_back({&ledger, {{}, {}, from}});
    }
  }
  for (bool more = true; more;) {
    // What all ledgers are known to have is visited.
    std::optional<Time> until;
    Time end;
    for (auto& [ledger, page] : readings) {
      if (page.next && page.entries.empty()) {
        auto read = ledger->history->ReadEntryPage(query, *page.next);
        if (read.ok()) {
          page = std::move(read).value();
        } else {
          page = {};
          ledger->lost = read.error();
        }
      }
      end = std::max(end, page.until);
      if (page.next) {
        Lower(until, page.until);
      }
    }
    TRY(AnyLeft());
    more = until.has_value();
    std::vector<Entry> part;
    for (auto& [ledger, page] : readings) {
      const auto first = page.entries.begin();
      const auto last = more ? std::ranges::upper_bound(page.entries, *until, {}, &Entry::time)
                             : page.entries.end();
      Append(ledger->name, {std::move_iterator(first), std::move_iterator(last)}, part);
      page.entries.erase(first, last);
    }
    std::ranges::stable_sort(part, {}, &Entry::time);
    TRY(visit(std::move(part), until.value_or(end)));
  }
  return Done{};
}

Result<std::optional<store::Newest>> MergedHistory::FindNewest(const HistoryQuery& query,
                                                               std::int64_t count) {
  std::vector<std::pair<Time, store::DecisionId>> places;  // of each one's newest
  std::int64_t left_out = 0;
  std::optional<Time> oldest;
  const auto find = [&](PagedHistory& one) -> Status {
    ASSIGN_OR_RETURN(const auto newest, one.FindNewest(query, count));
    if (newest) {
      left_out += newest->left_out;
      Lower(oldest, newest->oldest);
    }
    return one.ForEachPart(query, newest ? newest->from : store::Place(),
                           [&](const std::vector<Entry>& part, Time /*until*/) -> Status {
                             for (const Entry& entry : part) {
                               if (!query.changes_only || entry.changes()) {
                                 places.emplace_back(entry.time, entry.id);
                               }
                             }
                             return Done{};
                           });
  };
  TRY(Ask(find, [](const NamedLedger&, Done) {}));
  std::ranges::sort(places);
  const auto more = std::max<std::int64_t>(std::ssize(places) - count, 0);
  if (more > 0) {
    Lower(oldest, places.front().first);
  }
  if (left_out + more == 0) {
    return std::optional<store::Newest>();
  }
  const auto& [time, id] = places[static_cast<std::size_t>(more)];
  return std::optional(store::Newest{{time, id}, left_out + more, *oldest});
}

Result<HistoryAt> MergedHistory::Look(const HistoryQuery& query, Time at) {
  std::vector<HistoryAt> found;
  TRY(Ask([&](PagedHistory& one) { return one.Look(query, at); },
          [&](const NamedLedger& ledger, HistoryAt one) {
            SetLedger(ledger.name, one);
            found.push_back(std::move(one));
          }));
  const auto chosen = std::ranges::max_element(found, {}, [&](const HistoryAt& one) {
    return std::pair(IsAbout(one, at), one.last ? std::optional(one.last->time) : std::nullopt);
  });
  contradicting_.clear();
  for (auto other = found.begin(); other != found.end(); ++other) {
    if (other == chosen) {
      continue;
    }
    if (other->next && (!chosen->next || other->next->time < chosen->next->time)) {
      chosen->next = other->next;
    }
    if (IsAbout(*chosen, at) && IsAbout(*other, at) && other->last->until >= chosen->last->time &&
        other->last->desired_replicas != chosen->last->desired_replicas) {
      contradicting_.push_back(*other->last);
    }
    chosen->heartbeat = std::max(chosen->heartbeat, other->heartbeat);
  }
  return chosen == found.end() ? HistoryAt() : std::move(*chosen);
}

// What all ledgers answer, oldest first.
template <typename Item, typename Call, typename TimeOf>
Result<std::vector<Item>> MergedHistory::Collect(Call call, TimeOf time_of) {
  std::vector<Item> all;
  TRY(Ask(call, [&](const NamedLedger& ledger, std::vector<Item> items) {
    Append(ledger.name, std::move(items), all);
  }));
  std::ranges::stable_sort(all, {}, time_of);
  return all;
}

Result<std::vector<store::ForeignChangeEntry>> MergedHistory::ForeignChanges(
    const HistoryQuery& query) {
  return Collect<store::ForeignChangeEntry>(
      [&](PagedHistory& one) { return one.ForeignChanges(query); },
      [](const store::ForeignChangeEntry& one) { return one.change.time; });
}

Result<std::vector<store::EditEntry>> MergedHistory::Edits(const HistoryQuery& query) {
  return Collect<store::EditEntry>([&](PagedHistory& one) { return one.Edits(query); },
                                   [](const store::EditEntry& one) { return one.edit.time; });
}

Result<std::vector<store::DelayEntry>> MergedHistory::DelaysInRuns(const HistoryQuery& query) {
  return Collect<store::DelayEntry>([&](PagedHistory& one) { return one.DelaysInRuns(query); },
                                    [](const store::DelayEntry& one) { return one.delay.since; });
}

bool MergedHistory::HasLedgerOf(const std::string& leader) const {
  const std::string pod = PodOf(leader);
  return std::ranges::any_of(ledgers_, [&](const NamedLedger& ledger) {
    return !ledger.lost && ledger.name.substr(ledger.name.find('/') + 1) == pod;
  });
}

Result<store::GapFacts> MergedHistory::Explain(const store::Subject* subject, Time from, Time to) {
  store::GapFacts all;
  std::optional<Duration> down;
  TRY(Ask([&](PagedHistory& one) { return one.Explain(subject, from, to); },
          [&](const NamedLedger&, store::GapFacts facts) {
            // What another replica did is in its ledger, which is asked too.
            if (facts.leader && !HasLedgerOf(*facts.leader)) {
              all.leader = std::move(facts.leader);
            }
            down = std::min(down.value_or(facts.down), facts.down);
            all.in_vain = all.in_vain || facts.in_vain;
            all.unserved = all.unserved || facts.unserved;
            all.delay = all.delay ? all.delay : std::move(facts.delay);
            all.others = all.others || facts.others;
          }));
  all.down = down.value_or(Duration());
  return all;
}

// Visits what the ledgers have in one order; each has its own in that order.
template <typename Item, typename Read, typename OrderOf, typename VisitItem>
Status MergedHistory::MergePages(Read read, OrderOf order_of, VisitItem visit) {
  struct Reading {
    NamedLedger* ledger;
    store::PageOf<Item> page;
    std::size_t visited = 0;  // of its items
  };
  std::vector<Reading> readings;
  for (NamedLedger& ledger : ledgers_) {
    if (!ledger.lost) {
      readings.push_back({&ledger, {{}, AutoscalerPlace()}});
    }
  }
  for (;;) {
    Reading* next = nullptr;
    for (Reading& one : readings) {
      while (one.visited == one.page.items.size() && one.page.next) {
        auto page = read(*one.ledger->history, *one.page.next);
        one.visited = 0;
        if (page.ok()) {
          one.page = std::move(page).value();
        } else {
          one.page = {};
          one.ledger->lost = page.error();
        }
      }
      if (one.visited < one.page.items.size() &&
          (next == nullptr ||
           order_of(one.page.items[one.visited]) < order_of(next->page.items[next->visited]))) {
        next = &one;
      }
    }
    if (next == nullptr) {
      return AnyLeft();
    }
    TRY(visit(next->ledger->name, next->page.items[next->visited++]));
  }
}

Status MergedHistory::ForEach(const HistoryQuery& query, const Visit& visit) {
  return MergePages<FullEntry>(
      [&](PagedHistory& one, const AutoscalerPlace& from) {
        return one.ReadDecisionPage(query, from);
      },
      [](const FullEntry& one) { return PlaceOf(one.entry.subject, one.entry.time); },
      [&](const std::string& ledger, FullEntry& one) {
        one.entry.ledger = ledger;
        return visit(one);
      });
}

Status MergedHistory::ForEachEvaluation(const HistoryQuery& query, const VisitEvaluation& visit) {
  return MergePages<Evaluation>(
      [&](PagedHistory& one, const AutoscalerPlace& from) {
        return one.ReadEvaluationPage(query, from);
      },
      [](const Evaluation& one) { return PlaceOf(one.subject, one.point.time); },
      [&](const std::string& /*ledger*/, const Evaluation& one) {
        return visit(one.subject, one.point);
      });
}

std::int64_t MergedHistory::damaged() const {
  std::int64_t all = 0;
  for (const NamedLedger& ledger : ledgers_) {
    all += ledger.history->damaged();
  }
  return all;
}

}  // namespace ballast::explain
