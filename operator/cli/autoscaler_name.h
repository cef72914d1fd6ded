// How users name autoscalers: asp/web, hpa/web, shop/web, web.
//
// Errors: ParseName, ParseKind: kInvalid.
#pragma once

#include <string>

#include "api/autoscaling/types.h"
#include "api/base/result.h"

namespace ballast::cli {

struct AutoscalerName {
  std::string kind;        // empty: any
  std::string namespace_;  // empty: that of the command
  std::string name;
};

// KIND/NAME, NAMESPACE/NAME or NAME. What is a kind, or a workload's, is not taken for a namespace:
// one that is called "hpa" or "deploy" is named by -n.
Result<AutoscalerName> ParseName(const std::string& text);

// The kind that a word like "asp" or "horizontalpodautoscalers" names. kInvalid: none.
Result<std::string> ParseKind(const std::string& text);

// "asp/web"; ParseName reads it.
std::string PrintName(const api::Autoscaler& autoscaler);

// "autoscalepolicy.ballast.dev/web", as kubectl prints names (-o name).
std::string ResourceName(const std::string& kind, const std::string& name);

}  // namespace ballast::cli
