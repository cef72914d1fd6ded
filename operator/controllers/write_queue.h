// The writes that wait to be sent to the API server, in the order of their urgency: scales before
// statuses; the largest relative shortage of replicas first, scale-ins last; statuses first in,
// first out.
//
//   while (const auto write = queue.Take()) {
//     ... carry it out and continue its evaluation, which may submit the next write ...
//     queue.Done();
//   }
//
// Bounded: no evaluation has more than one write here, and WaitForRoom() holds back new evaluations
// while there is none.
//
// Thread-safety: any thread.
// Errors: none.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include "api/kubernetes/meta.h"
#include "operator/controllers/requests.h"
#include "operator/runtime/clock.h"

namespace ballast::controllers {

// The urgency of a write; the least rank goes first.
struct WriteRank {
  bool is_status = false;
  double surplus = 0;  // replicas too many, relative to the present ones; a shortage is negative
  std::uint64_t sequence = 0;  // first in, first out

  friend auto operator<=>(const WriteRank&, const WriteRank&) = default;
};

// The rank without its sequence. A shortage is relative to the present replicas: from 1 to 3 is
// more urgent than from 10 to 20; from 0, where nothing serves, is the most urgent.
WriteRank RankOf(const Request& request);

class WriteQueue {
 public:
  struct Write {
    api::ObjectReference of;    // the autoscaler
    runtime::SteadyTime began;  // when its evaluation began
    Request request;
    runtime::Instant submitted;

    // The answer in place of a scale that has waited for more than kLongestWait and must not be
    // sent.
    std::optional<ScaleAnswer> Expired(const runtime::Instant& now) const;
  };

  // `clock` must outlive the queue.
  WriteQueue(const runtime::Clock& clock, std::size_t room) : clock_(clock), room_(room) {}

  void Submit(Write write);
  // Blocks while `room` or more writes are waiting.
  void WaitForRoom();

  // Waits for a write: one that has expired, since its evaluation can begin anew, or else the most
  // urgent; the caller calls Done() after it. nullopt: the queue is closed, nothing waits, and
  // nothing is under way that could submit more.
  std::optional<Write> Take();
  void Done();

  // Blocks until no write is waiting or under way. From then on the queue is sealed: what is still
  // submitted must be refused instead of carried out.
  void Seal();
  bool sealed() const;
  // Take() still returns the waiting writes, then nullopt.
  void Close();

 private:
  const runtime::Clock& clock_;
  const std::size_t room_;
  mutable std::mutex mutex_;          // guards: the rest
  std::condition_variable takeable_;  // or closed and idle
  std::condition_variable roomy_;     // or idle
  std::map<WriteRank, Write> waiting_;
  std::size_t under_way_ = 0;
  std::uint64_t submitted_ = 0;
  bool sealed_ = false;
  bool closed_ = false;
};

}  // namespace ballast::controllers
