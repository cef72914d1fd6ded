// The writes that wait to be sent to the API server, in the order of their urgency: scale-outs,
// then scale-ins, then statuses. Among each, namespaces take turns; within one, the largest
// relative shortage of replicas goes first (from none at all before any other), and statuses first
// in, first out.
//
// Namespaces also share what is under way, as shared_lanes.h says: one whose writes hang, as in an
// admission webhook of its own, does not keep another's waiting. A scale-in takes no lane, not even
// one that is left to its namespace, while scale-outs wait of namespaces whose writes do not hang;
// for two seconds, since these may be another tenant's, and without end.
//
//   while (const auto write = queue.Take()) {
//     ... carry it out and continue its evaluation, which may submit the next write ...
//     queue.Done();
//   }
//
// Statuses leave the API server to scales, since each costs it several times as much, and a burst
// of scales leads to as many of these: only some are under way at a time. In a burst it is one of
// those that yield, which has waited for as long as it does so. It is one while scales are under
// way or wait of namespaces that are not slow, and within a second twice as many have begun as
// there are lanes, or all lanes are held and more wait. Those that wait hold back no other
// evaluation.
//
// Bounded: no evaluation has more than one write here, and WaitForRoom() holds back new evaluations
// while many scales wait, but for those of namespaces whose writes take long, which wait for nobody
// else.
//
// Thread-safety: any thread.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>

#include "api/kubernetes/meta.h"
#include "operator/process/clock.h"
#include "operator/runtime/fair_queue.h"
#include "operator/runtime/shared_lanes.h"
#include "operator/session/requests.h"

namespace ballast::controllers {

struct WriteLimits {
  std::size_t scales_waiting;      // with so many there is no room
  std::size_t scales_under_way;    // at a time
  std::size_t statuses_under_way;  // the same
};

class WriteQueue {
 public:
  struct Write {
    api::ObjectReference of;    // the autoscaler
    process::SteadyTime began;  // when its evaluation began
    session::Request request;
    process::Instant submitted;
    runtime::SharedLanes::Lane lane = {};  // set by Take(): its place under way
    // For Done(): how that ended.
    runtime::SharedLanes::LaneOutcome ended = runtime::SharedLanes::LaneOutcome::kServed;

    // The answer in place of a scale that has waited for more than kLongestWait and must not be
    // sent, or of a status that has waited for more than a minute: a newer one will come.
    std::optional<session::Answer> Expired(const process::Instant& now) const;
  };

  // `clock` must outlive the queue.
  WriteQueue(process::Clock& clock, const WriteLimits& limits)
      : clock_(clock),
        limits_(limits),
        scale_lanes_(limits.scales_under_way),
        status_lanes_(limits.statuses_under_way) {}

  void Submit(Write write);
  // The autoscaler is to be evaluated anew: if its status waits, it yields no longer.
  void Hurry(const api::ObjectReference& autoscaler);
  // Blocks while WriteLimits::scales_waiting or more are, without those of slow namespaces.
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
  // The larger shortage, relative to the present replicas, or the smaller surplus.
  struct MoreUrgent {
    bool operator()(const Write& a, const Write& b) const;
  };
  using Scales = runtime::FairQueue<Write, MoreUrgent>;

  std::size_t ScalesWaiting() const { return scale_outs_.size() + scale_ins_.size(); }
  // Of these, how many are of namespaces that are not slow.
  std::size_t CountPrompt(const Scales& scales) const;
  std::size_t PromptScalesWaiting() const {
    return CountPrompt(scale_outs_) + CountPrompt(scale_ins_);
  }
  bool HasRoom() const;
  bool IsBurst(process::SteadyTime now) const;
  bool SomeWait() const { return ScalesWaiting() > 0 || !statuses_.empty(); }
  bool IsIdle() const {
    return !SomeWait() && scale_lanes_.held() == 0 && status_lanes_.held() == 0;
  }
  runtime::SharedLanes& LanesOf(const Write& write);
  // One that has expired, or else the most urgent that may begin.
  std::optional<Write> NextScale();
  std::optional<Write> NextStatus();
  std::optional<Write> TakeNext();

  process::Clock& clock_;
  const WriteLimits limits_;
  mutable std::mutex mutex_;            // guards: the rest
  std::condition_variable takeable_;    // or closed and idle
  std::condition_variable roomy_;       // or idle
  Scales scale_outs_;                   // that wait
  Scales scale_ins_;                    // that wait
  runtime::FairQueue<Write> statuses_;  // that wait
  runtime::SharedLanes scale_lanes_;
  runtime::SharedLanes status_lanes_;
  std::deque<process::SteadyTime> recent_scales_;  // when the last ones began
  bool sealed_ = false;
  bool closed_ = false;
};

}  // namespace ballast::controllers
