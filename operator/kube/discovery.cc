#include "operator/kube/discovery.h"

#include <algorithm>

#include "api/json/json.h"
#include "api/kubernetes/label_syntax.h"
#include "operator/kube/get_document.h"
#include "operator/kube/url.h"

namespace ballast::kube {
namespace {

constexpr std::chrono::seconds kReadAgainAfter{10};  // if a kind is missing
constexpr std::chrono::minutes kLifetime{10};        // a CRD may gain a scale subresource
// More than any cluster serves. Beyond this, groups are not cached.
constexpr std::size_t kMaxGroups = 1024;

// The versions of a group, the preferred one first.
Result<std::vector<std::string>> ReadVersions(Transport& transport, const std::string& group,
                                              process::SteadyTime deadline) {
  if (group.empty()) {
    return std::vector<std::string>{"v1"};
  }
  ASSIGN_OR_RETURN(const json::Document document,
                   GetDocument(transport, "/apis/" + Escape(group), deadline));
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

// Reads an APIResourceList, which lists subresources as "deployments/scale".
Status ReadResources(Transport& transport, const std::string& group, const std::string& version,
                     process::SteadyTime deadline, std::vector<Resource>& out) {
  const std::string prefix = group.empty() ? "/api/" : "/apis/" + Escape(group) + "/";
  ASSIGN_OR_RETURN(const json::Document document,
                   GetDocument(transport, prefix + Escape(version), deadline));
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

// `resources`: of the group of `api_version`.
const Resource* Choose(const std::vector<Resource>& resources, std::string_view api_version,
                       std::string_view kind) {
  const std::string_view version = api_version.substr(api_version.find('/') + 1);
  const Resource* chosen = nullptr;
  for (const Resource& resource : resources) {
    if (resource.kind != kind) {
      continue;
    }
    if (resource.version == version) {
      return &resource;
    }
    chosen = chosen == nullptr ? &resource : chosen;
  }
  return chosen;
}

bool CanBeServed(const std::string& group) {
  return group.empty() || api::CheckDns1123Subdomain(group).empty();
}

Error NotServed(const std::string& group, std::string_view kind) {
  return {Code::kNotFound, "the cluster serves no kind " + std::string(kind) + " in " +
                               (group.empty() ? "the core group" : "group " + group)};
}

}  // namespace

Result<std::vector<Resource>> RestMapper::ReadGroup(const std::string& group, Time deadline) {
  std::vector<Resource> resources;
  const auto versions = ReadVersions(transport_, group, deadline);
  if (!versions.ok() && versions.error().code == Code::kNotFound) {
    return resources;  // cached for ten seconds
  }
  if (!versions.ok()) {
    return versions.error();
  }
  for (const std::string& version : *versions) {
    TRY(ReadResources(transport_, group, version, deadline, resources));
  }
  return resources;
}

std::size_t RestMapper::size() const {
  const std::lock_guard lock(mutex_);
  return groups_.size();
}

std::shared_ptr<RestMapper::Group> RestMapper::Entered(const std::string& group) const {
  const std::lock_guard lock(mutex_);
  const auto found = groups_.find(group);
  return found == groups_.end() ? nullptr : found->second;
}

std::shared_ptr<RestMapper::Group> RestMapper::Enter(const std::string& group) {
  const std::lock_guard lock(mutex_);
  if (const auto found = groups_.find(group); found != groups_.end()) {
    return found->second;
  }
  Forget();
  auto entered = std::make_shared<Group>();
  if (groups_.size() < kMaxGroups) {
    groups_.emplace(group, entered);
  }
  return entered;
}

// Drops groups that were not found and may be looked up again.
void RestMapper::Forget() {
  std::erase_if(groups_, [now = clock_.Steady()](const auto& entry) {
    const std::lock_guard lock(entry.second->mutex);
    return entry.second->resources->empty() && entry.second->asked_at &&
           now - *entry.second->asked_at >= kReadAgainAfter;
  });
}

RestMapper::CachedKind RestMapper::Look(Group& group, std::string_view api_version,
                                        std::string_view kind) const {
  const std::lock_guard lock(group.mutex);
  const Time now = clock_.Steady();
  const auto within = [&](const std::optional<Time>& past, auto span) {
    return past && now - *past < span;
  };
  const Resource* found = Choose(*group.resources, api_version, kind);
  // To wait for a group again and again would be longer than its answer is worth.
  const bool silent = group.failure && group.failure->code == Code::kTimeout;
  const bool fresh =
      found != nullptr ? within(group.read_at, kLifetime) || within(group.asked_at, kReadAgainAfter)
                       : within(silent ? group.asked_at : group.read_at, kReadAgainAfter);
  return {.resource = found != nullptr ? ResourcePointer(group.resources, found) : nullptr,
          .ask = !fresh,
          .failure = group.failure,
          .asked_at = group.asked_at};
}

void RestMapper::Ask(const std::string& name, Group& group, std::string_view api_version,
                     std::string_view kind, Time deadline) {
  auto read = ReadGroup(name, deadline);
  const std::lock_guard lock(group.mutex);
  group.asked_at = clock_.Steady();
  group.failure = read.ok() ? std::nullopt : std::optional(read.error());
  // Keep an old answer rather than none.
  if (read.ok() && (Choose(*read, api_version, kind) != nullptr ||
                    Choose(*group.resources, api_version, kind) == nullptr)) {
    group.resources = std::make_shared<const std::vector<Resource>>(std::move(read).value());
    group.read_at = group.asked_at;
  }
}

Result<ResourcePointer> RestMapper::AnswerOf(CachedKind known, const std::string& group,
                                             std::string_view kind) {
  if (known.resource != nullptr) {
    return std::move(known.resource);
  }
  return known.failure ? *std::move(known.failure) : NotServed(group, kind);
}

ResourcePointer RestMapper::Cached(std::string_view api_version, std::string_view kind) const {
  const std::shared_ptr<Group> group = Entered(GroupOf(api_version));
  return group == nullptr ? nullptr : Look(*group, api_version, kind).resource;
}

std::optional<Result<ResourcePointer>> RestMapper::FindAtOnce(std::string_view api_version,
                                                              std::string_view kind) const {
  const std::string name = GroupOf(api_version);
  const std::shared_ptr<Group> group = Entered(name);
  if (group == nullptr) {
    return CanBeServed(name) ? std::nullopt : std::optional(AnswerOf({}, name, kind));
  }
  CachedKind known = Look(*group, api_version, kind);
  return known.ask ? std::nullopt : std::optional(AnswerOf(std::move(known), name, kind));
}

Result<Resource> RestMapper::Find(std::string_view api_version, std::string_view kind,
                                  Time deadline) {
  const std::string name = GroupOf(api_version);
  if (!CanBeServed(name)) {
    return NotServed(name, kind);
  }
  const std::shared_ptr<Group> group = Enter(name);
  CachedKind known = Look(*group, api_version, kind);
  if (known.ask && known.resource != nullptr) {
    if (const std::unique_lock reading(group->reading, std::try_to_lock); reading) {
      Ask(name, *group, api_version, kind, deadline);
      known = Look(*group, api_version, kind);
    }
  } else if (known.ask) {
    const std::lock_guard reading(group->reading);
    const std::optional<Time> seen = known.asked_at;
    known = Look(*group, api_version, kind);
    if (known.ask && known.asked_at == seen) {  // no other thread did meanwhile
      Ask(name, *group, api_version, kind, deadline);
      known = Look(*group, api_version, kind);
    }
  }
  ASSIGN_OR_RETURN(const ResourcePointer found, AnswerOf(std::move(known), name, kind));
  return *found;
}

}  // namespace ballast::kube
