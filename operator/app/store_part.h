// The operator's ledger as a part of the program: opened while health is served already, for
// converting the file of an earlier version may take minutes.
//
// Thread-safety: CheckReady and the metrics from any thread; the rest is the owner's. Failure
// modes: another operator has the store open (two would both scale). Whatever else is wrong, the
// operator scales all the same, and says that history is degraded.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "api/base/result.h"
#include "operator/runtime/manager.h"
#include "operator/telemetry/registry.h"
#include "store/ledger.h"

namespace ballast::app {

class StorePart {
 public:
  StorePart(std::string path, const store::Process& process, const store::Retention& retention);

  // Not to be used before the part has started.
  store::Ledger& ledger() { return *ledger_; }

  runtime::Manager::Part Part();
  Status CheckReady() const;
  void AddMetrics(telemetry::Registry& registry) const;

 private:
  Status Start(const std::stop_token& stop);

  const std::string path_;
  std::atomic<bool> started_ = false;
  std::atomic<std::int64_t> converting_ = 0;  // decisions, at most
  std::unique_ptr<store::Ledger> ledger_;
};

}  // namespace ballast::app
