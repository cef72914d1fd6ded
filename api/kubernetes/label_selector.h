// Label selectors: metav1.LabelSelector and the text form in Scale.status.selector.
//
// Parsing, matching and printing follow k8s.io/apimachinery (pkg/labels, pkg/apis/meta/v1),
// including the error texts, because users see them in conditions.
//
// Thread-safety: plain values.
// Errors: ParseSelector and ToSelector return kInvalid with upstream's texts.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "api/base/result.h"
#include "api/json/json.h"
#include "api/json/json_writer.h"

namespace ballast::api {

using Labels = std::map<std::string, std::string>;

struct LabelSelectorRequirement {
  std::string key;
  std::string operator_;  // "In", "NotIn", "Exists", "DoesNotExist"
  std::vector<std::string> values;
};

struct LabelSelector {
  Labels match_labels;
  std::vector<LabelSelectorRequirement> match_expressions;
};

void Decode(const json::Cursor& in, LabelSelectorRequirement& out);
void Decode(const json::Cursor& in, LabelSelector& out);
void Encode(json::Writer& out, const LabelSelector& selector);

// Prints as Go's generated String() does: "&LabelSelector{MatchLabels:map[string]string{a:
// b,},...}".
std::string GoString(const LabelSelector& selector);

// A selector to match labels with. Requirements are sorted by key, as upstream's are.
class Selector {
 public:
  enum class Operator {
    kIn,
    kNotIn,
    kEquals,
    kDoubleEquals,
    kNotEquals,
    kExists,
    kDoesNotExist,
    kGreater,
    kLess
  };
  struct Requirement {
    std::string key;
    Operator op = Operator::kIn;
    std::vector<std::string> values;
  };

  bool Matches(const Labels& labels) const;  // true if there are no requirements
  bool empty() const { return requirements_.empty(); }
  const std::vector<Requirement>& requirements() const { return requirements_; }
  // The text form ("app=web,tier in (back,front)").
  std::string Print() const;

 private:
  friend Result<Selector> ParseSelector(std::string_view text);
  friend Result<Selector> ToSelector(const LabelSelector& selector);
  std::vector<Requirement> requirements_;
};

// Parses the text form. kInvalid with upstream's text.
Result<Selector> ParseSelector(std::string_view text);
// kInvalid with upstream's text: an unknown operator, an invalid key or value.
Result<Selector> ToSelector(const LabelSelector& selector);

}  // namespace ballast::api
