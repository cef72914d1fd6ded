// The installation's rules for policies, as --defaults gives them to the subcommands that check
// manifests.
//
// Of a namespace the name is known if the policy has it, and the labels if its Namespace is among
// the manifests.
//
// Thread-safety: main thread only.
// Errors: none; a wrong file is reported when the command line is parsed.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "api/autoscaling/namespace_rules.h"
#include "api/autoscaling/object_check.h"
#include "api/autoscaling/policy_rules.h"
#include "api/json/json.h"
#include "operator/cli/command.h"
#include "operator/cli/manifests/manifest.h"

namespace ballast::cli {

class RuleCheck {
 public:
  // --defaults; the RuleCheck must live until the command line is parsed.
  void AddOption(flags::Command& command);
  // Takes the labels of the Namespaces among the manifests.
  void Learn(const std::vector<Manifest>& manifests);

  // api::CheckObject(), with what the rules fill into a policy. What is beyond their limits is an
  // error or a warning.
  api::ObjectCheck Check(const json::Cursor& object) const;
  // Warnings of what the rules may fill in, but do not, because labels are not known.
  std::vector<std::string> OpenDefaults(const json::Cursor& object) const;

 private:
  api::NamespaceRules RulesFor(const json::Cursor& object) const;

  api::PolicyRules rules_;
  std::map<std::string, api::Labels> labels_;  // by namespace
};

}  // namespace ballast::cli
