#include "operator/process/manager.h"

#include <unistd.h>

#include <cstdlib>
#include <utility>

#include "operator/process/log.h"

namespace ballast::process {

Status Manager::Run(const std::stop_token& stop) {
  const std::stop_callback on_stop(stop, [this] { stop_.request_stop(); });
  const std::stop_callback on_any_stop(stop_.get_token(), [this] {
    watchdog_.emplace(grace_, [this] { GiveUp(); });
    const std::lock_guard lock(mutex_);
    wake_.notify_all();
  });
  StartAll();
  {
    std::unique_lock lock(mutex_);
    wake_.wait(lock, [this] { return stopping(); });
  }
  StopAll();
  const std::lock_guard lock(mutex_);
  return error_ ? Status(*error_) : Status(Done{});
}

void Manager::StartAll() {
  for (const Part& part : parts_) {
    if (stopping()) {
      return;
    }
    log::Debug("a part starts", {{"part", part.name}});
    SetBusy(part.name);
    if (const Status started = part.start(stop_.get_token()); !started.ok()) {
      Fail(started.error());
      return;
    }
    ++started_;
  }
}

void Manager::StopAll() {
  for (; started_ > 0; --started_) {
    const Part& part = parts_[started_ - 1];
    log::Debug("a part stops", {{"part", part.name}});
    SetBusy(part.name);
    part.stop();
  }
  SetBusy("the rest");
}

void Manager::Fail(Error error) {
  {
    const std::lock_guard lock(mutex_);
    if (!error_) {
      error_ = std::move(error);
    }
  }
  stop_.request_stop();
}

bool Manager::stopping() const { return stop_.stop_requested(); }

void Manager::SetBusy(std::string part) {
  const std::lock_guard lock(mutex_);
  busy_ = std::move(part);
}

void Manager::GiveUp() {
  const std::lock_guard lock(mutex_);
  log::Error("a part did not stop within the grace period; the process exits",
             {{"part", busy_}, {"graceSeconds", std::chrono::duration<double>(grace_).count()}});
  _exit(EXIT_FAILURE);
}

}  // namespace ballast::process
