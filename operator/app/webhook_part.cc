#include "operator/app/webhook_part.h"

#include <utility>

#include "operator/os/thread_name.h"
#include "operator/server/instrumented_handler.h"
#include "webhooks/http/review_endpoint.h"

namespace ballast::app {

WebhookPart::WebhookPart(admission::WebhookOptions options, const cluster::Watches& watches,
                         kube::Transport& led, process::Clock& clock, telemetry::Registry& registry)
    : options_(std::move(options)), watches_(watches), led_(led), clock_(clock) {
  options_.certificates.metrics = admission::CertificateMetrics(registry);
  options_.measured = [&registry, &clock](net::HttpHandler handler) {
    return server::Instrument(std::move(handler), registry, clock,
                              {webhooks::kMutatePath, webhooks::kValidatePath});
  };
}

process::Manager::Part WebhookPart::Part() {
  return {"webhook", [this](const std::stop_token&) { return Start(); }, [this] { Stop(); }};
}

Status WebhookPart::Start() {
  ASSIGN_OR_RETURN(webhook_, admission::Webhook::Start(options_, watches_, led_, clock_));
  listening_ = webhook_.get();
  return Done{};
}

void WebhookPart::Stop() {
  BeginDrain();
  drain_.join();
}

Status WebhookPart::CheckReady() const {
  const admission::Webhook* const now = listening_;
  return now != nullptr && now->Ready()
             ? Status(Done{})
             : Status(Error{Code::kUnavailable, "there is no certificate to serve with"});
}

void WebhookPart::BeginDrain() {
  if (listening_ == nullptr || drain_.joinable()) {
    return;
  }
  drain_ = std::jthread([this] {
    os::NameThisThread("drain");
    webhook_->Stop();
  });
}

}  // namespace ballast::app
