// The ledger as a part of the program. It opens while health is already served, because it may wait
// for another process that has the file open.
//
// Thread-safety: CheckReady and the metrics: any thread. The rest: owning thread only.
// Errors: starting: kConflict if another operator has the store open, since both would scale. With
// any other problem the operator runs without persistent history and reports that.
#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "api/base/result.h"
#include "operator/process/manager.h"
#include "operator/telemetry/registry.h"
#include "store/ledger.h"

namespace ballast::app {

class StorePart {
 public:
  StorePart(std::string path, const store::Process& process, const store::Retention& retention);

  // Use it only after the part has started.
  store::Ledger& ledger() { return *ledger_; }

  process::Manager::Part Part();
  Status CheckReady() const;
  void AddMetrics(telemetry::Registry& registry) const;

 private:
  Status Start(const std::stop_token& stop);

  const std::string path_;
  std::atomic<bool> started_ = false;
  std::unique_ptr<store::Ledger> ledger_;
};

}  // namespace ballast::app
