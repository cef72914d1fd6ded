// A disk that fails at the n-th call, for every n of a run: the ledger continues, and what is on
// disk afterwards is a prefix of what happened.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <mutex>
#include <optional>
#include <random>

#include "store/fold/ledger_state.h"
#include "store/sqlite/reader.h"
#include "store/sqlite/sqlite_backend.h"
#include "store/testing/failing_vfs.h"
#include "store/testing/open_ledger.h"
#include "store/testing/picture.h"
#include "store/testing/test_store.h"

namespace ballast::store {
namespace {

using testing::At;
using testing::EvaluationOf;
using testing::Failing;
using testing::FailingVfs;
using testing::Folder;
using testing::kConclusion;
using testing::kWritten;
using testing::Quick;
using testing::Recommended;

constexpr auto kForEver = std::numeric_limits<std::int64_t>::max();
constexpr int kScalings = 4;

// All calls take minutes. The long run fails each once for each fault, others each fifth, but not
// the same fifth for all faults. ThreadSanitizer watches the threads: for that fewer are enough.
std::int64_t Step() {
#ifdef __SANITIZE_THREAD__
  return 13;
#else
  return std::getenv("BALLAST_TEST_LONG") != nullptr ? 1 : 5;
#endif
}

engine::Memory After(int scaling) {
  engine::Memory memory = Recommended({{At(scaling), scaling + 1}});
  memory.scale_ups = {{At(scaling), 1}};
  return memory;
}

// The batches of such a run: the one at its start, and two for each scaling.
std::vector<Batch> Batches() {
  LedgerState state;
  std::vector<Batch> batches{state.Adopt({})};
  for (int i = 0; i < kScalings; ++i) {
    batches.push_back(state.Apply(Intended{EvaluationOf("web", i, i, i + 1)}));
    batches.push_back(state.Apply(Concluded{state.newest(), kWritten, At(i), After(i), nullptr}));
  }
  return batches;
}

// What the ledger told a run.
struct Told {
  bool opened = false;
  std::vector<bool> durable;  // of each intent
};

// Scales kScalings times, waiting for the disk after each; the store may exist already.
Told ScaleAFewTimes(const std::string& path) {
  Told told;
  auto ledger = testing::OpenLedger(path, Quick());
  told.opened = ledger.ok();
  if (!ledger.ok()) {
    EXPECT_NE(ledger.error().code, Code::kInternal) << ledger.error().message;
    EXPECT_FALSE(ledger.error().message.empty());
    return told;
  }
  for (int i = 0; i < kScalings; ++i) {
    const auto intent = (*ledger)->AppendDurably(Intended{EvaluationOf("web", i, i, i + 1)});
    told.durable.push_back(intent.durable.ok());
    (*ledger)->Append(Concluded{intent.id, kWritten, At(i), After(i), &kConclusion});
    EXPECT_EQ((*ledger)->Recall("uid-web", At(i))->memory, After(i));
    (void)(*ledger)->Flush();
  }
  EXPECT_EQ((*ledger)->health().dropped, 0);
  return told;
}

// Checks that the file at `path` has a prefix of the run, and all that was reported durable.
void ExpectPrefix(const std::string& path, const Told& told) {
  for (const auto& file :
       std::filesystem::directory_iterator(std::filesystem::path(path).parent_path())) {
    EXPECT_EQ(file.path().string().find(".corrupt-"), std::string::npos)
        << "a sound database was taken for a damaged one";
  }
  static const std::vector<Batch> batches = Batches();
  const auto stored = MakeSqliteBackend(path, {})->Open({});
  ASSERT_TRUE(stored.ok()) << stored.error().message;
  const auto prefix = testing::PrefixOf(batches, {}, stored->state);
  ASSERT_TRUE(prefix);
  for (std::size_t i = 0; i < told.durable.size(); ++i) {
    EXPECT_TRUE(!told.durable[i] || *prefix >= 2 * i + 2) << "intent " << i << " is lost";
  }
  LedgerState state;
  state.Adopt(stored->state);
  const auto reader = Reader::Open(path);
  ASSERT_TRUE(reader.ok()) << reader.error().message;
  const auto history = (*reader)->Entries({});
  ASSERT_TRUE(history.ok()) << history.error().message;
  int written = 0;
  for (std::size_t i = 0; i < history->size(); ++i) {
    const Entry& entry = (*history)[i];
    EXPECT_EQ(entry.current_replicas, static_cast<std::int32_t>(i));
    if (entry.disposition == Disposition::kWritten) {
      ++written;
    } else {
      EXPECT_EQ(entry.disposition, Disposition::kIntended);
      EXPECT_EQ(i + 1, history->size()) << "only the last one may be open";
    }
  }
  for (std::size_t i = 0; i < told.durable.size(); ++i) {
    EXPECT_TRUE(!told.durable[i] || i < history->size()) << "intent " << i << " is lost";
  }
  const auto recalled = state.Recall("uid-web", At(100));
  EXPECT_EQ(recalled.has_value(), written > 0);
  if (recalled && written > 0) {
    // As after every crash, a recommendation may last longer than before, never shorter.
    const engine::Memory expected = After(written - 1);
    EXPECT_EQ(recalled->memory.scale_ups, expected.scale_ups) << "memory and history disagree";
    ASSERT_EQ(recalled->memory.recommendations.size(), 1U);
    EXPECT_EQ(recalled->memory.recommendations[0].replicas, expected.recommendations[0].replicas);
    EXPECT_GE(recalled->memory.recommendations[0].time, expected.recommendations[0].time);
  }
}

struct Fault {
  std::string name;
  std::int64_t count;
  Failing how;
  bool existing;       // the database is there already
  std::int64_t first;  // the call
};

void PrintTo(const Fault& fault, std::ostream* out) { *out << fault.name; }

class LedgerOnAFailingDisk : public ::testing::TestWithParam<Fault> {};

TEST_P(LedgerOnAFailingDisk, GoesOnAndKeepsAPrefix) {
  const Fault& fault = GetParam();
  FailingVfs disk;
  std::int64_t runs = 0;
  std::int64_t refused = 0;
  for (std::int64_t n = fault.first;; n += Step(), ++runs) {
    SCOPED_TRACE("call " + std::to_string(n));
    const Folder folder;
    const std::string path = folder.Path("db");
    if (fault.existing) {
      disk.Heal();
      ASSERT_TRUE(testing::OpenLedger(path, Quick()).ok());
    }
    disk.Fail(n, fault.count, fault.how);
    const Told told = ScaleAFewTimes(path);
    const bool reached = disk.calls() >= n;
    refused += told.opened ? 0 : 1;
    disk.Heal();
    ExpectPrefix(path, told);
    if (HasFailure() || !reached) {
      break;
    }
  }
  RecordProperty("runs", static_cast<int>(runs));
  RecordProperty("refused_to_open", static_cast<int>(refused));
  EXPECT_GT(runs * Step(), 100);
}

// The power goes at the n-th call of a run, half as often.
TEST(LedgerAfterAPowerCut, HasAPrefixWithAllThatWasDurable) {
  FailingVfs disk;
  std::mt19937_64 random(1);
  std::int64_t n = 1;
  for (;; n += 2 * Step()) {
    SCOPED_TRACE("call " + std::to_string(n));
    const Folder folder;
    const std::string running = folder.Path("running");
    const std::string left = folder.Path("left");
    std::filesystem::create_directory(running);
    std::mutex mutex;  // guards: calls
    std::int64_t calls = 0;
    disk.Watch(running, [&](const FailingVfs::Call&) -> std::optional<Failing> {
      const std::lock_guard lock(mutex);
      if (++calls == n) {
        disk.Copy(running, left, [&](std::uint64_t below) { return random() % below; });
      }
      return calls < n ? std::nullopt : std::optional(Failing::kDevice);
    });
    const Told told = ScaleAFewTimes(running + "/db");
    if (calls < n) {
      break;
    }
    ExpectPrefix(left + "/db", told);
    if (HasFailure()) {
      break;
    }
  }
  EXPECT_GT(n, 100);
}

INSTANTIATE_TEST_SUITE_P(
    All, LedgerOnAFailingDisk,
    ::testing::Values(Fault{"Once", 1, Failing::kDevice, false, 1},
                      Fault{"OnceWithARecord", 1, Failing::kDevice, true, 2},
                      Fault{"FromThenOn", kForEver, Failing::kDevice, false, 2},
                      Fault{"FromThenOnWithARecord", kForEver, Failing::kDevice, true, 3},
                      Fault{"NoSpaceOnce", 1, Failing::kSpace, false, 4},
                      Fault{"NoSpaceFromThenOn", kForEver, Failing::kSpace, true, 5}),
    [](const auto& fault) { return fault.param.name; });

}  // namespace
}  // namespace ballast::store
