#include "api/yaml.h"

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <stdexcept>

#include "api/json.h"

namespace ballast {
namespace {

constexpr std::size_t kMaxScalars = 500'000;
constexpr std::size_t kMaxBytes = 64 * 1024 * 1024;

struct TooLarge : std::runtime_error {
  TooLarge() : std::runtime_error("the document is too large") {}
};

bool IsOneOf(const std::string& text, std::initializer_list<const char*> words) {
  return std::find(words.begin(), words.end(), text) != words.end();
}

// Removes the leading digits; false when there are none.
bool SkipDigits(std::string_view& text) {
  const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  text.remove_prefix(digits);
  return digits > 0;
}

bool SkipOne(std::string_view& text, std::string_view of) {
  const bool found = !text.empty() && of.find(text.front()) != std::string_view::npos;
  text.remove_prefix(found ? 1 : 0);
  return found;
}

bool IsJsonNumber(std::string_view text) {
  SkipOne(text, "-");
  if (!SkipOne(text, "0") && !SkipDigits(text)) {
    return false;
  }
  if (SkipOne(text, ".") && !SkipDigits(text)) {
    return false;
  }
  if (SkipOne(text, "eE")) {
    SkipOne(text, "+-");
    if (!SkipDigits(text)) {
      return false;
    }
  }
  return text.empty();
}

class Converter {
 public:
  std::string Convert(const YAML::Node& node) {
    Write(node);
    return out_.Take();
  }

 private:
  void Write(const YAML::Node& node) {
    switch (node.Type()) {
      case YAML::NodeType::Undefined:
      case YAML::NodeType::Null:
        out_.Null();
        break;
      case YAML::NodeType::Scalar:
        WriteScalar(node);
        break;
      case YAML::NodeType::Sequence:
        out_.Array([&] {
          for (const auto& element : node) {
            Write(element);
          }
        });
        break;
      case YAML::NodeType::Map:
        out_.Object([&] {
          for (const auto& member : node) {
            const std::string key = member.first.as<std::string>();
            Count(key.size());
            out_.Key(key);
            Write(member.second);
          }
        });
        break;
    }
  }

  void WriteScalar(const YAML::Node& node) {
    const std::string& text = node.Scalar();
    Count(text.size());
    const bool plain = node.Tag() == "?";
    if (!plain || text.empty()) {
      out_.Value(text);
    } else if (IsOneOf(text, {"true", "True", "TRUE", "yes", "Yes", "YES", "on", "On", "ON"})) {
      out_.Value(true);
    } else if (IsOneOf(text, {"false", "False", "FALSE", "no", "No", "NO", "off", "Off", "OFF"})) {
      out_.Value(false);
    } else if (text.size() < 40 && IsJsonNumber(text)) {
      out_.Raw(text);
    } else {
      out_.Value(text);
    }
  }

  // An alias is written out each time it is used, so the output is bounded, not the input.
  void Count(std::size_t bytes) {
    bytes_ += bytes;
    if (++scalars_ > kMaxScalars || bytes_ > kMaxBytes) {
      throw TooLarge();
    }
  }

  json::Writer out_;
  std::size_t scalars_ = 0;
  std::size_t bytes_ = 0;
};

}  // namespace

Result<std::vector<std::string>> YamlToJson(std::string_view yaml) {
  try {
    std::vector<std::string> documents;
    for (const YAML::Node& node : YAML::LoadAll(std::string(yaml))) {
      if (node.IsDefined() && !node.IsNull()) {
        documents.push_back(Converter().Convert(node));
      }
    }
    return documents;
  } catch (const YAML::Exception& problem) {
    const std::string where =
        problem.mark.is_null() ? "not YAML: "
                               : "not YAML: line " + std::to_string(problem.mark.line + 1) +
                                     ", column " + std::to_string(problem.mark.column + 1) + ": ";
    return Error{Code::kInvalid, where + problem.msg};
  } catch (const std::exception& problem) {
    return Error{Code::kInvalid, std::string("not YAML: ") + problem.what()};
  }
}

}  // namespace ballast
