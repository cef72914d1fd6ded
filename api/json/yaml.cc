#include "api/json/yaml.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cctype>
#include <limits>
#include <map>
#include <sstream>
#include <stdexcept>

#include "api/json/json.h"
#include "api/json/json_writer.h"
#include "api/json/max_depth.h"
#include "api/json/yaml_scalar.h"

namespace ballast {
namespace {

constexpr std::size_t kMaxNodes = 500'000;
constexpr std::size_t kMaxBytes = 64 * 1024 * 1024;

struct TooLarge : std::runtime_error {
  TooLarge() : std::runtime_error("the document is too large") {}
};

// Problems with what YAML means, as opposed to how it is written.
struct Meaning : std::runtime_error {
  Meaning(const YAML::Mark& where, const std::string& what)
      : std::runtime_error("line " + std::to_string(where.line + 1) + ": " + what) {}
};

template <typename T>
T Resolve(Result<T> (*resolve)(std::string_view tag, std::string_view text),
          const YAML::Node& node) {
  auto resolved = resolve(node.Tag() == "?" ? "" : node.Tag(), node.Scalar());
  if (!resolved.ok()) {
    throw Meaning(node.Mark(), resolved.error().message);
  }
  return std::move(resolved).value();
}

// What "<<" merges into a map: `k: v` of `<<: {k: v}` is a member of the map itself.
bool IsMerge(const YAML::Node& key) {
  return key.IsScalar() && key.Scalar() == "<<" &&
         (key.Tag() == "?" || key.Tag() == "tag:yaml.org,2002:merge");
}

struct Member {
  std::string key;
  YAML::Node value;
  bool merged;
};

// What becomes of a key that is written twice.
enum class Repeated {
  kKept,  // for the reader of the JSON to complain about
  kLast,  // the last one counts, as for kubectl
};

// A value inside of another; JSON's limit holds here already, since an anchor may contain itself.
class Nesting {
 public:
  Nesting(int& depth, const YAML::Mark& where) : depth_(depth) {
    if (++depth_ > json::kMaxDepth) {
      --depth_;
      throw Meaning(where, "more than " + std::to_string(json::kMaxDepth) +
                               " levels deep; does an anchor contain itself?");
    }
  }
  Nesting(const Nesting&) = delete;
  Nesting& operator=(const Nesting&) = delete;
  ~Nesting() { --depth_; }

 private:
  int& depth_;
};

struct MappingMembers {
  std::vector<Member> list;
  std::map<std::string, std::size_t> places;  // of the first with that key
};

class YamlConverter {
 public:
  explicit YamlConverter(Repeated repeated) : repeated_(repeated) {}

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
        WriteList(node);
        break;
      case YAML::NodeType::Map:
        WriteMap(node);
        break;
    }
  }

  void WriteList(const YAML::Node& node) {
    const Nesting nesting(depth_, node.Mark());
    out_.Array([&] {
      for (const auto& element : node) {
        Write(element);
      }
    });
  }

  void WriteMap(const YAML::Node& node) {
    const Nesting nesting(depth_, node.Mark());
    MappingMembers members;
    Collect(node, false, members);
    out_.Object([&] {
      for (const Member& member : members.list) {
        out_.Key(member.key);
        Write(member.value);
      }
    });
  }

  // A member takes the place of an earlier one with its key, if either of them is merged.
  void Collect(const YAML::Node& map, bool merged, MappingMembers& members) {
    for (const auto& member : map) {
      const YAML::Node& key = member.first;
      const YAML::Node& value = member.second;
      if (IsMerge(key)) {
        Merge(value, members);
        continue;
      }
      CountNode();
      const std::string name = KeyOf(key);
      CountBytes(name.size());
      const auto [place, is_new] = members.places.emplace(name, members.list.size());
      if (!is_new &&
          (merged || members.list[place->second].merged || repeated_ == Repeated::kLast)) {
        Member& earlier = members.list[place->second];
        earlier.value.reset(value);  // an assignment would change the document
        earlier.merged = merged;
      } else {
        members.list.push_back({name, value, merged});
      }
    }
  }

  void Merge(const YAML::Node& value, MappingMembers& members) {
    const Nesting nesting(depth_, value.Mark());
    if (value.IsMap()) {
      Collect(value, true, members);
      return;
    }
    if (!value.IsSequence()) {
      throw Meaning(value.Mark(), "what << merges must be a map or a list of maps");
    }
    for (std::size_t i = value.size(); i > 0; --i) {  // the first of them counts
      if (!value[i - 1].IsMap()) {
        throw Meaning(value[i - 1].Mark(), "what << merges must be a map or a list of maps");
      }
      Collect(value[i - 1], true, members);
    }
  }

  static std::string KeyOf(const YAML::Node& key) {
    if (!key.IsScalar()) {
      throw Meaning(key.Mark(), "a key must be text, a number or a boolean");
    }
    return Resolve(ResolveYamlKey, key);
  }

  void WriteScalar(const YAML::Node& node) {
    const YamlScalar scalar = Resolve(ResolveYaml, node);
    CountBytes(scalar.text.size());
    switch (scalar.kind) {
      case YamlScalar::Kind::kNull:
        out_.Null();
        break;
      case YamlScalar::Kind::kText:
        out_.Value(scalar.text);
        break;
      default:
        out_.Raw(scalar.text);
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

  const Repeated repeated_;
  json::Writer out_;
  std::size_t nodes_ = 0;
  std::size_t bytes_ = 0;
  int depth_ = 0;
};

// Whether YAML reads the text without quotes as text.
bool IsText(std::string_view text) {
  const auto read = ResolveYaml("", text);
  return read.ok() && read->kind == YamlScalar::Kind::kText;
}

// Whether every YAML reader takes the text as a string without quotes: it begins with a letter, a
// slash or an underscore, is one line of ASCII, and has nothing in it with a meaning in YAML.
bool IsPlain(std::string_view text) {
  return !text.empty() &&
         (std::isalpha(static_cast<unsigned char>(text[0])) || text[0] == '/' || text[0] == '_') &&
         text.back() != ' ' && text.back() != ':' && text.find(": ") == std::string::npos &&
         text.find(" #") == std::string::npos && IsText(text) &&
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

// How many documents there can be: each but the first is behind a line of --- or ....
int CountDocuments(std::string_view yaml) {
  int count = 1;
  while (!yaml.empty()) {
    count += yaml.starts_with("---") || yaml.starts_with("...") ? 1 : 0;
    yaml.remove_prefix(std::min(yaml.find('\n'), yaml.size() - 1) + 1);
  }
  return count;
}

// What yaml-cpp lets pass. It begins a document wherever one ends, after a comma ("{}, {}") again
// and again, and takes a last line without a colon ("minRepl") for a key.
class SyntaxCheck : public YAML::EventHandler {
 public:
  explicit SyntaxCheck(std::string_view yaml) : documents_left_(CountDocuments(yaml)) {}

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (documents_left_-- == 0) {
      throw YAML::ParserException(mark, "nothing may follow the end of a document");
    }
  }
  void OnDocumentEnd() override {}
  // The null that stands for what a key lacks is where the key is.
  void OnNull(const YAML::Mark& mark, YAML::anchor_t) override {
    if (mark.pos == last_ && styles_.back() != YAML::EmitterStyle::Flow) {
      throw YAML::ParserException(mark, "a key must have a colon");
    }
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override { last_ = mark.pos; }
  void OnScalar(const YAML::Mark& mark, const std::string&, YAML::anchor_t,
                const std::string&) override {
    last_ = mark.pos;
  }
  void OnSequenceStart(const YAML::Mark&, const std::string&, YAML::anchor_t,
                       YAML::EmitterStyle::value style) override {
    styles_.push_back(style);
  }
  void OnSequenceEnd() override { styles_.pop_back(); }
  void OnMapStart(const YAML::Mark&, const std::string&, YAML::anchor_t,
                  YAML::EmitterStyle::value style) override {
    styles_.push_back(style);
  }
  void OnMapEnd() override { styles_.pop_back(); }

 private:
  int documents_left_;
  int last_ = -1;  // where the last scalar or alias is
  std::vector<YAML::EmitterStyle::value> styles_{YAML::EmitterStyle::Block};
};

// kubectl takes a line that begins with --- for the end of a document, whatever follows.
void CheckSeparators(std::string_view yaml) {
  for (std::size_t line = 1; !yaml.empty(); ++line) {
    const std::size_t end = std::min(yaml.find('\n'), yaml.size());
    std::string_view text = yaml.substr(0, end);
    yaml.remove_prefix(std::min(end + 1, yaml.size()));
    if (!text.starts_with("---")) {
      continue;
    }
    text.remove_prefix(std::min(text.find_first_not_of(" \t\r", 3), text.size()));
    if (!text.empty() && text.front() != '#') {
      throw std::runtime_error("line " + std::to_string(line) +
                               ": only a comment may follow ---; kubectl refuses anything else");
    }
  }
}

// yaml-cpp takes a quote that is never closed for one that ends with the text, unless that ends in
// the middle of a line: so it is read with a space for what ends it.
void CheckDocuments(const std::string& yaml, std::size_t most) {
  std::istringstream in(yaml.substr(0, yaml.find_last_not_of(" \t\r\n") + 1) + " ");
  YAML::Parser parser(in);
  SyntaxCheck check(yaml);
  for (; most > 0 && parser.HandleNextDocument(check); --most) {
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

namespace {

// What `convert` returns, or the error that it throws.
template <typename Convert>
auto Guarded(Convert convert) -> Result<decltype(convert())> {
  try {
    return convert();
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

// Without the byte order marks behind ---, which are in files that were put together.
std::string WithoutMarks(std::string text) {
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  for (std::size_t at = text.find("\n---"); at != std::string::npos; at = text.find("\n---", at)) {
    at = std::min(text.find('\n', at + 1), text.size());
    if (text.compare(std::min(at + 1, text.size()), kMark.size(), kMark) == 0) {
      text.erase(at + 1, kMark.size());
    }
  }
  return text;
}

bool HasContent(const YAML::Node& node) { return node.IsDefined() && !node.IsNull(); }

}  // namespace

Result<std::vector<std::string>> YamlToJson(std::string_view yaml) {
  return Guarded([&] {
    std::string text = WithoutMarks(std::string(yaml));
    if (!text.ends_with('\n')) {  // kubectl reads lines, each of which ends
      text += '\n';
    }
    CheckSeparators(text);
    CheckDocuments(text, std::numeric_limits<std::size_t>::max());
    std::vector<std::string> documents;
    for (const YAML::Node& node : YAML::LoadAll(text)) {
      if (HasContent(node)) {
        documents.push_back(YamlConverter(Repeated::kKept).Convert(node));
      }
    }
    return documents;
  });
}

Result<std::string> FirstYamlToJson(std::string_view yaml) {
  return Guarded([&] {
    const std::string text = WithoutMarks(std::string(yaml));
    CheckDocuments(text, 1);
    const YAML::Node node = YAML::Load(text);
    return HasContent(node) ? YamlConverter(Repeated::kLast).Convert(node) : std::string();
  });
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
