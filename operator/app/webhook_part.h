// The admission webhook as a part of the program. It answers from its start on, and loses no review
// when it ends: its farewell takes some seconds, and may begin while other parts still stop.
//
// Thread-safety: Part is the owner's, the rest any thread's.
#pragma once

#include <atomic>
#include <memory>
#include <thread>

#include "api/base/result.h"
#include "operator/admission/webhook.h"
#include "operator/cluster/watches.h"
#include "operator/kube/transport.h"
#include "operator/runtime/clock.h"
#include "operator/runtime/manager.h"
#include "operator/telemetry/registry.h"

namespace ballast::app {

class WebhookPart {
 public:
  // All but the options must outlive this. `led`: for the certificate, which only the leader
  // writes.
  WebhookPart(admission::WebhookOptions options, const cluster::Watches& watches,
              kube::Transport& led, runtime::Clock& clock, telemetry::Registry& registry);

  runtime::Manager::Part Part();

  // Done while a review would be answered.
  Status CheckReady() const;
  // Begins the farewell, if the webhook was started, and does not wait for its end.
  void BeginFarewell();

 private:
  Status Start();
  void Stop();

  admission::WebhookOptions options_;
  const cluster::Watches& watches_;
  kube::Transport& led_;
  runtime::Clock& clock_;
  std::unique_ptr<admission::Webhook> webhook_;
  std::atomic<const admission::Webhook*> listening_ = nullptr;
  std::jthread farewell_;
};

}  // namespace ballast::app
