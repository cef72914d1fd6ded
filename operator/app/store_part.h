// The ledger as a part of the program. It opens while health is already served, because it may wait
// for another process that has the file open. Then it is told how time passes, so that its history
// grows old in a replica that does not lead, too.
//
// Thread-safety: CheckReady and the metrics: any thread. The rest: owning thread only.
// Errors: starting: kConflict if another operator has the store open, since both would scale. With
// any other problem the operator runs without persistent history and reports that.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>

#include "api/base/result.h"
#include "operator/process/clock.h"
#include "operator/process/manager.h"
#include "operator/process/runner.h"
#include "operator/process/turn_pool.h"
#include "operator/telemetry/registry.h"
#include "store/ledger.h"

namespace ballast::app {

class StorePart {
 public:
  // `clock` and `pool` (null: none is shared) must outlive the part.
  StorePart(std::string path, const store::Process& process, const store::Retention& retention,
            process::Clock& clock, process::TurnPool* pool = nullptr);

  // Use it only after the part has started.
  store::Ledger& ledger() { return *ledger_; }

  process::Manager::Part Part();
  Status CheckReady() const;
  void AddMetrics(telemetry::Registry& registry) const;

 private:
  Status Start(const std::stop_token& stop);
  process::SteadyTime TellTime();

  const std::string path_;
  const store::Retention retention_;
  process::Clock& clock_;
  std::atomic<bool> started_ = false;
  std::unique_ptr<store::Ledger> ledger_;
  std::optional<process::SteadyTime> told_at_;  // used by the runner only
  process::Runner ageing_;                      // last: its turns use the rest
};

}  // namespace ballast::app
