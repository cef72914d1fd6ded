#include "operator/cli/manifests/rule_check.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "api/autoscaling/types.h"
#include "api/kubernetes/meta.h"
#include "operator/calendar/time_zone.h"
#include "operator/os/file.h"

namespace ballast::cli {

void RuleCheck::AddOption(flags::Command& command) {
  command
      .AddParsed(
          "--defaults",
          [this](const std::string& file) -> Status {
            ASSIGN_OR_RETURN(const std::string yaml, os::ReadFile(file));
            ASSIGN_OR_RETURN(rules_, api::ParsePolicyRules(file, yaml));
            return Done{};
          },
          "A file with the installation's defaults and limits for policies, as the operator reads "
          "it; rules that select namespaces by labels need the Namespace among the objects")
      .ShowType("FILE");
}

void RuleCheck::Learn(const std::vector<Manifest>& manifests) {
  for (const Manifest& manifest : manifests) {
    if (!manifest.document.ok()) {
      continue;
    }
    json::Decoder decoder(*manifest.document);
    const json::Cursor object = decoder.root();
    if (object.IsObject() && object.Member("kind").Text() == "Namespace" &&
        object.Member("apiVersion").Text() == "v1") {
      api::ObjectMeta metadata;
      Decode(object.Member("metadata"), metadata);
      labels_[metadata.name] = *metadata.labels;
    }
  }
}

api::ObjectCheck RuleCheck::Check(const json::Cursor& object) const {
  const api::NamespaceRules rules = RulesFor(object);
  api::ObjectCheck check =
      api::CheckObject(object, api::UnknownFields::kRefused, rules.Schema(), calendar::kZoneCheck);
  if (check.autoscaler.is_policy()) {
    std::ranges::move(rules.OpenDefaults(object), std::back_inserter(check.warnings));
    auto findings = rules.CheckLimits(check.autoscaler.spec, nullptr);
    check.errors.Add(findings.errors);
    std::ranges::move(findings.warnings, std::back_inserter(check.warnings));
  }
  return check;
}

std::vector<std::string> RuleCheck::OpenDefaults(const json::Cursor& object) const {
  return object.Member("kind").Text() == api::kPolicyKind ? RulesFor(object).OpenDefaults(object)
                                                          : std::vector<std::string>();
}

api::NamespaceRules RuleCheck::RulesFor(const json::Cursor& object) const {
  if (rules_.empty() || !object.IsObject()) {
    return {};
  }
  const std::string name(object.Member("metadata").Member("namespace").Text());
  api::NamespaceFacts facts{.name = name, .labels = std::nullopt};
  if (const auto known = labels_.find(name); known != labels_.end()) {
    facts.labels = known->second;
  } else if (name.empty()) {
    facts.unknown = "the policy has no metadata.namespace";
  } else {
    facts.unknown =
        "the labels of namespace " + name + " are not known; add the Namespace to the objects";
  }
  return {rules_, facts};
}

}  // namespace ballast::cli
