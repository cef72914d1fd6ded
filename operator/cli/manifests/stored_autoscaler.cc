#include "operator/cli/manifests/stored_autoscaler.h"

#include <iostream>
#include <utility>

#include "api/autoscaling/object_check.h"
#include "api/autoscaling/validation.h"
#include "operator/cli/manifests/manifest.h"
#include "operator/cli/manifests/rule_check.h"

namespace ballast::cli {
namespace {

// As a reconciler does, which knows no time zones.
bool OperatorGoesOn(const api::ObjectCheck& check) {
  return !check.completed.empty() && !check.errors.front().field.empty() &&
         api::ValidateSpec(check.autoscaler).empty();
}

}  // namespace

Result<api::Autoscaler> AsStored(const std::string& source, const json::Cursor& object) {
  api::ObjectCheck check = RuleCheck().Check(object);
  if (!check.valid() && !OperatorGoesOn(check)) {
    return Error{Code::kInvalid, source + ": " + Print(check.errors.front())};
  }
  for (const api::FieldError& error : check.errors) {
    std::cerr << source << ": " << Describe(object) << ": warning: " << Print(error) << "\n";
  }
  return std::move(check.autoscaler);
}

}  // namespace ballast::cli
