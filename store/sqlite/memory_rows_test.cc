#include "store/sqlite/memory_rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "store/sqlite/database_schema.h"
#include "store/testing/test_store.h"

namespace ballast::store {
namespace {

using engine::Memory;
using testing::At;
using testing::Recommended;

constexpr Duration kPeriod = Duration::Seconds(15);
const Subject kSubject{"uid-web", "AutoScalePolicy", {"shop", "web"}};

class StoredMemory : public ::testing::Test {
 protected:
  void SetUp() override {
    auto database = Database::Open(folder_.Path("db"), Access::kWrite);
    ASSERT_TRUE(database.ok());
    database_ = std::move(database).value();
    ASSERT_TRUE(Migrate(*database_).ok());
  }

  MemoryImage Load() {
    const auto loaded = LoadMemories(*database_);
    EXPECT_TRUE(loaded.ok());
    EXPECT_EQ(loaded->size(), 1U);
    return loaded->at(0).image;
  }

  void Beat(Time time) {
    ASSERT_TRUE(database_->Run("UPDATE heartbeat SET evaluated = ?", time.unix_nanoseconds()).ok());
  }

  testing::Folder folder_;
  std::unique_ptr<Database> database_;
};

// What stabilization reads from a memory (operator/engine).
std::int32_t HighestSince(const Memory& memory, Time since) {
  std::int32_t highest = 0;
  for (const auto& recommendation : memory.recommendations) {
    if (recommendation.time > since) {
      highest = std::max(highest, recommendation.replicas);
    }
  }
  return highest;
}

TEST(MemoryImage, StabilizationCannotTellItFromTheOriginal) {
  std::mt19937 random(1);
  for (int life = 0; life < 200; ++life) {
    Memory memory;
    double now = 0;
    for (int i = 0; i < 40; ++i) {
      now += 15;
      memory.recommendations.push_back({At(now), static_cast<std::int32_t>(random() % 6 + 1)});
    }
    std::shuffle(memory.recommendations.begin(), memory.recommendations.end(), random);
    const Memory image = MemoryOf(ImageOf(memory, At(now), kPeriod), At(now));
    for (double window = 0; window < 700; window += 7) {
      EXPECT_EQ(HighestSince(image, At(now - window)), HighestSince(memory, At(now - window)));
    }
  }
}

TEST(MemoryImage, SteadyRecommendationNeedsNoWrite) {
  const auto before = ImageOf(Recommended({{At(0), 7}, {At(15), 5}}), At(15), kPeriod);
  const struct {
    const char* name;
    Memory next;
    bool covered;
  } kCases[] = {
      {"the same again", Recommended({{At(0), 7}, {At(15), 5}, {At(30), 5}}), true},
      {"an old one dropped", Recommended({{At(30), 5}}), true},
      {"another", Recommended({{At(0), 7}, {At(15), 5}, {At(30), 6}}), false},
      {"an earlier one again", Recommended({{At(30), 7}, {At(15), 5}}), false},
      {"none", Recommended({{At(0), 7}, {At(15), 5}}), false},
  };
  for (const auto& c : kCases) {
    EXPECT_EQ(Covers(before, ImageOf(c.next, At(30), kPeriod)), c.covered) << c.name;
  }
  auto scaled = ImageOf(Recommended({{At(0), 7}, {At(30), 5}}), At(30), kPeriod);
  ASSERT_TRUE(Covers(before, scaled));
  auto incomplete = scaled;
  incomplete.incomplete = true;
  EXPECT_FALSE(Covers(before, incomplete));
  auto of_another = scaled;
  of_another.as_is.target = "d2";
  EXPECT_FALSE(Covers(before, of_another));
  scaled.as_is.scale_downs.push_back({At(30), 2});
  EXPECT_FALSE(Covers(before, scaled));
  auto forgotten = AtRest(before);
  forgotten.recommendations.clear();
  EXPECT_FALSE(Covers(AtRest(before), forgotten)) << "those that the store has still count";
}

TEST_F(StoredMemory, ComesBackExactly) {
  Memory memory = Recommended({{At(15), 5}, {At(0.000000001), 7}});
  memory.scale_ups = {{At(3), 4}, {At(1), 2}};
  memory.scale_downs = {{At(2), 1}};
  memory.used_samples = {{"cpu", At(14)}, {"pods/qps", At(13)}};
  memory.no_value_since = At(12);
  memory.suspect_since = At(11);
  memory.target = "d1";
  auto image = AtRest(ImageOf(memory, At(15), kPeriod));
  image.incomplete = true;
  ASSERT_TRUE(WriteMemory(*database_, kSubject, {}, image).ok());
  EXPECT_EQ(MemoryOf(Load(), At(20)), memory);
  EXPECT_TRUE(Load().incomplete);

  // The difference is written: rows that are no longer needed are deleted, new ones inserted.
  Memory next = Recommended({{At(30), 5}, {At(30), 9}});
  next.scale_downs = {{At(30), 3}};
  const auto next_image = AtRest(ImageOf(next, At(30), kPeriod));
  ASSERT_TRUE(WriteMemory(*database_, kSubject, image, next_image).ok());
  EXPECT_EQ(MemoryOf(Load(), At(40)), next);
  EXPECT_FALSE(Load().incomplete);

  ASSERT_TRUE(RewriteMemory(*database_, kSubject, image).ok());
  EXPECT_EQ(MemoryOf(Load(), At(20)), memory);
  ASSERT_TRUE(EraseMemory(*database_, kSubject).ok());
  EXPECT_TRUE(LoadMemories(*database_)->empty());
}

TEST_F(StoredMemory, AfterACrashTakesTheSafeSide) {
  const auto live = ImageOf(Recommended({{At(0), 7}, {At(15), 5}}), At(15), kPeriod);
  ASSERT_TRUE(WriteMemory(*database_, kSubject, {}, live).ok());
  Beat(At(100));
  for (int times = 0; times < 2; ++times) {  // the second time there is nothing left to settle
    ASSERT_TRUE(EndHeldMemories(*database_, Duration::Seconds(5), Duration::Seconds(1)).ok());
    const auto image = Load();
    EXPECT_EQ(image.recommendations.at(7), At(0));
    EXPECT_EQ(image.recommendations.at(5), At(100 + 15 + 5));
    EXPECT_EQ(image.evaluated, At(100 - 2 * 15 - 1));
    // No recommendation is in the future.
    EXPECT_EQ(MemoryOf(image, At(110)).recommendations.at(0), (engine::Recommendation{At(110), 5}));
    Beat(At(500));
  }
}

TEST_F(StoredMemory, AfterACrashOfAFreshOneTheRowItselfCounts) {
  const auto live = ImageOf(Recommended({{At(15), 5}}), At(15), kPeriod);
  ASSERT_TRUE(WriteMemory(*database_, kSubject, {}, live).ok());
  ASSERT_TRUE(EndHeldMemories(*database_, Duration::Seconds(5), Duration::Seconds(1)).ok());
  EXPECT_EQ(Load().recommendations.at(5), At(15));
  EXPECT_EQ(Load().evaluated, At(15));
}

}  // namespace
}  // namespace ballast::store
