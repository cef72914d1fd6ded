#include "operator/cli/manifests/manifest.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>

#include "api/autoscaling/override.h"
#include "api/autoscaling/types.h"
#include "api/json/go_number.h"
#include "api/json/json_split.h"
#include "api/json/json_writer.h"
#include "api/json/yaml.h"

namespace ballast::cli {

namespace {

namespace fs = std::filesystem;

Error CannotRead(const std::string& path) { return {Code::kNotFound, "cannot read " + path}; }

Result<std::string> ReadText(const std::string& path) {
  if (path == "-") {
    return std::string(std::istreambuf_iterator<char>(std::cin), {});
  }
  std::ifstream in(path, std::ios::binary);
  if (!in || fs::is_directory(path)) {
    return CannotRead(path);
  }
  return std::string(std::istreambuf_iterator<char>(in), {});
}

Result<std::vector<std::string>> FilesOf(const std::string& path) {
  std::error_code error;
  if (!fs::is_directory(path, error)) {
    return std::vector<std::string>{path};
  }
  std::vector<std::string> files;
  for (fs::recursive_directory_iterator it(path, error), end; !error && it != end;
       it.increment(error)) {
    const std::string extension = it->path().extension().string();
    if (extension == ".yaml" || extension == ".yml" || extension == ".json" ||
        extension == ".ndjson") {
      files.push_back(it->path().string());
    }
  }
  if (error) {
    return CannotRead(path + ": " + error.message());
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::vector<std::string> Lines(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (text.substr(0, end).find_first_not_of(" \t\r") != std::string_view::npos) {
      lines.emplace_back(text.substr(0, end));
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

// Whether each line is a document, although some of them may be broken. Comments and separators are
// YAML's.
bool IsNdjson(const std::vector<std::string>& lines) {
  return lines.size() > 1 && json::Parse(lines.front()).ok() &&
         std::ranges::none_of(lines, [](const std::string& line) {
           return line.starts_with("---") || line.starts_with('#');
         });
}

// Whether it is JSON with a number that has no double: for YAML that would be text.
bool HasTooBigNumber(const Error& error) {
  return error.message.ends_with("number too big to be stored in double");
}

// Reads objects one after the other, or else one a line, of which some may be broken.
void ReadSeveral(const std::string& text, std::vector<Result<json::Document>>& documents) {
  const auto parse = [&](const auto& parts) {
    documents.clear();
    std::ranges::transform(parts, std::back_inserter(documents), json::Parse);
  };
  if (const auto objects = json::SplitStream(text); objects.ok() && objects->size() > 1) {
    parse(*objects);
  } else if (const auto lines = Lines(text); IsNdjson(lines)) {
    parse(lines);
  }
}

// The document as kubectl sends it to the API server.
Result<json::Document> AsSent(const Result<json::Document>& document) {
  if (!document.ok()) {
    return document.error();
  }
  json::Decoder decoder(*document);
  return json::Parse(json::PrintAsKubectl(decoder.root()));
}

// The text of a list's item. Items of a typed list (FooList) have no kind of their own: it is
// added.
std::string ItemText(const json::Cursor& list, const json::Cursor& item) {
  if (!item.IsObject() || item.Member("kind").present()) {
    return item.Print();
  }
  std::string_view kind = list.Member("kind").Text();
  kind.remove_suffix(std::string_view("List").size());
  json::Writer out;
  out.Object([&] {
    out.Field("apiVersion", list.Member("apiVersion").Text());
    out.Field("kind", kind);
    for (const auto& [name, value] : item.Members()) {
      out.Key(name);
      out.Raw(value.Print());
    }
  });
  return out.Take();
}

// What has no items, not even null, is an object to kubectl, whatever its kind.
bool IsList(const json::Cursor& root) {
  bool has_items = false;
  if (root.IsObject() && root.Member("kind").Text().ends_with("List")) {
    for (const auto& [name, _] : root.Members()) {
      has_items |= name == "items";
    }
  }
  return has_items;
}

class ManifestReader {
 public:
  std::vector<Manifest> manifests;

  void Read(const std::string& path, const std::string& text) {
    const std::string name = path == "-" ? "stdin" : path;
    const std::size_t begin = text.find_first_not_of(" \t\r\n");
    bool is_json = begin != std::string::npos && (text[begin] == '{' || text[begin] == '[');
    std::vector<Result<json::Document>> documents;
    if (is_json) {
      documents.push_back(json::Parse(text));
      if (!documents.front().ok()) {
        ReadSeveral(text, documents);
      }
    }
    // YAML may begin as JSON does: {kind: HorizontalPodAutoscaler, ...}
    if (!is_json || (documents.size() == 1 && !documents.front().ok() &&
                     !HasTooBigNumber(documents.front().error()))) {
      auto yaml = YamlToJson(text);
      if (yaml.ok()) {
        is_json = false;
        documents.clear();
        std::transform(yaml->begin(), yaml->end(), std::back_inserter(documents), json::Parse);
      } else if (!is_json) {
        documents.push_back(yaml.error());
      }
    }
    if (is_json) {
      std::ranges::transform(documents, documents.begin(), AsSent);
    }
    const std::size_t first = manifests.size();
    for (auto& document : documents) {
      Add(name, is_json ? Syntax::kJson : Syntax::kYaml, std::move(document));
    }
    if (manifests.size() - first > 1) {
      for (std::size_t i = first; i < manifests.size(); ++i) {
        manifests[i].source += "[" + std::to_string(i - first + 1) + "]";
      }
    }
  }

 private:
  void Add(const std::string& name, Syntax syntax, Result<json::Document> document) {
    if (document.ok()) {
      json::Decoder decoder(*document);
      const json::Cursor root = decoder.root();
      const bool is_list = IsList(root);
      if (is_list || root.IsArray()) {
        const json::Elements items = (is_list ? root.Member("items") : root).Elements();
        if (const Status status = decoder.status(); !status.ok()) {
          manifests.push_back({name, syntax, status.error()});
        }
        for (const json::Cursor& item : items) {
          auto part = json::Parse(is_list ? ItemText(root, item) : item.Print());
          if (is_list) {
            Add(name, syntax, std::move(part));  // a list, maybe
          } else {
            manifests.push_back({name, syntax, std::move(part)});
          }
        }
        return;
      }
    }
    manifests.push_back({name, syntax, std::move(document)});
  }
};

}  // namespace

Result<std::vector<Manifest>> ReadManifests(const std::vector<std::string>& paths) {
  ManifestReader reader;
  for (const std::string& path : paths) {
    ASSIGN_OR_RETURN(const std::vector<std::string> files, FilesOf(path));
    for (const std::string& file : files) {
      ASSIGN_OR_RETURN(const std::string text, ReadText(file));
      reader.Read(file, text);
    }
  }
  return std::move(reader.manifests);
}

std::vector<Manifest> ManifestsOf(const std::string& text) {
  ManifestReader reader;
  reader.Read("-", text);
  return std::move(reader.manifests);
}

std::string Describe(const json::Cursor& object) {
  if (!object.IsObject()) {
    return "no object";
  }
  const json::Cursor metadata = object.Member("metadata");
  std::string name;
  for (const char* part : {"namespace", "name"}) {
    if (metadata.IsObject() && !metadata.Member(part).Text().empty()) {
      name += (name.empty() ? " " : "/") + std::string(metadata.Member(part).Text());
    }
  }
  const std::string_view kind = object.Member("kind").Text();
  return (kind.empty() ? "object without kind" : std::string(kind)) + name;
}

bool IsAutoscaler(const json::Cursor& object) {
  if (!object.IsObject()) {
    return true;  // not an object: checking it reports the error
  }
  const std::string_view version = object.Member("apiVersion").Text();
  const std::string_view kind = object.Member("kind").Text();
  return version.starts_with("autoscaling/") ||
         (version.starts_with("ballast.dev/") && !IsOverride(object)) || kind == api::kHpaKind ||
         kind == api::kPolicyKind || kind.empty();
}

bool IsOverride(const json::Cursor& object) {
  return object.IsObject() && object.Member("kind").Text() == api::kOverrideKind;
}

}  // namespace ballast::cli
