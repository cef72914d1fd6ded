#include "store/writer/commit_queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace ballast::store {
namespace {

using namespace std::chrono_literals;

constexpr CommitPace kPace{5ms, 10s, 200ms, 100, 1'000'000};
constexpr CommitQueue::TimePoint kStart{};
const Error kFull{Code::kFull, "no space"};

Batch Of(const std::string& leader) {
  Batch batch;
  batch.changes.emplace_back(TermAdded{.leader = leader});
  return batch;
}

Batch Beat() {
  Batch batch;
  batch.heartbeat.emplace();
  return batch;
}

std::vector<std::string> Leaders(const Batch& batch) {
  std::vector<std::string> leaders;
  for (const Change& change : batch.changes) {
    leaders.push_back(std::get<TermAdded>(change).leader);
  }
  return leaders;
}

TEST(CommitQueue, IsDueWhenTheEarliestOfItsBatchesIs) {
  CommitQueue queue(kPace, std::nullopt, kStart);
  EXPECT_EQ(queue.due(), std::nullopt);
  queue.Add(Beat(), kStart);
  EXPECT_EQ(queue.due(), kStart + 10s);
  queue.Add(Of("a"), kStart + 1s);
  EXPECT_EQ(queue.due(), kStart + 1s + 5ms);
  queue.Add(Of("b"), kStart + 2s);
  EXPECT_EQ(queue.due(), kStart + 1s + 5ms);
  queue.Schedule(kStart + 1s);
  EXPECT_EQ(queue.due(), kStart + 1s);
  queue.AddQuietly(Of("c"));
  EXPECT_EQ(queue.due(), kStart + 1s);
  EXPECT_EQ(queue.waiting(), 3);
  EXPECT_THAT(Leaders(queue.Begin().batch), ::testing::ElementsAre("a", "b", "c"));
  EXPECT_EQ(queue.due(), std::nullopt);
}

TEST(CommitQueue, WhatIsRefusedGoesBeforeWhatCameMeanwhile) {
  CommitQueue queue(kPace, std::nullopt, kStart);
  const auto first = queue.Add(Of("a"), kStart);
  CommitQueue::Commit commit = queue.Begin();
  const auto second = queue.Add(Of("b"), kStart + 1ms);
  EXPECT_EQ(queue.waiting(), 2);
  queue.Refused(std::move(commit), kFull, kStart + 2ms);
  ASSERT_TRUE(queue.problem());
  EXPECT_EQ(queue.problem()->message, kFull.message);
  queue.Schedule(kStart + 3ms);
  queue.Add(Of("c"), kStart + 3ms);
  EXPECT_EQ(queue.due(), kStart + 2ms + 200ms) << "only the retry delay counts";
  EXPECT_FALSE(queue.IsDone(first));
  commit = queue.Begin();
  EXPECT_THAT(Leaders(commit.batch), ::testing::ElementsAre("a", "b", "c"));
  queue.Committed(commit, 0);
  EXPECT_TRUE(queue.IsDone(second));
  EXPECT_FALSE(queue.problem());
  EXPECT_TRUE(queue.empty());
}

TEST(CommitQueue, AStoreThatIsClosedIsTriedAfterTheRetryDelay) {
  CommitQueue queue(kPace, kFull, kStart);
  EXPECT_EQ(queue.due(), kStart + 200ms);
  queue.Add(Of("a"), kStart);
  EXPECT_EQ(queue.due(), kStart + 200ms);
}

TEST(CommitQueue, WhatItThrowsAwayIsWrittenAnewByTheNextCommitThatSucceeds) {
  CommitQueue queue(kPace, std::nullopt, kStart);
  for (std::size_t i = 0; i <= kPace.max_changes; ++i) {
    queue.Add(Of(std::to_string(i)), kStart);
  }
  EXPECT_EQ(queue.waiting(), 1);
  EXPECT_EQ(queue.dropped(), kPace.max_changes);
  CommitQueue::Commit commit = queue.Begin();
  EXPECT_TRUE(commit.everything);
  queue.Refused(std::move(commit), kFull, kStart);
  commit = queue.Begin();
  EXPECT_TRUE(commit.everything);
  queue.Committed(commit, 2);
  EXPECT_EQ(queue.dropped(), kPace.max_changes + 2);
  queue.Add(Of("later"), kStart);
  EXPECT_FALSE(queue.Begin().everything);
}

// Decisions with snapshots of large targets: few, and soon more than there is memory for.
TEST(CommitQueue, GivesUpDocumentsBeforeAnythingElse) {
  CommitQueue queue(kPace, kFull, kStart);
  const auto add = [&](int id, std::size_t bytes) {
    Batch batch;
    batch.changes.emplace_back(DecisionAdded{.id = id, .documents = {std::string(bytes, '.'), ""}});
    queue.Add(std::move(batch), kStart);
  };
  for (int id = 1; id <= 10; ++id) {
    add(id, 100'000);
  }
  add(11, 7);
  EXPECT_EQ(queue.waiting(), 11);
  EXPECT_EQ(queue.dropped(), 10);
  CommitQueue::Commit commit = queue.Begin();
  EXPECT_FALSE(commit.everything);
  for (const Change& change : commit.batch.changes) {
    const auto& added = std::get<DecisionAdded>(change);
    EXPECT_EQ(added.documents.snapshot.size(), added.id == 11 ? 7U : 0U);
  }
  queue.Refused(std::move(commit), kFull, kStart);
  add(12, 2'000'000);
  add(13, 7);
  EXPECT_EQ(queue.waiting(), 13) << "what came back counts, too";
  EXPECT_EQ(queue.dropped(), 12);
}

// What has no documents is bounded as well.
TEST(CommitQueue, GivesEverythingUpIfThatIsNotEnough) {
  CommitQueue queue(kPace, kFull, kStart);
  Batch batch;
  batch.changes.emplace_back(SpecReplaced{.spec = std::string(kPace.max_bytes, '.')});
  queue.Add(std::move(batch), kStart);
  queue.Add(Of("a"), kStart);
  const CommitQueue::Commit commit = queue.Begin();
  EXPECT_THAT(Leaders(commit.batch), ::testing::ElementsAre("a"));
  EXPECT_TRUE(commit.everything);
}

TEST(CommitQueue, KeepsWhatSaysThatNotesAreInSeries) {
  CommitQueue queue(kPace, std::nullopt, kStart);
  Batch batch;
  batch.notes.entries.resize(CommitQueue::kMaxNotes - 1, {.point = SeriesPoint()});
  batch.notes.entries.push_back({.number = 7});
  queue.Add(std::move(batch), kStart);
  queue.Add({}, kStart);
  EXPECT_THAT(queue.Begin().batch.notes.entries, ::testing::ElementsAre(JournalEntry{.number = 7}));
}

// Whatever the disk does, each batch is committed once, in order, and its ticket is settled then
// and not before.
TEST(CommitQueue, CommitsEachBatchOnceAndInOrder) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    CommitQueue queue(kPace, std::nullopt, kStart);
    CommitQueue::TimePoint now = kStart;
    std::vector<std::string> added;
    std::vector<std::string> on_disk;
    std::optional<CommitQueue::Commit> under_way;
    for (int step = 0; step < 200; ++step) {
      now += std::chrono::milliseconds(random() % 20);
      if (random() % 3 == 0) {
        added.push_back(std::to_string(step));
        ASSERT_EQ(queue.Add(Of(added.back()), now), static_cast<CommitQueue::Ticket>(added.size()));
      } else if (under_way && random() % 2 == 0) {
        queue.Refused(*std::exchange(under_way, std::nullopt), kFull, now);
      } else if (under_way) {
        std::ranges::copy(Leaders(under_way->batch), std::back_inserter(on_disk));
        queue.Committed(*std::exchange(under_way, std::nullopt), 0);
      } else if (queue.due() && *queue.due() <= now) {
        under_way = queue.Begin();
      }
      const auto written = static_cast<CommitQueue::Ticket>(on_disk.size());
      ASSERT_TRUE(queue.IsDone(written));
      ASSERT_FALSE(queue.IsDone(written + 1));
      ASSERT_TRUE(std::equal(on_disk.begin(), on_disk.end(), added.begin()));
      ASSERT_TRUE(under_way || queue.empty() || queue.due()) << "forgotten";
    }
  }
}

}  // namespace
}  // namespace ballast::store
