#include "operator/admission/webhook.h"

#include <utility>

#include "operator/calendar/time_zone.h"
#include "operator/process/log.h"
#include "webhooks/http/review_endpoint.h"
#include "webhooks/http/server_options.h"

namespace ballast::admission {
namespace {

// How long a stopping pod goes on serving: a Service removes it within a second or two.
constexpr std::chrono::seconds kDrainTime{3};
constexpr std::chrono::seconds kGrace{5};

void LogRefusal(const webhooks::ReviewSubject& subject, const webhooks::Verdict& verdict) {
  if (!verdict.allowed()) {
    const api::FieldError& error = verdict.errors.front();
    const std::string object = subject.namespace_ + "/" + subject.name;
    log::Debug(log::About{object, error.field}, "refused",
               {{"kind", subject.kind},
                {"object", object},
                {"operation", subject.operation},
                {"field", error.field},
                {"reason", error.message}});
  }
}

}  // namespace

Webhook::Webhook(const WebhookOptions& options, const cluster::Watches& watches,
                 kube::Transport& transport, process::Clock& clock)
    : policy_rules_(options.policy_rules),
      lookup_(watches, transport, clock,
              {.take_over_in = options.take_over_in,
               .metric_sources = options.metric_sources,
               .namespace_labels = api::NeedLabels(options.policy_rules),
               .max_view_age = options.max_view_age}),
      certificates_(options.certificates, transport, clock) {}

Result<std::unique_ptr<Webhook>> Webhook::Start(const WebhookOptions& options,
                                                const cluster::Watches& watches,
                                                kube::Transport& transport, process::Clock& clock) {
  std::unique_ptr<Webhook> webhook(new Webhook(options, watches, transport, clock));
  ASSIGN_OR_RETURN(webhook->server_,
                   net::HttpServer::Start(
                       options.address,
                       options.measured([review_options =
                                             webhooks::ReviewOptions{
                                                 .lookup = webhook->lookup_,
                                                 .hpas = options.hpas,
                                                 .rules = webhook->policy_rules_,
                                                 .zones = calendar::kZoneCheck,
                                                 .longest_override = options.longest_override}](
                                            const auto& request) {
                         return webhooks::AnswerRequest(request, review_options, LogRefusal);
                       }),
                       webhooks::ServerOptions(webhook->certificates_.identity())));
  log::Info("the webhook listens", {{"address", webhook->server_->address()}});
  webhook->certificates_.Start();
  return webhook;
}

void Webhook::Stop() { server_->Stop(kGrace, kDrainTime); }

}  // namespace ballast::admission
