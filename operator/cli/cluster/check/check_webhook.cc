#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "api/json/json_writer.h"
#include "operator/cli/cluster/check/installation_checks.h"
#include "operator/cli/pods/find_pods.h"
#include "operator/cluster/resources.h"
#include "operator/kube/resource.h"

namespace ballast::cli {
namespace {

constexpr const char* kWebhook = "webhook";

// Both configurations of the installation, as far as they matter here.
struct Configured {
  int webhooks = 0;
  std::string without_authority;  // the name of one without caBundle
  bool may_be_ignored = false;    // if it does not answer when a policy is completed
};

void Read(const json::Cursor& configuration, Configured& into) {
  for (const json::Cursor& webhook : configuration.Member("webhooks").Elements()) {
    ++into.webhooks;
    if (webhook.Member("clientConfig").Member("caBundle").Text().empty()) {
      into.without_authority = webhook.Member("name").Text();
    }
    into.may_be_ignored =
        into.may_be_ignored || (webhook.Member("failurePolicy").Text() == "Ignore" &&
                                webhook.Member("name").Text().starts_with("mutate."));
  }
}

Result<Configured> ReadConfigurations(CheckContext& context) {
  Configured configured;
  for (const char* plural : {"mutatingwebhookconfigurations", "validatingwebhookconfigurations"}) {
    std::string selector = kOwnLabel;
    if (!context.installation.release.empty()) {
      selector += ",app.kubernetes.io/instance=" + context.installation.release;
    }
    TRY(context.client.List({.group = "admissionregistration.k8s.io",
                             .version = "v1",
                             .plural = plural,
                             .kind = "",
                             .namespaced = false},
                            {.label_selector = selector}, [&](const json::Cursor& item) {
                              Read(item, configured);
                              return Status(Done{});
                            }));
  }
  return configured;
}

// What the configurations themselves have wrong; empty: nothing.
std::optional<Finding> JudgeConfigurations(const Installation& installation,
                                           const Configured& configured) {
  if (configured.webhooks == 0) {
    return installation.has_webhook
               ? Finding{kWebhook, Severity::kFailure,
                         "the operator serves one, but API servers have no configuration for it",
                         "helm upgrade"}
               : Finding{kWebhook, Severity::kOk, "there is none: policies are not completed", ""};
  }
  if (!configured.without_authority.empty()) {
    return Finding{kWebhook, Severity::kFailure,
                   configured.without_authority + " has no certificate authority yet",
                   "the leader writes it within ten seconds; else see its log"};
  }
  return std::nullopt;
}

// A namespace for which API servers call the webhook, unless selectors leave it out; empty: none is
// known.
std::string NamespaceToTry(const Installation& installation) {
  std::vector<std::string> candidates = installation.serves;
  if (candidates.empty()) {
    candidates = {"default", "kube-public"};
  }
  const auto found = std::ranges::find_if(
      candidates, [&](const std::string& name) { return name != installation.namespace_; });
  return found == candidates.end() ? "" : *found;
}

// The metrics are left to the webhook: nobody else completes an empty list.
std::string PrintPolicy() {
  json::Writer out;
  out.Object([&] {
    out.Field("apiVersion", cluster::kPolicies.ApiVersion());
    out.Field("kind", cluster::kPolicies.kind);
    out.Object("metadata", [&] { out.Field("generateName", "ballast-check-"); });
    out.Object("spec", [&] {
      out.Object("scaleTargetRef", [&] {
        out.Field("apiVersion", "apps/v1");
        out.Field("kind", "Deployment");
        out.Field("name", "ballast-check");
      });
      out.Field("maxReplicas", 2);
      out.Array("metrics", [] {});
      out.Field("mode", "DryRun");
    });
  });
  return out.Take();
}

// Whether the webhook completed a policy that is not stored.
Result<bool> Completes(CheckContext& context, const std::string& namespace_) {
  ASSIGN_OR_RETURN(const kube::Response response,
                   context.transport.Do({.method = kube::Method::kPost,
                                         .path = CollectionPath(cluster::kPolicies, namespace_),
                                         .query = {{"dryRun", "All"}},
                                         .body = PrintPolicy()}));
  ASSIGN_OR_RETURN(const json::Document policy, json::Parse(response.body));
  json::Decoder decoder(policy);
  return !decoder.root().Member("spec").Member("metrics").Elements().empty();
}

Finding JudgeAnswer(const Result<bool>& completes, const std::string& namespace_,
                    bool may_be_ignored) {
  const std::string tried = "a policy in " + namespace_ + " (a dry run)";
  if (completes.ok() && *completes) {
    return {kWebhook, Severity::kOk, "completed and accepted " + tried, ""};
  }
  if (completes.ok()) {
    return {kWebhook, may_be_ignored ? Severity::kFailure : Severity::kWarning,
            "did not complete " + tried +
                (may_be_ignored ? ": it does not answer, or is not called there"
                                : ": it is not called there"),
            "webhook.failurePolicy, and the selectors of kubectl get "
            "mutatingwebhookconfigurations -o yaml"};
  }
  const std::string& message = completes.error().message;
  if (message.find("failed calling webhook") != std::string::npos) {
    return {kWebhook, Severity::kFailure, message, "docs/troubleshooting.md has the causes"};
  }
  return {kWebhook, Severity::kWarning, "was not asked: " + message,
          "ask somebody who may create policies in " + namespace_};
}

}  // namespace

std::vector<Finding> CheckWebhook(CheckContext& context) {
  const auto configured = ReadConfigurations(context);
  if (configured.ok()) {
    if (const auto wrong = JudgeConfigurations(context.installation, *configured)) {
      return {*wrong};
    }
  } else if (!context.installation.has_webhook) {
    return {Unknown(kWebhook, "its configurations", configured.error())};
  }
  const std::string namespace_ = NamespaceToTry(context.installation);
  if (namespace_.empty()) {
    return {{kWebhook, Severity::kWarning,
             "the only namespace that the operator serves is its own, for which it is not called",
             ""}};
  }
  return {JudgeAnswer(Completes(context, namespace_), namespace_,
                      configured.ok() && configured->may_be_ignored)};
}

}  // namespace ballast::cli
