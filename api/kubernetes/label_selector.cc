#include "api/kubernetes/label_selector.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include "api/kubernetes/codec.h"
#include "api/kubernetes/label_syntax.h"

namespace ballast::api {

void Decode(const json::Cursor& in, LabelSelector& out) {
  Decode(in.Member("matchLabels"), out.match_labels);
  Decode(in.Member("matchExpressions"), out.match_expressions);
}

void Decode(const json::Cursor& in, LabelSelectorRequirement& out) {
  in.Member("key").Read(out.key);
  in.Member("operator").Read(out.operator_);
  Decode(in.Member("values"), out.values);
}

void Encode(json::Writer& out, const LabelSelectorRequirement& requirement) {
  out.Object([&] {
    out.Field("key", requirement.key);
    out.Field("operator", requirement.operator_);
    EncodeField(out, "values", requirement.values);
  });
}

void Encode(json::Writer& out, const LabelSelector& selector) {
  out.Object([&] {
    EncodeField(out, "matchLabels", selector.match_labels);
    EncodeField(out, "matchExpressions", selector.match_expressions);
  });
}

std::string GoString(const LabelSelector& selector) {
  std::string out = "&LabelSelector{MatchLabels:map[string]string{";
  for (const auto& [key, value] : selector.match_labels) {
    out.append(key).append(": ").append(value).append(",");
  }
  out += "},MatchExpressions:[]LabelSelectorRequirement{";
  for (const LabelSelectorRequirement& requirement : selector.match_expressions) {
    out += "LabelSelectorRequirement{Key:" + requirement.key +
           ",Operator:" + requirement.operator_ + ",Values:[" + Join(requirement.values, " ") +
           "],},";
  }
  return out + "},}";
}

Result<Selector> ToSelector(const LabelSelector& selector) {
  std::vector<Selector::Requirement> requirements;
  for (const auto& [key, value] : selector.match_labels) {
    ASSIGN_OR_RETURN(Selector::Requirement requirement,
                     MakeRequirement(key, SelectorOperator::kEquals, {value}));
    requirements.push_back(std::move(requirement));
  }
  for (const LabelSelectorRequirement& expression : selector.match_expressions) {
    static constexpr struct {
      std::string_view name;
      SelectorOperator op;
    } kOperators[] = {{"In", SelectorOperator::kIn},
                      {"NotIn", SelectorOperator::kNotIn},
                      {"Exists", SelectorOperator::kExists},
                      {"DoesNotExist", SelectorOperator::kDoesNotExist}};
    const auto found = std::find_if(std::begin(kOperators), std::end(kOperators),
                                    [&](const auto& o) { return o.name == expression.operator_; });
    if (found == std::end(kOperators)) {
      return Error{Code::kInvalid,
                   Quote(expression.operator_) + " is not a valid label selector operator"};
    }
    ASSIGN_OR_RETURN(Selector::Requirement requirement,
                     MakeRequirement(expression.key, found->op, expression.values));
    requirements.push_back(std::move(requirement));
  }
  return Selector(std::move(requirements));
}

}  // namespace ballast::api
