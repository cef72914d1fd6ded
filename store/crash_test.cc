// kill -9 at random moments: what the ledger acknowledged is on disk, and memory and history agree.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <random>
#include <set>
#include <thread>

#include "store/fold/ledger_state.h"
#include "store/in_memory/in_memory_backend.h"
#include "store/sqlite/reader.h"
#include "store/sqlite/sqlite_backend.h"
#include "store/testing/open_ledger.h"
#include "store/testing/picture.h"
#include "store/testing/test_store.h"

namespace ballast::store {
namespace {

using testing::At;
using testing::EvaluationOf;
using testing::kConclusion;
using testing::kWritten;
using testing::PrefixOf;
using testing::Quick;

constexpr int kAutoscalers = 3;
constexpr std::size_t kEvents = 20;  // how many scale events the child's memory keeps

// What the child reports: an intent is durable, or everything up to its outcome is on disk.
struct Said {
  enum Kind : std::int64_t { kIntended, kFlushed } kind;
  DecisionId id;
};

std::string NameOf(DecisionId id) { return "web" + std::to_string(id % kAutoscalers); }

// The memory after the write of decision `id`; its id serves as its time.
engine::Memory After(DecisionId id, engine::Memory memory) {
  const Time time = At(static_cast<double>(id));
  memory.recommendations = {{time, static_cast<std::int32_t>(id)}};
  memory.scale_ups.push_back({time, 1});
  if (memory.scale_ups.size() > kEvents) {
    memory.scale_ups.erase(memory.scale_ups.begin());
  }
  return memory;
}

engine::Memory Before(const Ledger& ledger, DecisionId id) {
  const auto recalled = ledger.Recall("uid-" + NameOf(id), At(static_cast<double>(id)));
  return recalled ? recalled->memory : engine::Memory{};
}

EvaluationRecord Attempted(DecisionId id) {
  EvaluationRecord evaluation = EvaluationOf(NameOf(id), static_cast<double>(id), 1, 2);
  evaluation.readings = {{"Resource/cpu", "AverageValue", id, evaluation.time}};
  return evaluation;
}

// When the child is killed.
enum class Killed {
  kSinceStart,        // some time after its start
  kSinceFirstIntent,  // some time after its first report
  kAtFirstIntent,     // before it appends the outcome
};

// Scales until the process is killed; returns only if something is wrong.
void ScaleUntilKilled(const std::string& path, DecisionId next, Killed killed, int tell) {
  auto opened = testing::OpenLedger(path, Quick());
  if (!opened.ok()) {
    return;
  }
  Ledger& ledger = **opened;
  for (;; ++next) {
    const auto intent = ledger.AppendDurably(Intended{Attempted(next)});
    if (!intent.durable.ok() || intent.id != next) {
      return;
    }
    Said said{Said::kIntended, next};
    if (write(tell, &said, sizeof said) != sizeof said) {
      return;
    }
    if (killed == Killed::kAtFirstIntent) {
      pause();
    }
    ledger.Append(Concluded{next, kWritten, At(static_cast<double>(next)),
                            After(next, Before(ledger, next)), &kConclusion});
    if (next % 7 == 0 && ledger.Flush().ok()) {
      said.kind = Said::kFlushed;
      if (write(tell, &said, sizeof said) != sizeof said) {
        return;
      }
    }
  }
}

// The batches that the child makes for a store with `before`: the one at its start, and two for
// each decision up to `last`.
std::vector<Batch> BatchesOf(InMemoryBackend before, DecisionId next, DecisionId last) {
  LedgerState state;
  std::vector<Batch> batches{state.Adopt(before.Open({})->state)};
  for (; next <= last; ++next) {
    batches.push_back(state.Apply(Intended{Attempted(next)}));
    const Time now = At(static_cast<double>(next));
    const auto recalled = state.Recall("uid-" + NameOf(next), now);
    const engine::Memory memory = After(next, recalled ? recalled->memory : engine::Memory{});
    batches.push_back(state.Apply(Concluded{next, kWritten, now, memory, nullptr}));
  }
  return batches;
}

// How many of those batches must be on disk after that report.
std::size_t Acknowledged(const Said& said, DecisionId next) {
  return 2 * static_cast<std::size_t>(said.id - next) + (said.kind == Said::kFlushed ? 3 : 2);
}

// Settles the open intents, as the test does through the ledger.
void SettleAll(InMemoryBackend& store) {
  LedgerState state;
  (void)store.Apply(state.Adopt(store.Open({})->state));
  for (const OpenIntent& intent : state.open_intents()) {
    const auto recalled = state.Recall(intent.subject.uid, intent.time);
    const engine::Memory memory = After(intent.id, recalled ? recalled->memory : engine::Memory{});
    (void)store.Apply(state.Apply(Concluded{intent.id, kWritten, intent.time, memory, nullptr}));
  }
  (void)store.Apply(state.End());
}

// Runs the child, kills it, after `life` if that has to pass, and returns what it reported.
std::vector<Said> RunAndKill(const std::string& path, DecisionId next, Killed killed,
                             std::chrono::microseconds life) {
  std::array<int, 2> pipe{};
  EXPECT_EQ(::pipe(pipe.data()), 0);
  const pid_t child = fork();
  if (child == 0) {
    close(pipe[0]);
    ScaleUntilKilled(path, next, killed, pipe[1]);
    _exit(1);
  }
  close(pipe[1]);
  std::vector<Said> said;
  Said one{};
  if (killed != Killed::kSinceStart && read(pipe[0], &one, sizeof one) == sizeof one) {
    said.push_back(one);
  }
  if (killed != Killed::kAtFirstIntent) {
    std::this_thread::sleep_for(life);
  }
  kill(child, SIGKILL);
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status)) << "the child gave up by itself";
  while (read(pipe[0], &one, sizeof one) == sizeof one) {
    said.push_back(one);
  }
  close(pipe[0]);
  return said;
}

std::map<DecisionId, Entry> HistoryOf(const std::string& path) {
  std::map<DecisionId, Entry> history;
  auto reader = Reader::Open(path);
  EXPECT_TRUE(reader.ok()) << reader.error().message;
  auto entries = (*reader)->Entries({});
  EXPECT_TRUE(entries.ok()) << entries.error().message;
  for (auto& entry : *entries) {
    history[entry.id] = std::move(entry);
  }
  return history;
}

// The memory that the attempts in `history` leave.
engine::Memory Expected(const std::map<DecisionId, Entry>& history, const std::string& name) {
  engine::Memory memory;
  for (const auto& [id, entry] : history) {
    if (entry.subject.key.name == name && entry.disposition == Disposition::kWritten) {
      memory = After(id, memory);
    }
  }
  return memory;
}

// Checks that for each recorded evaluation from `first` on its readings are recorded, too.
void ExpectReadings(const std::string& path, const std::map<DecisionId, Entry>& history,
                    DecisionId first) {
  if (history.empty()) {
    return;
  }
  const auto reader = Reader::Open(path).value();
  for (auto next = history.lower_bound(first); next != history.end(); ++next) {
    const auto& [id, entry] = *next;
    const auto looked = reader->Look({.key = entry.subject.key}, entry.time);
    ASSERT_TRUE(looked.ok()) << looked.error().message;
    const auto& seen = *looked;
    ASSERT_TRUE(seen.point) << id;
    EXPECT_EQ(seen.point->time, entry.time) << id;
    EXPECT_EQ(seen.point->readings.at(0).milli, id);
  }
}

TEST(Ledger, LosesNothingAcknowledgedWhenKilled) {
  const char* given = std::getenv("BALLAST_SEED");
  const auto seed = given != nullptr ? std::strtoul(given, nullptr, 10) : 1UL;
  SCOPED_TRACE("BALLAST_SEED=" + std::to_string(seed));
  std::mt19937 random(static_cast<std::mt19937::result_type>(seed));
  const testing::Folder folder;
  const std::string path = folder.Path("db");
  InMemoryBackend oracle;
  DecisionId next = 1;
  std::size_t acknowledged = 0;
  std::size_t open = 0;
  for (int round = 0; round < 40; ++round) {
    SCOPED_TRACE("round " + std::to_string(round));
    constexpr Killed kKinds[] = {Killed::kSinceStart, Killed::kSinceFirstIntent,
                                 Killed::kSinceStart, Killed::kAtFirstIntent};
    const auto said = RunAndKill(path, next, kKinds[round % std::size(kKinds)],
                                 std::chrono::microseconds(random() % 40'000));
    acknowledged += said.size();

    // As the next operator finds it: first what a Reader returns, then what the ledger restores.
    const auto history =
        std::filesystem::exists(path) ? HistoryOf(path) : std::map<DecisionId, Entry>{};
    ExpectReadings(path, history, next);
    for (const Said& one : said) {
      ASSERT_TRUE(history.contains(one.id)) << "intent " << one.id << " is lost";
      if (one.kind == Said::kFlushed) {
        EXPECT_EQ(history.at(one.id).disposition, Disposition::kWritten) << one.id;
      }
    }
    // The disk has what a prefix of the child's batches leaves, including all that it reported.
    const auto batches = BatchesOf(oracle, next, history.empty() ? next : history.rbegin()->first);
    const auto prefix =
        PrefixOf(batches, oracle, MakeSqliteBackend(path, {})->Open({}).value().state);
    ASSERT_TRUE(prefix);
    for (const Said& one : said) {
      EXPECT_GE(*prefix, Acknowledged(one, next)) << one.id;
    }
    for (std::size_t i = 0; i < *prefix; ++i) {
      (void)oracle.Apply(batches[i]);
    }
    SettleAll(oracle);
    auto opened = testing::OpenLedger(path, Quick());
    ASSERT_TRUE(opened.ok()) << opened.error().message;
    Ledger& ledger = **opened;
    EXPECT_EQ(ledger.health().set_aside, "");
    for (int i = 0; i < kAutoscalers; ++i) {
      EXPECT_EQ(Before(ledger, next + 100'000 + i).scale_ups,
                Expected(history, NameOf(next + 100'000 + i)).scale_ups);
    }
    std::set<DecisionId> unsettled;
    for (const auto& [id, entry] : history) {
      if (entry.disposition == Disposition::kIntended) {
        unsettled.insert(id);
      }
    }
    for (const OpenIntent& intent : ledger.OpenIntents()) {
      EXPECT_EQ(unsettled.erase(intent.id), 1U);
      ledger.Append(Concluded{intent.id, kWritten, intent.time,
                              After(intent.id, Before(ledger, intent.id)), &kConclusion});
      ++open;
    }
    EXPECT_TRUE(unsettled.empty());
    next = history.empty() ? next : history.rbegin()->first + 1;
    if (HasFailure()) {
      return;
    }
  }
  ExpectReadings(path, HistoryOf(path), 1);
  RecordProperty("acknowledged", static_cast<int>(acknowledged));
  RecordProperty("open_intents_found", static_cast<int>(open));
  EXPECT_GE(acknowledged, 20U);
  EXPECT_GE(open, 10U) << "as often as it was killed at an intent";
}

}  // namespace
}  // namespace ballast::store
