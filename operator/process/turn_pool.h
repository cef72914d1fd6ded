// A few threads that take the turns of many runners: for those that are seldom due and do not wait
// for long in a turn.
//
// Of the turns that are due, the one that has been due for longest comes first. A runner's turns
// never overlap.
//
// Thread-safety: any thread; Remove not in a turn of the same runner.
// Errors: none; a turn must not throw.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <map>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "operator/process/clock.h"

namespace ballast::process {

class TurnPool {
 public:
  // Returns when the next turn is due. SteadyTime::min(): at once; max(): not before Wake().
  using Turn = std::function<SteadyTime(const std::stop_token& stop)>;

  // `clock` must outlive the pool. Threads are called `name`-0, `name`-1, ...
  TurnPool(const std::string& name, std::size_t threads, Clock& clock);
  // Every runner must have been removed.
  ~TurnPool();
  TurnPool(const TurnPool&) = delete;
  TurnPool& operator=(const TurnPool&) = delete;

  // As Runner's Start, Wake and Stop. `runner` names it; Wake and Remove do nothing for one that
  // was not added.
  void Add(const void* runner, Turn turn);
  void Wake(const void* runner);
  void Remove(const void* runner);

 private:
  struct PooledRunner {
    Turn turn;
    SteadyTime due;
    bool running = false;
    bool woken = false;  // since the last turn began
    std::stop_source stop;
  };

  void Run(const std::stop_token& stop);
  // The one that has been due for longest, or will be due first; null: none will be.
  PooledRunner* Next();

  Clock& clock_;
  std::mutex mutex_;  // guards: entries_
  std::condition_variable changed_;
  std::map<const void*, PooledRunner> entries_;
  std::vector<std::jthread> threads_;
};

}  // namespace ballast::process
