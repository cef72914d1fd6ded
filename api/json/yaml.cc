#include "api/json/yaml.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cctype>
#include <sstream>
#include <stdexcept>

#include "api/json/json.h"
#include "api/json/json_writer.h"

namespace ballast {
namespace {

constexpr std::size_t kMaxNodes = 500'000;
constexpr std::size_t kMaxBytes = 64 * 1024 * 1024;

struct TooLarge : std::runtime_error {
  TooLarge() : std::runtime_error("the document is too large") {}
};

bool IsOneOf(const std::string& text, std::initializer_list<const char*> words) {
  return std::find(words.begin(), words.end(), text) != words.end();
}

// Removes the leading digits; false if there are none.
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
    CountNode();
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
            CountBytes(key.size());
            out_.Key(key);
            Write(member.second);
          }
        });
        break;
    }
  }

  void WriteScalar(const YAML::Node& node) {
    const std::string& text = node.Scalar();
    CountBytes(text.size());
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

  // An alias is written out at each use, so both count the output, not the input.
  void CountNode() {
    if (++nodes_ > kMaxNodes) {
      throw TooLarge();
    }
  }
  void CountBytes(std::size_t bytes) {
    bytes_ += bytes;
    if (bytes_ > kMaxBytes) {
      throw TooLarge();
    }
  }

  json::Writer out_;
  std::size_t nodes_ = 0;
  std::size_t bytes_ = 0;
};

bool IsKeyword(const std::string& text) {
  return IsOneOf(text, {"null",  "Null", "NULL", "~",  "true", "True", "TRUE", "false", "False",
                        "FALSE", "y",    "Y",    "n",  "N",    "yes",  "Yes",  "YES",   "no",
                        "No",    "NO",   "on",   "On", "ON",   "off",  "Off",  "OFF"});
}

// Whether every YAML reader takes the text as a string without quotes: it begins with a letter, a
// slash or an underscore, is one line of ASCII, and has nothing in it with a meaning in YAML.
bool IsPlain(std::string_view text) {
  return !text.empty() &&
         (std::isalpha(static_cast<unsigned char>(text[0])) || text[0] == '/' || text[0] == '_') &&
         text.back() != ' ' && text.back() != ':' && text.find(": ") == std::string::npos &&
         text.find(" #") == std::string::npos && !IsKeyword(std::string(text)) &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~'; });
}

std::string PrintText(std::string_view text) {
  if (IsPlain(text)) {
    return std::string(text);
  }
  json::Writer quoted;
  quoted.Value(text);
  return quoted.Take();
}

bool HasParts(const json::Cursor& value) {
  return (value.IsArray() && !value.Elements().empty()) ||
         (value.IsObject() && value.Members().begin() != value.Members().end());
}

// Appends lines that each begin with the margin; a scalar continues the line already begun.
void Print(std::string& out, const json::Cursor& value, std::size_t indent) {
  const std::string margin(indent, ' ');
  if (!HasParts(value)) {
    out += (value.IsString() ? PrintText(value.Text()) : value.Print()) + "\n";
  } else if (value.IsArray()) {
    for (const json::Cursor& element : value.Elements()) {
      const std::size_t begin = out.size();
      if (HasParts(element)) {
        Print(out, element, indent + 2);
        out[begin + indent] = '-';
      } else {
        out += margin + "- ";
        Print(out, element, 0);
      }
    }
  } else {
    for (const auto& [name, member] : value.Members()) {
      out += margin + PrintText(name) + (HasParts(member) ? ":\n" : ": ");
      // An array is indented no further than the name it belongs to.
      Print(out, member, indent + (member.IsArray() ? 0 : 2));
    }
  }
}

// If a comma follows a flow collection ("{}, {}"), yaml-cpp produces documents forever. Every real
// document but the first begins on a line of its own, so there are at most as many as lines.
class DocumentLimit : public YAML::EventHandler {
 public:
  explicit DocumentLimit(std::string_view yaml)
      : left_(std::count(yaml.begin(), yaml.end(), '\n') + 1) {}

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (left_-- == 0) {
      throw YAML::ParserException(mark, "nothing may follow the end of a document");
    }
  }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark&, YAML::anchor_t) override {}
  void OnAlias(const YAML::Mark&, YAML::anchor_t) override {}
  void OnScalar(const YAML::Mark&, const std::string&, YAML::anchor_t,
                const std::string&) override {}
  void OnSequenceStart(const YAML::Mark&, const std::string&, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {}
  void OnSequenceEnd() override {}
  void OnMapStart(const YAML::Mark&, const std::string&, YAML::anchor_t,
                  YAML::EmitterStyle::value) override {}
  void OnMapEnd() override {}

 private:
  std::ptrdiff_t left_;
};

void CheckDocuments(const std::string& yaml) {
  std::istringstream in(yaml);
  YAML::Parser parser(in);
  DocumentLimit limit(yaml);
  while (parser.HandleNextDocument(limit)) {
  }
}

}  // namespace

std::string JsonToYaml(const json::Cursor& value) {
  std::string out;
  Print(out, value, 0);
  return out;
}

std::string JsonTextToYaml(std::string_view json) {
  const auto document = json::Parse(json);
  json::Decoder decoder(document.value());
  return JsonToYaml(decoder.root());
}

Result<std::vector<std::string>> YamlToJson(std::string_view yaml) {
  try {
    const std::string text(yaml);
    CheckDocuments(text);
    std::vector<std::string> documents;
    for (const YAML::Node& node : YAML::LoadAll(text)) {
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

Result<json::Document> ParseYaml(std::string_view yaml) {
  ASSIGN_OR_RETURN(const std::vector<std::string> documents, YamlToJson(yaml));
  if (documents.size() != 1) {
    return Error{Code::kInvalid,
                 "expected one YAML document, found " + std::to_string(documents.size())};
  }
  return json::Parse(documents.front());
}

}  // namespace ballast
