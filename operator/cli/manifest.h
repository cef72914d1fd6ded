// Kubernetes objects from files, folders and standard input, for the subcommands that read them.
//
// YAML with several documents, JSON, and NDJSON (one JSON value a line) are told apart by what they
// begin with; lists are taken apart. Thread-safety: none needed, used by main's thread only.
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
  Result<json::Document> document;  // or why the text is none
};

// Each path is a file, a folder (all *.yaml, *.yml, *.json and *.ndjson in it, and below), or "-"
// for standard input. kNotFound when one cannot be read.
Result<std::vector<Manifest>> ReadManifests(const std::vector<std::string>& paths);

// The same of standard input, of which `text` was read already.
std::vector<Manifest> ManifestsOf(const std::string& text);

// "HorizontalPodAutoscaler prod/web", as far as the object tells.
std::string Describe(const json::Cursor& object);

// Is it meant to be an autoscaler that this program knows? Other objects in a manifest are none of
// its business.
bool IsAutoscaler(const json::Cursor& object);

}  // namespace ballast::cli
