#include "store/writer/commit_queue.h"

#include <algorithm>
#include <cassert>
#include <functional>
#include <numeric>
#include <utility>
#include <vector>

namespace ballast::store {
namespace {

std::size_t SizeOf(const std::vector<Change>& changes) {
  return std::transform_reduce(changes.begin(), changes.end(), std::size_t{0}, std::plus<>(),
                               [](const Change& change) { return store::SizeOf(change); });
}

}  // namespace

CommitQueue::CommitQueue(CommitPace pace, const std::optional<Error>& problem, TimePoint now)
    : pace_(pace), problem_(problem) {
  if (problem) {
    due_ = now + pace_.retry_delay;
  }
}

void CommitQueue::MakeRoom() {
  if (bytes_ >= pace_.max_bytes) {
    dropped_ += std::ranges::count_if(waiting_.changes, EraseDocuments);
    bytes_ = SizeOf(waiting_.changes);
  }
  if (bytes_ >= pace_.max_bytes || waiting_.changes.size() >= pace_.max_changes) {
    dropped_ += std::ssize(waiting_.changes);
    waiting_ = {};
    bytes_ = 0;
    everything_ = true;
  }
}

CommitQueue::Ticket CommitQueue::Add(Batch batch, TimePoint now) {
  MakeRoom();
  if (waiting_.notes.entries.size() >= kMaxNotes) {
    // Not those that say that earlier ones are in a series: it is among the changes.
    std::erase_if(waiting_.notes.entries,
                  [](const auto& entry) { return entry.point.has_value(); });
  }
  Schedule(now + (batch.changes.empty() ? pace_.quiet_delay : pace_.commit_delay));
  AddQuietly(std::move(batch));
  return ++added_;
}

void CommitQueue::AddQuietly(Batch batch) {
  bytes_ += SizeOf(batch.changes);
  waiting_.Append(std::move(batch));
}

// While there is a problem, trying more often gains nothing.
void CommitQueue::Schedule(TimePoint when) {
  if (!due_ || (!problem_ && when < *due_)) {
    due_ = when;
  }
}

CommitQueue::Commit CommitQueue::Begin() {
  assert(!under_way_);
  due_.reset();
  under_way_ = waiting_.changes.size();
  bytes_ = 0;
  return {std::exchange(waiting_, {}), added_, std::exchange(everything_, false)};
}

void CommitQueue::Committed(const Commit& commit, std::int64_t dropped) {
  assert(under_way_ && commit.newest >= settled_);
  under_way_.reset();
  settled_ = commit.newest;
  dropped_ += dropped;
  problem_.reset();
}

void CommitQueue::Refused(Commit commit, const Error& why, TimePoint now) {
  assert(under_way_);
  under_way_.reset();
  everything_ |= commit.everything;
  commit.batch.Append(std::exchange(waiting_, {}));
  waiting_ = std::move(commit.batch);
  bytes_ = SizeOf(waiting_.changes);
  problem_ = why;
  due_ = now + pace_.retry_delay;
}

std::int64_t CommitQueue::waiting() const {
  return static_cast<std::int64_t>(waiting_.changes.size() + under_way_.value_or(0));
}

}  // namespace ballast::store
