// What waits to be written to the API server, in the order in which it should be: scales before
// statuses, the largest relative shortage of replicas first, scale-ins last; statuses in the order
// in which they came.
//
//   while (const auto write = queue.Take()) {
//     ... carry it out, and go on with its evaluation, which may submit the next write ...
//     queue.Done();
//   }
//
// Bounded: no evaluation has more than one write here, and WaitForRoom() holds back those who begin
// new ones. Thread-safety: any thread.
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

// How urgent a write is; the least first.
struct WriteRank {
  bool is_status = false;
  double surplus = 0;          // of replicas that are wanted to be gone; a shortage is negative
  std::uint64_t sequence = 0;  // first in, first out

  friend auto operator<=>(const WriteRank&, const WriteRank&) = default;
};

// Without its sequence. A shortage is relative to the present replicas: from 1 to 3 is more urgent
// than from 10 to 20; from 0, where nothing serves, is the most urgent.
WriteRank RankOf(const Request& request);

class WriteQueue {
 public:
  struct Write {
    api::ObjectKey policy;
    runtime::SteadyTime began;  // its evaluation
    Request request;
    runtime::SteadyTime submitted;

    // The answer to a scale that has waited longer than kLongestWait: it must not be sent any more.
    std::optional<ScaleAnswer> Expired(runtime::SteadyTime now) const;
  };

  explicit WriteQueue(std::size_t room = 64) : room_(room) {}

  void Submit(Write write);
  // Waits while as many writes wait as there is room for.
  void WaitForRoom();

  // Waits for the next one; it belongs to the caller until Done(). nullopt: the queue is closed,
  // nothing waits and nothing that could submit is under way.
  std::optional<Write> Take();
  void Done();

  // What waits is still handed out; then Take() ends.
  void Close();

 private:
  const std::size_t room_;
  std::mutex mutex_;  // guards: the rest
  std::condition_variable changed_;
  std::map<WriteRank, Write> waiting_;
  std::size_t under_way_ = 0;
  std::uint64_t submitted_ = 0;
  bool closed_ = false;
};

}  // namespace ballast::controllers
