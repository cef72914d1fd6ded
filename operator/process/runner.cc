#include "operator/process/runner.h"

#include <utility>

#include "operator/os/thread_name.h"

namespace ballast::process {

Runner::Runner(std::string name, Clock& clock, Turn turn, TurnPool* pool)
    : name_(std::move(name)), clock_(clock), turn_(std::move(turn)), pool_(pool) {}

void Runner::Start() {
  if (pool_ != nullptr) {
    pool_->Add(this, turn_);
    return;
  }
  thread_ = std::jthread([this](const std::stop_token& stop) { Run(stop); });
}

void Runner::Stop() {
  if (pool_ != nullptr) {
    pool_->Remove(this);
  }
  thread_ = {};
}

void Runner::Wake() {
  if (pool_ != nullptr) {
    pool_->Wake(this);
    return;
  }
  const std::lock_guard lock(mutex_);
  woken_ = true;
  wake_.notify_all();
}

void Runner::Run(const std::stop_token& stop) {
  os::NameThisThread(name_);
  const std::stop_callback on_stop(stop, [this] { Wake(); });
  while (!stop.stop_requested()) {
    {
      const std::lock_guard lock(mutex_);
      woken_ = false;
    }
    const SteadyTime due = turn_(stop);
    std::unique_lock lock(mutex_);
    while (!woken_ && !stop.stop_requested() && clock_.Steady() < due) {
      clock_.WaitUntil(lock, wake_, due);
    }
  }
}

}  // namespace ballast::process
