#include "operator/app/webhook_options.h"

#include <CLI/CLI.hpp>
#include <map>
#include <string>

namespace ballast::app {
namespace {

void Check(const admission::WebhookOptions& options) {
  const bool keeps_certificates =
      !options.secret.name.empty() && !options.configuration.empty() && !options.hosts.empty();
  if (!options.address.empty() && options.certificate_dir.empty() && !keeps_certificates) {
    throw CLI::ValidationError("--webhook-address",
                               "needs --webhook-certificate-dir, or else --webhook-secret, "
                               "--webhook-configuration and --webhook-host");
  }
}

}  // namespace

void AddWebhookOptions(CLI::App& command, admission::WebhookOptions& options) {
  command.add_option("--webhook-address", options.address,
                     "Where to serve the admission webhook, as in :9443; default: nowhere");
  command.add_option("--webhook-certificate-dir", options.certificate_dir,
                     "A folder with tls.crt and tls.key that another tool renews; default: make "
                     "certificates and keep them in --webhook-secret");
  command
      .add_option_function<std::string>(
          "--webhook-secret",
          [&options](const std::string& text) {
            const std::size_t slash = text.find('/');
            if (slash == std::string::npos || slash == 0 || slash + 1 == text.size()) {
              throw CLI::ValidationError("--webhook-secret", "must be NAMESPACE/NAME");
            }
            options.secret = {text.substr(0, slash), text.substr(slash + 1)};
          },
          "The Secret with the webhook's certificates, shared by all replicas")
      ->type_name("NAMESPACE/NAME");
  command.add_option("--webhook-configuration", options.configuration,
                     "The Mutating- and the ValidatingWebhookConfiguration of that name get the "
                     "authorities to trust");
  command.add_option("--webhook-host", options.hosts,
                     "A DNS name or IP address by which API servers call the webhook (repeatable)");
  const std::map<std::string, webhooks::Hpas> hpas = {{"off", webhooks::Hpas::kOff},
                                                      {"warn", webhooks::Hpas::kWarn},
                                                      {"refuse", webhooks::Hpas::kRefuse}};
  command
      .add_option("--webhook-hpas", options.hpas,
                  "What becomes of HorizontalPodAutoscalers with a rival or an error: nothing, a "
                  "warning (the default), a refusal")
      ->transform(CLI::CheckedTransformer(hpas))
      ->option_text("off|warn|refuse");
  command.parse_complete_callback([&options] { Check(options); });
}

}  // namespace ballast::app
