#include "store/writer/writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <latch>
#include <string>
#include <utility>
#include <vector>

#include "store/testing/test_store.h"

namespace ballast::store {
namespace {

using testing::At;

// Fails, or says that it was replaced by an empty one, as often as the test wants.
class ScriptedBackend final : public Backend {
 public:
  Result<Opened> Open(const std::stop_token&) override { return Opened{}; }
  Result<StoredState> Read() override { return StoredState{}; }
  Result<Applied> Apply(const Batch& batch) override {
    if (refusals > 0) {
      --refusals;
      return Error{Code::kFull, "no space"};
    }
    if (replacements > 0) {
      --replacements;
      return Applied{0, "aside"};
    }
    for (const Change& change : batch.changes) {
      made.push_back(Print(change));
    }
    return Applied{};
  }
  Result<Thinned> Thin(const Retention&, Time) override { return Thinned{}; }

  int refusals = 0;
  int replacements = 0;
  std::vector<std::string> made;
};

Batch Leads(const std::string& leader) {
  Batch batch;
  batch.changes.emplace_back(TermAdded{leader, true, At(0)});
  return batch;
}

struct Row {
  const char* name;
  int refusals;
  int replacements;
  bool opened;
  std::vector<std::string> made;
};

TEST(LedgerWriter, BringsEverythingInOrderWhateverHappens) {
  const Row kRows[] = {
      {"Sound", 0, 0, true, {"TermAdded a", "TermAdded b", "TermAdded beat"}},
      {"Refusing", 3, 0, true, {"TermAdded a", "TermAdded b", "TermAdded beat"}},
      {"Replaced",
       0,
       1,
       true,
       {"TermAdded a", "TermAdded b", "TermAdded beat", "TermAdded everything"}},
      {"OpenedLate",
       0,
       0,
       false,
       {"TermAdded joined", "TermAdded a", "TermAdded b", "TermAdded beat"}},
  };
  for (const Row& row : kRows) {
    SCOPED_TRACE(row.name);
    ScriptedBackend backend;
    backend.refusals = row.refusals;
    backend.replacements = row.replacements;
    const Error closed{Code::kUnavailable, "no such folder"};
    std::latch added(1);
    LedgerWriter::WriterState state;
    {
      LedgerWriter writer(backend, row.opened ? std::nullopt : std::optional(closed), {},
                          {.start = [] {},
                           .begin =
                               [&](LedgerWriter& begun) {
                                 added.wait();
                                 begun.AddQuietly(Leads("beat"));
                               },
                           .everything = [] { return Leads("everything"); },
                           .open = []() -> Result<LedgerWriter::Hooks::Joined> {
                             return LedgerWriter::Hooks::Joined{Leads("joined"), ""};
                           },
                           .now = [] { return At(0); }},
                          {std::chrono::hours(1), std::chrono::hours(1),
                           std::chrono::milliseconds(1), 100, std::size_t{1} << 20});
      Batch both = Leads("a");
      both.Append(Leads("b"));
      writer.Add(std::move(both));
      added.count_down();
      while (!writer.Flush(std::chrono::minutes(1)).ok()) {
      }
      state = writer.state();
    }
    // Each commit and each attempt at one has a beat; how many there are depends on time.
    const auto repeated = std::ranges::unique(backend.made);
    backend.made.erase(repeated.begin(), repeated.end());
    EXPECT_EQ(backend.made, row.made);
    EXPECT_EQ(state.set_aside, row.replacements > 0 ? "aside" : "");
    EXPECT_FALSE(state.problem);
  }
}

}  // namespace
}  // namespace ballast::store
