// Reads Kubernetes objects from files, folders and standard input.
//
// YAML with several documents, JSON, and NDJSON (one JSON value a line) are distinguished by their
// first characters. Lists are split into their items.
//
// Thread-safety: main thread only.
// Errors: kNotFound if a path cannot be read; text that is not YAML or JSON is an error of its
// Manifest.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/base/result.h"
#include "api/json/json.h"

namespace ballast::cli {

enum class Syntax { kYaml, kJson };

struct Manifest {
  std::string source;  // "web.yaml", "web.yaml[2]" for the second of several objects
  Syntax syntax = Syntax::kYaml;
  Result<json::Document> document;  // or the parser's error
};

// Each path is a file, a folder (searched recursively for *.yaml, *.yml, *.json and *.ndjson) or
// "-" for standard input. kNotFound: one cannot be read.
Result<std::vector<Manifest>> ReadManifests(const std::vector<std::string>& paths);

// The same for `text`, already read from standard input.
std::vector<Manifest> ManifestsOf(const std::string& text);

// "HorizontalPodAutoscaler prod/web", or what the object has of that.
std::string Describe(const json::Cursor& object);

// Whether the object is to be checked as an autoscaler: by its apiVersion or kind, or because its
// kind is missing. Other objects of a manifest are ignored.
bool IsAutoscaler(const json::Cursor& object);
bool IsOverride(const json::Cursor& object);

}  // namespace ballast::cli
