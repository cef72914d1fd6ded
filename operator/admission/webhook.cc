#include "operator/admission/webhook.h"

#include <utility>

#include "operator/runtime/log.h"
#include "webhooks/http/review_endpoint.h"
#include "webhooks/http/server_options.h"

namespace ballast::admission {
namespace {

constexpr std::chrono::seconds kLook{10};
constexpr std::chrono::seconds kFirstLook{1};            // while there is no certificate
constexpr std::chrono::seconds kCertificatePatience{5};  // for requests about certificates
// How long a stopping pod goes on serving: a Service removes it within a second or two.
constexpr std::chrono::seconds kFarewell{3};
constexpr std::chrono::seconds kGrace{5};

void LogRefusal(const webhooks::Subject& subject, const webhooks::Verdict& verdict) {
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
                 kube::Transport& transport, runtime::Clock& clock)
    : clock_(clock),
      metrics_(options.metrics),
      policy_rules_(options.policy_rules),
      lookup_(watches, transport, clock,
              {.take_over_in = options.take_over_in,
               .metric_sources = options.metric_sources,
               .namespace_labels = api::NeedLabels(options.policy_rules)}),
      client_(transport, kCertificatePatience),
      secret_(client_, options.secret, options.configuration),
      looking_after_("certificates", clock,
                     [this](const std::stop_token&) { return LookAfterCertificates(); }) {
  if (!options.certificate_dir.empty()) {
    certificates_ =
        std::make_unique<webhooks::CertificateFiles>(options.certificate_dir, identity_);
    return;
  }
  certificates_ = std::make_unique<webhooks::CertificateKeeper>(
      secret_, identity_,
      webhooks::CertificateKeeper::Options{
          .names = options.hosts,
          .now = [&clock] { return clock.Now(); },
          .is_leader = options.is_leader,
          .on_step =
              [](const char* what) {
                log::Info("the webhook's certificates changed", {{"step", what}});
              }});
}

Result<std::unique_ptr<Webhook>> Webhook::Start(const WebhookOptions& options,
                                                const cluster::Watches& watches,
                                                kube::Transport& transport, runtime::Clock& clock) {
  std::unique_ptr<Webhook> webhook(new Webhook(options, watches, transport, clock));
  ASSIGN_OR_RETURN(
      webhook->server_,
      net::HttpServer::Start(
          options.address,
          options.measured(
              [manner = webhooks::Manner{.lookup = webhook->lookup_,
                                         .hpas = options.hpas,
                                         .rules = webhook->policy_rules_}](const auto& request) {
                return webhooks::AnswerRequest(request, manner, LogRefusal);
              }),
          webhooks::ServerOptions(webhook->identity_)));
  log::Info("the webhook listens", {{"address", webhook->server_->address()}});
  webhook->looking_after_.Start();
  return webhook;
}

void Webhook::Stop() { server_->Stop(kGrace, kFarewell); }

runtime::SteadyTime Webhook::LookAfterCertificates() {
  const Status status = certificates_->Tick();
  metrics_.reads.Add();
  metrics_.errors.Add(status.ok() ? 0 : 1);
  metrics_.end.Set(static_cast<double>(certificates_->ends()));
  const std::string found = status.ok() ? "" : status.error().message;
  constexpr log::About kCertificates{"certificates"};
  if (found != problem_ &&
      (found.empty() ? log::Info(kCertificates, "the webhook's certificates are well again", {})
                     : log::Error(kCertificates, "the webhook's certificates have a problem",
                                  {{"error", found}}))) {
    problem_ = found;
  }
  return clock_.Steady() + (Ready() ? kLook : kFirstLook);
}

}  // namespace ballast::admission
