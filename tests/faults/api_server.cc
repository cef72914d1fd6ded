#include "tests/faults/api_server.h"

#include <utility>

#include "api/base/time.h"
#include "tests/faults/fibers.h"
#include "tests/faults/metric_model.h"
#include "tests/support/fake_discovery.h"
#include "tests/support/fake_transport.h"

namespace ballast::faults {
namespace {

constexpr std::size_t kHistory = 2000;  // changes of a kind that are remembered
constexpr Nanoseconds kPagesLast = 300 * kSecond;
constexpr const char* kOwnEvents = "events.events.k8s.io";  // that the operator emits

Error NotFound(const ApiServer::Path& path) {
  return {Code::kNotFound, path.kind + " \"" + path.key.name + "\" not found"};
}

}  // namespace

ApiServer::Path ApiServer::Parse(const std::string& path) {
  std::vector<std::string> parts;
  for (std::size_t begin = 1; begin <= path.size();) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    parts.push_back(path.substr(begin, end - begin));
    begin = end + 1;
  }
  Path parsed;
  std::size_t at = parts[0] == "api" ? 2 : 3;
  const std::string group = parts[0] == "api" ? "" : "." + parts[1];
  if (parts.size() > at + 1 && parts[at] == "namespaces") {
    parsed.key.namespace_ = parts[at + 1];
    at += 2;
  }
  const auto part = [&](std::size_t index) {
    return index < parts.size() ? parts[index] : std::string();
  };
  parsed.kind = part(at) + group;
  parsed.key.name = part(at + 1);
  parsed.subresource = part(at + 2);
  return parsed;
}

Result<kube::Response> ApiServer::Handle(const kube::Request& request, const std::string& manager) {
  if (request.path == "/version") {
    return kube::Response{200, R"({"major":"1","minor":"36","gitVersion":"v1.36.0"})"};
  }
  if (auto discovered = support::DiscoverApps(request.path)) {
    return *std::move(discovered);
  }
  if (AsksForMetrics(request)) {
    return metrics(request);
  }
  const Path path = Parse(request.path);
  switch (request.method) {
    case kube::Method::kGet: {
      if (path.key.name.empty()) {
        return List(path.kind, request);
      }
      ASSIGN_OR_RETURN(std::string text, Read(path));
      return kube::Response{200, std::move(text)};
    }
    case kube::Method::kPost:
      return Create(path, request);
    case kube::Method::kPatch:
      return Patch(path, request, manager);
    default:
      return Error{Code::kInvalid, "the model does not serve this method"};
  }
}

void ApiServer::HandleOnceMore(const kube::Request& request, const std::string& manager) {
  once_more_ = true;
  (void)Handle(request, manager);
  once_more_ = false;
}

Result<kube::Response> ApiServer::List(const std::string& kind, const kube::Request& request) {
  const Nanoseconds now = Fibers::Get().now();
  std::erase_if(listings_, [&](const auto& one) { return one.second.began < now - kPagesLast; });
  Listing listing{version_, now, {}};
  if (const std::string token = support::QueryOf(request, "continue"); token != "-") {
    const auto found = listings_.find(token);
    if (found == listings_.end()) {
      return Error{Code::kGone, "the provided continue parameter is too old"};
    }
    listing = found->second;  // a token can be used again
  } else if (const auto found = kinds_.find(kind); found != kinds_.end()) {
    for (const auto& [key, object] : found->second.objects) {
      listing.left.emplace(key, object.text);
    }
  }
  std::size_t room = listing.left.size();
  if (const std::string limit = support::QueryOf(request, "limit"); limit != "-") {
    room = std::min<std::size_t>(std::stoull(limit), page_size);
  }
  std::string items;
  for (; room > 0 && !listing.left.empty(); --room) {
    items += (items.empty() ? "" : ",") + listing.left.begin()->second;
    listing.left.erase(listing.left.begin());
  }
  std::string body = R"({"metadata":{"resourceVersion":")" + std::to_string(listing.version) + "\"";
  if (!listing.left.empty()) {
    const std::string token =
        kind + " " + std::to_string(listing.version) + " " + listing.left.begin()->first.Print();
    body += R"(,"continue":")" + token + "\"";
    if (!loses_page(kind)) {
      listings_[token] = std::move(listing);
    }
  }
  return kube::Response{200, body + R"(},"items":[)" + items + "]}"};
}

Result<std::string> ApiServer::Read(const Path& path) const {
  const Object* object = Find(path.kind, path.key);
  if (object == nullptr) {
    return NotFound(path);
  }
  return path.subresource == "scale" ? ScaleOf(object->value).Print() : object->text;
}

JsonValue ApiServer::ScaleOf(const JsonValue& object) {
  JsonValue scale;
  scale["apiVersion"] = JsonValue("autoscaling/v1");
  scale["kind"] = JsonValue("Scale");
  for (const char* field : {"name", "namespace", "uid", "resourceVersion", "creationTimestamp"}) {
    scale["metadata"][field] = object.At({"metadata", field});
  }
  scale["spec"] = JsonValue::Of("{}");
  if (const std::int64_t replicas = object.At({"spec", "replicas"}).Integer(); replicas != 0) {
    scale["spec"]["replicas"] = JsonValue(replicas);
  }
  scale["status"]["replicas"] = JsonValue(object.At({"status", "replicas"}).Integer());
  scale["status"]["selector"] =
      JsonValue("app=" + object.At({"spec", "selector", "matchLabels", "app"}).Text());
  return scale;
}

Result<kube::Response> ApiServer::Create(const Path& path, const kube::Request& request) {
  if (path.kind == kOwnEvents) {
    return kube::Response{201, request.body};
  }
  ASSIGN_OR_RETURN(JsonValue object, JsonValue::Parse(request.body));
  const api::ObjectKey key{path.key.namespace_, object.At({"metadata", "name"}).Text()};
  if (Get(path.kind, key) != nullptr) {
    return Error{Code::kConflict, path.kind + " \"" + key.name + "\" already exists"};
  }
  Put(path.kind, key, std::move(object));
  return kube::Response{201, Find(path.kind, key)->text};
}

Result<kube::Response> ApiServer::Patch(const Path& path, const kube::Request& request,
                                        const std::string& manager) {
  if (path.kind == kOwnEvents) {
    return kube::Response{200, request.body};
  }
  const JsonValue* found = Get(path.kind, path.key);
  if (found == nullptr) {
    return NotFound(path);
  }
  ASSIGN_OR_RETURN(const JsonValue patch, JsonValue::Parse(request.body));
  if (path.subresource == "scale") {
    JsonValue scale = ScaleOf(*found);
    if (const Status patched = scale.Patch(patch); !patched.ok()) {
      if (!once_more_) {
        on_refused(path.key, request.body);
      }
      return patched.error();
    }
    Scale(path.key, scale.At({"spec", "replicas"}).Integer(), manager);
    return kube::Response{200, ScaleOf(*Get(path.kind, path.key)).Print()};
  }
  for (const char* field : {"uid", "resourceVersion"}) {
    const JsonValue& wanted = patch.At({"metadata", field});
    if (!wanted.is_null() && !(wanted == found->At({"metadata", field}))) {
      return Error{Code::kConflict, std::string("the object has another ") + field};
    }
  }
  JsonValue object = *found;
  if (path.subresource == "status") {
    JsonValue status = object.At({"status"});
    status.Merge(patch.At({"status"}));
    if (path.kind == kHpas) {
      TRY(WriteHpaStatus(path.key, "", std::move(status), manager));
      return kube::Response{200, Find(path.kind, path.key)->text};
    }
    on_status(path.key, object.At({"status"}), patch.At({"status"}));
    object["status"] = std::move(status);
  } else if (request.content_type == kube::kContentJsonPatch) {
    TRY(object.Patch(patch));
  } else {
    object.Merge(patch);
  }
  Put(path.kind, path.key, std::move(object));
  return kube::Response{200, Find(path.kind, path.key)->text};
}

const ApiServer::Object* ApiServer::Find(const std::string& kind, const api::ObjectKey& key) const {
  const auto found = kinds_.find(kind);
  if (found == kinds_.end()) {
    return nullptr;
  }
  const auto object = found->second.objects.find(key);
  return object == found->second.objects.end() ? nullptr : &object->second;
}

const JsonValue* ApiServer::Get(const std::string& kind, const api::ObjectKey& key) const {
  const Object* object = Find(kind, key);
  return object == nullptr ? nullptr : &object->value;
}

void ApiServer::Put(const std::string& kind, const api::ObjectKey& key, JsonValue object) {
  Kind& all = kinds_[kind];
  const JsonValue* before = Get(kind, key);
  JsonValue& metadata = object["metadata"];
  metadata["name"] = JsonValue(key.name);
  metadata["namespace"] = JsonValue(key.namespace_);
  if (before == nullptr) {
    metadata["uid"] = JsonValue("uid-" + std::to_string(++made_));
    if (kind != kHpas) {  // none are counted up to 1.36
      metadata["generation"] = JsonValue(std::int64_t{1});
    }
  } else if (kind == kHpas || kind == kConfigMaps) {
    metadata["uid"] = before->At({"metadata", "uid"});
  } else {
    metadata["uid"] = before->At({"metadata", "uid"});
    const std::int64_t generation = before->At({"metadata", "generation"}).Integer();
    const bool same = before->At({"spec"}) == object.At({"spec"});
    metadata["generation"] = JsonValue(same ? generation : generation + 1);
  }
  metadata["resourceVersion"] = JsonValue(std::to_string(++version_));
  const char* const type = before == nullptr ? "ADDED" : "MODIFIED";
  if (kind == kHpas && (before == nullptr || !(before->At({"spec"}) == object.At({"spec"})))) {
    metadata["managedFields"] = Managed(object, "kubectl", "");
  }
  if (kind == kConfigMaps) {
    if (object.At({"data"}) == JsonValue::Of("{}")) {
      object.Remove("data");
    }
    on_config_map(before == nullptr ? JsonValue() : *before, object);
  }
  Object& stored = all.objects[key];
  stored.text = object.Print();
  stored.value = std::move(object);
  Append(all, type, stored.text);
  if (kind == kLeases) {
    on_lease(stored.value);
  }
}

void ApiServer::Delete(const std::string& kind, const api::ObjectKey& key) {
  Kind& all = kinds_[kind];
  const auto found = all.objects.find(key);
  if (found == all.objects.end()) {
    return;
  }
  JsonValue last = std::move(found->second.value);
  all.objects.erase(found);
  last["metadata"]["resourceVersion"] = JsonValue(std::to_string(++version_));
  Append(all, "DELETED", last.Print());
}

JsonValue ApiServer::Managed(const JsonValue& hpa, const std::string& manager,
                             const std::string& subresource) {
  const Nanoseconds wall = Machine().Wall(Fibers::Get().now());
  auto& managers = managers_[hpa.At({"metadata", "uid"}).Text()];
  managers[{manager, subresource}] = Print(Time::FromUnixNanoseconds(wall / kSecond * kSecond));
  std::string entries;
  for (const auto& [by, time] : managers) {
    entries += (entries.empty() ? "" : ",") + (R"({"manager":")" + by.first) +
               R"(","operation":"Update","time":")" + time + "\"" +
               (by.second.empty() ? R"(,"fieldsV1":{"f:spec":{}}})"
                                  : R"(,"subresource":")" + by.second + R"("})");
  }
  return JsonValue::Of("[" + entries + "]");
}

Status ApiServer::WriteHpaStatus(const api::ObjectKey& key, const std::string& version,
                                 JsonValue status, const std::string& manager) {
  const JsonValue* found = Get(kHpas, key);
  if (found == nullptr) {
    return NotFound({kHpas, key, "status"});
  }
  if (!version.empty() && version != found->At({"metadata", "resourceVersion"}).Text()) {
    return Error{Code::kConflict, "the object has another resourceVersion"};
  }
  if (found->At({"status"}) == status) {
    return Done{};  // it keeps its version
  }
  JsonValue object = *found;
  const JsonValue before = std::exchange(object["status"], std::move(status));
  object["metadata"]["managedFields"] = Managed(object, manager, "status");
  const JsonValue after = object.At({"status"});
  Put(kHpas, key, std::move(object));
  on_hpa_status(key, before, after, manager);
  return Done{};
}

void ApiServer::Scale(const api::ObjectKey& target, std::int64_t replicas,
                      const std::string& manager) {
  JsonValue object = *Get(kDeployments, target);
  const std::int64_t before = object.At({"spec", "replicas"}).Integer();
  object["spec"]["replicas"] = JsonValue(replicas);
  object["metadata"]["managedFields"] =
      JsonValue::Of(R"([{"manager":")" + manager +
                    R"(","operation":"Update","subresource":"scale","fieldsV1":)"
                    R"({"f:spec":{"f:replicas":{}}}}])");
  const std::string uid = object.At({"metadata", "uid"}).Text();
  Put(kDeployments, target, std::move(object));
  on_scale({once_more_ ? kOnceMore : manager, target, uid, before, replicas});
}

void ApiServer::Append(Kind& kind, const char* type, const std::string& text) {
  kind.history.push_back(
      {version_, std::make_shared<const std::string>(std::string(R"({"type":")") + type +
                                                     R"(","object":)" + text + "}")});
  if (kind.history.size() > kHistory) {
    kind.forgotten = kind.history.front().version;
    kind.history.pop_front();
  }
  for (const void* key : kind.listeners) {
    Fibers::Get().Wake(key);
  }
}

void ApiServer::Expire(const std::string& kind) {
  std::erase_if(listings_, [&](const auto& one) { return one.first.starts_with(kind + " "); });
  kinds_[kind].history.clear();
  kinds_[kind].forgotten = ++version_;
  WakeWatches(kind);
}

void ApiServer::WakeWatches(const std::string& kind) {
  for (const void* key : kinds_[kind].listeners) {
    Fibers::Get().Wake(key);
  }
}

Result<std::vector<ApiServer::Line>> ApiServer::Since(const std::string& kind,
                                                      std::uint64_t& at) const {
  std::vector<Line> lines;
  if (const auto found = kinds_.find(kind); found != kinds_.end()) {
    const Kind& all = found->second;
    if (at < all.forgotten) {
      return Error{Code::kGone, "too old resource version"};
    }
    for (auto change = all.history.rbegin(); change != all.history.rend() && change->version > at;
         ++change) {
      lines.push_back(change->line);
    }
  }
  at = version_;
  return std::vector<Line>(lines.rbegin(), lines.rend());
}

std::vector<ApiServer::Line> ApiServer::All(const std::string& kind, std::uint64_t& at) const {
  std::vector<Line> lines;
  if (const auto found = kinds_.find(kind); found != kinds_.end()) {
    for (const auto& [key, object] : found->second.objects) {
      lines.push_back(
          std::make_shared<const std::string>(R"({"type":"ADDED","object":)" + object.text + "}"));
    }
  }
  at = version_;
  return lines;
}

std::string ApiServer::Bookmark(std::uint64_t at, bool ends_beginning) {
  return R"({"type":"BOOKMARK","object":{"metadata":{"resourceVersion":")" + std::to_string(at) +
         R"(")" + (ends_beginning ? R"(,"annotations":{"k8s.io/initial-events-end":"true"})" : "") +
         "}}}";
}

}  // namespace ballast::faults
