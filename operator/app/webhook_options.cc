#include "operator/app/webhook_options.h"

#include <string>

#include "operator/os/file.h"

namespace ballast::app {
namespace {

Status Check(const admission::WebhookOptions& options) {
  const bool keeps_certificates = !options.certificates.secret.name.empty() &&
                                  !options.certificates.configuration.empty() &&
                                  !options.certificates.hosts.empty();
  if (!options.address.empty() && options.certificates.certificate_dir.empty() &&
      !keeps_certificates) {
    return Error{Code::kInvalid,
                 "--webhook-address: needs --webhook-certificate-dir, or else --webhook-secret, "
                 "--webhook-configuration and --webhook-host"};
  }
  if (!options.policy_rules.empty() && options.address.empty()) {
    return Error{Code::kInvalid, "--policy-rules: needs --webhook-address, which applies them"};
  }
  return Done{};
}

}  // namespace

void AddWebhookOptions(flags::Command& command, admission::WebhookOptions& options) {
  command.AddOption("--webhook-address", options.address,
                    "Where to serve the admission webhook, as in :9443; default: nowhere");
  command.AddOption("--webhook-certificate-dir", options.certificates.certificate_dir,
                    "A folder with tls.crt and tls.key that another tool renews; default: make "
                    "certificates and keep them in --webhook-secret");
  command
      .AddParsed(
          "--webhook-secret",
          [&options](const std::string& text) -> Status {
            const std::size_t slash = text.find('/');
            if (slash == std::string::npos || slash == 0 || slash + 1 == text.size()) {
              return Error{Code::kInvalid, "must be NAMESPACE/NAME"};
            }
            options.certificates.secret = {text.substr(0, slash), text.substr(slash + 1)};
            return Done{};
          },
          "The Secret with the webhook's certificates, shared by all replicas")
      .ShowType("NAMESPACE/NAME");
  command.AddOption("--webhook-configuration", options.certificates.configuration,
                    "The Mutating- and the ValidatingWebhookConfiguration of that name get the "
                    "authorities to trust");
  command.AddOption("--webhook-host", options.certificates.hosts,
                    "A DNS name or IP address by which API servers call the webhook (repeatable)");
  command
      .AddChoice("--webhook-hpas", options.hpas,
                 {{"off", webhooks::Hpas::kOff},
                  {"refuse", webhooks::Hpas::kRefuse},
                  {"warn", webhooks::Hpas::kWarn}},
                 "What becomes of HorizontalPodAutoscalers with an error, or another autoscaler of "
                 "their target: nothing, a warning (the default), a refusal",
                 flags::Case::kMatters)
      .ShowValues("off|warn|refuse");
  command
      .AddParsed(
          "--policy-rules",
          [&options](const std::string& file) -> Status {
            ASSIGN_OR_RETURN(const std::string yaml, os::ReadFile(file));
            ASSIGN_OR_RETURN(options.policy_rules, api::ParsePolicyRules(file, yaml));
            return Done{};
          },
          "A file with what the webhook fills into policies that leave it out, and limits that it "
          "lets none go beyond, by namespace; default: there are none")
      .ShowType("FILE");
  command.OnCheck([&options] { return Check(options); });
}

}  // namespace ballast::app
