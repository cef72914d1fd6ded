#include "operator/kube/discovery.h"

#include <algorithm>

#include "api/json.h"
#include "operator/kube/url.h"

namespace ballast::kube {
namespace {

constexpr std::chrono::seconds kReadAgainAfter{10};  // when a kind is missing
constexpr std::chrono::minutes kLifetime{10};        // a CRD may gain a scale

Result<json::Document> GetDocument(Transport& transport, const std::string& path) {
  ASSIGN_OR_RETURN(const Response response, transport.Do({.path = path}));
  auto document = json::Parse(response.body);
  if (!document.ok()) {
    return Error{Code::kCorrupt, path + ": " + document.error().message};
  }
  return document;
}

// The versions of a group, the preferred one first.
Result<std::vector<std::string>> ReadVersions(Transport& transport, const std::string& group) {
  if (group.empty()) {
    return std::vector<std::string>{"v1"};
  }
  ASSIGN_OR_RETURN(const json::Document document, GetDocument(transport, "/apis/" + Escape(group)));
  json::Decoder decoder(document);
  std::vector<std::string> versions;
  versions.emplace_back(decoder.root().Member("preferredVersion").Member("version").Text());
  for (const json::Cursor& element : decoder.root().Member("versions").Elements()) {
    std::string version(element.Member("version").Text());
    if (version != versions.front()) {
      versions.push_back(std::move(version));
    }
  }
  std::erase(versions, "");
  return versions;
}

// An APIResourceList: resources, and subresources as "deployments/scale".
Status ReadResources(Transport& transport, const std::string& group, const std::string& version,
                     std::vector<Resource>& out) {
  const std::string prefix = group.empty() ? "/api/" : "/apis/" + Escape(group) + "/";
  ASSIGN_OR_RETURN(const json::Document document, GetDocument(transport, prefix + Escape(version)));
  json::Decoder decoder(document);
  const auto elements = decoder.root().Member("resources").Elements();
  const std::size_t first = out.size();
  for (const json::Cursor& element : elements) {
    Resource resource{.group = group, .version = version};
    element.Required("name").Read(resource.plural);
    element.Required("kind").Read(resource.kind);
    element.Member("namespaced").Read(resource.namespaced);
    if (resource.plural.find('/') == std::string::npos) {
      out.push_back(std::move(resource));
    }
  }
  for (const json::Cursor& element : elements) {
    for (std::size_t i = first; i < out.size(); ++i) {
      out[i].has_scale |= element.Member("name").Text() == out[i].plural + "/scale";
    }
  }
  if (const Status status = decoder.status(); !status.ok()) {
    return Error{Code::kCorrupt, prefix + version + ": " + status.error().message};
  }
  return Done{};
}

const Resource* Choose(const std::vector<Resource>& resources, std::string_view api_version,
                       std::string_view kind) {
  const Resource* chosen = nullptr;
  for (const Resource& resource : resources) {
    if (resource.kind != kind) {
      continue;
    }
    if (resource.ApiVersion() == api_version) {
      return &resource;
    }
    chosen = chosen == nullptr ? &resource : chosen;
  }
  return chosen;
}

}  // namespace

RestMapper::RestMapper(Transport& transport, SteadyNow now)
    : transport_(transport), now_(std::move(now)) {}

Result<std::vector<Resource>> RestMapper::ReadGroup(const std::string& group) {
  std::vector<Resource> resources;
  const auto versions = ReadVersions(transport_, group);
  if (!versions.ok() && versions.error().code == Code::kNotFound) {
    return resources;  // known, for ten seconds
  }
  if (!versions.ok()) {
    return versions.error();
  }
  for (const std::string& version : *versions) {
    TRY(ReadResources(transport_, group, version, resources));
  }
  return resources;
}

Result<Resource> RestMapper::Find(std::string_view api_version, std::string_view kind) {
  const std::string group = GroupOf(api_version);
  std::unique_lock all(mutex_);
  Group& known = groups_[group];
  all.unlock();
  const std::lock_guard lock(known.mutex);
  const bool missing = Choose(known.resources, api_version, kind) == nullptr;
  const auto now = now_();
  if (!known.read_at || now - *known.read_at >= (missing ? kReadAgainAfter : kLifetime)) {
    auto read = ReadGroup(group);
    // An old answer is better than none.
    if (!read.ok() && missing) {
      return read.error();
    }
    if (read.ok() && (missing || Choose(*read, api_version, kind) != nullptr)) {
      known.resources = std::move(read).value();
      known.read_at = now;
    }
  }
  if (const Resource* found = Choose(known.resources, api_version, kind)) {
    return *found;
  }
  return Error{Code::kNotFound, "the cluster serves no kind " + std::string(kind) + " in " +
                                    (group.empty() ? "the core group" : "group " + group)};
}

}  // namespace ballast::kube
