#include "api/kubernetes/selector.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

#include "api/json/json_writer.h"
#include "api/kubernetes/codec.h"
#include "api/kubernetes/label_syntax.h"

namespace ballast::api {
namespace {

using Requirement = Selector::Requirement;

Error Invalid(std::string message) { return {Code::kInvalid, std::move(message)}; }

std::optional<std::int64_t> ToInteger(std::string_view text) {
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') {
    text.remove_prefix(1);
  }
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && !text.empty()
             ? std::optional(value)
             : std::nullopt;
}

std::string InvalidValue(const std::string& path, const std::string& value,
                         const std::string& detail) {
  return path + ": Invalid value: " + value + ": " + detail;
}

std::string PrintList(const std::vector<std::string>& values) {
  if (values.empty()) {
    return "null";
  }
  json::Writer out;
  Encode(out, values);
  return out.Take();
}

bool MatchesOne(const Requirement& requirement, const Labels& labels) {
  const auto label = labels.find(requirement.key);
  const bool exists = label != labels.end();
  const auto has_value = [&] {
    return std::find(requirement.values.begin(), requirement.values.end(), label->second) !=
           requirement.values.end();
  };
  switch (requirement.op) {
    case SelectorOperator::kIn:
    case SelectorOperator::kEquals:
    case SelectorOperator::kDoubleEquals:
      return exists && has_value();
    case SelectorOperator::kNotIn:
    case SelectorOperator::kNotEquals:
      return !exists || !has_value();
    case SelectorOperator::kExists:
      return exists;
    case SelectorOperator::kDoesNotExist:
      return !exists;
    case SelectorOperator::kGreater:
    case SelectorOperator::kLess: {
      const auto have = exists ? ToInteger(label->second) : std::nullopt;
      const auto bound = ToInteger(requirement.values.front());
      return have && bound &&
             (requirement.op == SelectorOperator::kGreater ? *have > *bound : *have < *bound);
    }
  }
  return false;
}

const char* Symbol(SelectorOperator op) {
  switch (op) {
    case SelectorOperator::kEquals:
      return "=";
    case SelectorOperator::kDoubleEquals:
      return "==";
    case SelectorOperator::kNotEquals:
      return "!=";
    case SelectorOperator::kIn:
      return " in ";
    case SelectorOperator::kNotIn:
      return " notin ";
    case SelectorOperator::kGreater:
      return ">";
    case SelectorOperator::kLess:
      return "<";
    case SelectorOperator::kExists:
    case SelectorOperator::kDoesNotExist:
      return "";
  }
  return "";
}

std::string PrintOne(const Requirement& requirement) {
  const bool is_set =
      requirement.op == SelectorOperator::kIn || requirement.op == SelectorOperator::kNotIn;
  std::vector<std::string> values = requirement.values;
  std::sort(values.begin(), values.end());
  return (requirement.op == SelectorOperator::kDoesNotExist ? "!" : "") + requirement.key +
         Symbol(requirement.op) + (is_set ? "(" : "") + Join(values, ",") + (is_set ? ")" : "");
}

}  // namespace

Result<Requirement> MakeRequirement(std::string key, SelectorOperator op,
                                    std::vector<std::string> values) {
  std::vector<std::string> complaints;
  if (const Complaints wrong = CheckLabelKey(key); !wrong.empty()) {
    complaints.push_back(InvalidValue("key", Quote(key), Join(wrong, "; ")));
  }
  switch (op) {
    case SelectorOperator::kIn:
    case SelectorOperator::kNotIn:
      if (values.empty()) {
        complaints.push_back(InvalidValue(
            "values", PrintList(values), "for 'in', 'notin' operators, values set can't be empty"));
      }
      break;
    case SelectorOperator::kEquals:
    case SelectorOperator::kDoubleEquals:
    case SelectorOperator::kNotEquals:
      break;  // the parsers give exactly one value
    case SelectorOperator::kExists:
    case SelectorOperator::kDoesNotExist:
      if (!values.empty()) {
        complaints.push_back(InvalidValue(
            "values", PrintList(values), "values set must be empty for exists and does not exist"));
      }
      break;
    case SelectorOperator::kGreater:
    case SelectorOperator::kLess:
      if (!ToInteger(values.front())) {
        complaints.push_back(
            InvalidValue("values[0]", Quote(values.front()),
                         "for 'Gt', 'Lt' operators, the value must be an integer"));
      }
      break;
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (const Complaints wrong = CheckLabelValue(values[i]); !wrong.empty()) {
      complaints.push_back(InvalidValue("values[" + std::to_string(i) + "][" + key + "]",
                                        Quote(values[i]), Join(wrong, "; ")));
    }
  }
  if (complaints.size() == 1) {
    return Invalid(complaints.front());
  }
  if (!complaints.empty()) {
    return Invalid("[" + Join(complaints, ", ") + "]");
  }
  return Requirement{std::move(key), op, std::move(values)};
}

Selector::Selector(std::vector<Requirement> requirements) : requirements_(std::move(requirements)) {
  const auto before = [](const Requirement& a, const Requirement& b) { return a.key < b.key; };
  if (!std::is_sorted(requirements_.begin(), requirements_.end(), before)) {
    std::stable_sort(requirements_.begin(), requirements_.end(), before);  // allocates
  }
}

bool Selector::Matches(const Labels& labels) const {
  return std::all_of(requirements_.begin(), requirements_.end(),
                     [&](const Requirement& r) { return MatchesOne(r, labels); });
}

std::string Selector::Print() const {
  std::vector<std::string> parts;
  for (const Requirement& requirement : requirements_) {
    parts.push_back(PrintOne(requirement));
  }
  return Join(parts, ",");
}

}  // namespace ballast::api
