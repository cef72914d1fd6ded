// The admission webhook as a part of the program. It serves from its start, and for some seconds
// after it begins to stop, so that no review fails; these may overlap with the stopping of other
// parts.
//
// Thread-safety: CheckReady: any thread. The rest: owning thread only.
// Errors: starting: as Webhook::Start.
#pragma once

#include <atomic>
#include <memory>
#include <thread>

#include "api/base/result.h"
#include "operator/admission/webhook.h"
#include "operator/cluster/watches.h"
#include "operator/kube/transport.h"
#include "operator/process/clock.h"
#include "operator/process/manager.h"
#include "operator/telemetry/registry.h"

namespace ballast::app {

class WebhookPart {
 public:
  // The references must outlive the WebhookPart. `led`: for certificates, which only the leader
  // writes.
  WebhookPart(admission::WebhookOptions options, const cluster::Watches& watches,
              kube::Transport& led, process::Clock& clock, telemetry::Registry& registry);

  process::Manager::Part Part();

  // Done while reviews can be served.
  Status CheckReady() const;
  // Begins to stop the webhook, if it was started, without waiting for the end.
  void BeginDrain();

 private:
  Status Start();
  void Stop();

  admission::WebhookOptions options_;
  const cluster::Watches& watches_;
  kube::Transport& led_;
  process::Clock& clock_;
  std::unique_ptr<admission::Webhook> webhook_;
  std::atomic<const admission::Webhook*> listening_ = nullptr;
  std::jthread drain_;
};

}  // namespace ballast::app
