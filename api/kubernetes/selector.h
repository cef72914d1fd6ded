// Selectors of labels, as k8s.io/apimachinery (pkg/labels) matches and prints them.
//
// Errors: MakeRequirement returns kInvalid with upstream's text, because users see it in
// conditions.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "api/base/result.h"

namespace ballast::api {

using Labels = std::map<std::string, std::string>;

enum class SelectorOperator {
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

// A selector to match labels with. Requirements are sorted by key, as upstream's are.
class Selector {
 public:
  struct Requirement {
    std::string key;
    SelectorOperator op = SelectorOperator::kIn;
    std::vector<std::string> values;
  };

  Selector() = default;
  explicit Selector(std::vector<Requirement> requirements);

  bool Matches(const Labels& labels) const;  // true if there are no requirements
  bool empty() const { return requirements_.empty(); }
  const std::vector<Requirement>& requirements() const { return requirements_; }
  // The text form ("app=web,tier in (back,front)").
  std::string Print() const;

 private:
  std::vector<Requirement> requirements_;
};

// Checks key and values as upstream's NewRequirement does, and reports all complaints at once.
Result<Selector::Requirement> MakeRequirement(std::string key, SelectorOperator op,
                                              std::vector<std::string> values);

}  // namespace ballast::api
