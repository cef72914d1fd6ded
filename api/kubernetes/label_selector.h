// metav1.LabelSelector, as workloads and metrics have it (k8s.io/apimachinery, pkg/apis/meta/v1).
//
// Errors: ToSelector returns kInvalid with upstream's texts, because users see them in conditions.
#pragma once

#include <string>
#include <vector>

#include "api/base/result.h"
#include "api/json/json.h"
#include "api/json/json_writer.h"
#include "api/kubernetes/selector.h"

namespace ballast::api {

struct LabelSelectorRequirement {
  std::string key;
  std::string operator_;  // "In", "NotIn", "Exists", "DoesNotExist"
  std::vector<std::string> values;
};

struct LabelSelector {
  Labels match_labels;
  std::vector<LabelSelectorRequirement> match_expressions;
};

void Decode(const json::Cursor& in, LabelSelector& out);
void Encode(json::Writer& out, const LabelSelectorRequirement& requirement);
void Encode(json::Writer& out, const LabelSelector& selector);

// Prints as Go's generated String() does: "&LabelSelector{MatchLabels:map[string]string{a:
// b,},...}".
std::string GoString(const LabelSelector& selector);

// kInvalid with upstream's text: an unknown operator, an invalid key or value.
Result<Selector> ToSelector(const LabelSelector& selector);

}  // namespace ballast::api
