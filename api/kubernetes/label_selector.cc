#include "api/kubernetes/label_selector.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include "api/kubernetes/codec.h"
#include "api/kubernetes/label_syntax.h"

namespace ballast::api {

void Fields(auto& f, Of<LabelSelectorRequirement> auto& v) {
  f.Always("key", v.key);
  f.Always("operator", v.operator_);
  f("values", v.values);
}

void Fields(auto& f, Of<LabelSelector> auto& v) {
  f("matchLabels", v.match_labels);
  f("matchExpressions", v.match_expressions);
}

void Encode(json::Writer& out, const LabelSelectorRequirement& requirement) {
  WriteFields(out, requirement);
}

void Decode(const json::Cursor& in, LabelSelector& out) { ReadFields(in, out); }
void Encode(json::Writer& out, const LabelSelector& selector) { WriteFields(out, selector); }

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
