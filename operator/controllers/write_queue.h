// The writes that wait to be sent to the API server, in the order of their urgency: scales before
// statuses; the largest relative shortage of replicas first, scale-ins last; statuses first in,
// first out.
//
//   while (const auto write = queue.Take()) {
//     ... carry it out and continue its evaluation, which may submit the next write ...
//     queue.Done();
//   }
//
// Statuses leave room for scales, since a burst of scales leads to as many of these: only some are
// under way at a time, and those that wait hold back no evaluation.
//
// Bounded: no evaluation has more than one write here, and WaitForRoom() holds back new evaluations
// while many scales wait.
//
// Thread-safety: any thread.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <optional>

#include "api/kubernetes/meta.h"
#include "operator/controllers/requests.h"
#include "operator/process/clock.h"

namespace ballast::controllers {

struct WriteLimits {
  std::size_t scales_waiting;      // with so many there is no room
  std::size_t statuses_under_way;  // at a time
};

class WriteQueue {
 public:
  struct Write {
    api::ObjectReference of;    // the autoscaler
    process::SteadyTime began;  // when its evaluation began
    Request request;
    process::Instant submitted;

    // The answer in place of a scale that has waited for more than kLongestWait and must not be
    // sent, or of a status that has waited for more than a minute: a newer one will come.
    std::optional<Answer> Expired(const process::Instant& now) const;
  };

  // `clock` must outlive the queue.
  WriteQueue(const process::Clock& clock, const WriteLimits& limits)
      : clock_(clock), limits_(limits) {}

  void Submit(Write write);
  // Blocks while WriteLimits::scales_waiting or more are.
  void WaitForRoom();

  // Waits for a write: a scale that has expired, since its evaluation can begin anew, or else the
  // most urgent; the caller calls Done() after it. nullopt: the queue is closed, nothing waits, and
  // nothing is under way that could submit more.
  std::optional<Write> Take();
  void Done(const Write& write);

  // Blocks until no write is waiting or under way. From then on the queue is sealed: what is still
  // submitted must be refused instead of carried out.
  void Seal();
  bool sealed() const;
  // Take() still returns the waiting writes, then nullopt.
  void Close();

 private:
  // The urgency of a scale; the least rank goes first.
  struct Rank {
    double surplus;  // replicas too many, relative to the present ones; a shortage is negative
    std::uint64_t sequence;  // first in, first out

    friend auto operator<=>(const Rank&, const Rank&) = default;
  };
  bool IsIdle() const { return scales_.empty() && statuses_.empty() && under_way_ == 0; }
  bool MayTake() const;
  Write TakeNext();

  const process::Clock& clock_;
  const WriteLimits limits_;
  mutable std::mutex mutex_;          // guards: the rest
  std::condition_variable takeable_;  // or closed and idle
  std::condition_variable roomy_;     // or idle
  std::map<Rank, Write> scales_;      // that wait
  std::deque<Write> statuses_;        // that wait
  std::size_t under_way_ = 0;
  std::size_t statuses_under_way_ = 0;
  std::uint64_t submitted_ = 0;
  bool sealed_ = false;
  bool closed_ = false;
};

}  // namespace ballast::controllers
