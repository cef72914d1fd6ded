#include "tests/simulation/api_server.h"

#include <utility>

#include "tests/simulation/fibers.h"
#include "tests/simulation/metric_model.h"
#include "tests/support/fake_discovery.h"

namespace ballast::simulation {
namespace {

constexpr std::size_t kHistory = 2000;  // changes of a kind that are remembered
constexpr const char* kEvents = "events.events.k8s.io";

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
        return kube::Response{200, List(path.kind)};
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

std::string ApiServer::List(const std::string& kind) const {
  std::string body =
      R"({"metadata":{"resourceVersion":")" + std::to_string(version_) + R"("},"items":[)";
  bool first = true;
  if (const auto found = kinds_.find(kind); found != kinds_.end()) {
    for (const auto& [key, object] : found->second.objects) {
      body += (std::exchange(first, false) ? "" : ",") + object.text;
    }
  }
  return body + "]}";
}

Result<std::string> ApiServer::Read(const Path& path) const {
  const JsonValue* object = Get(path.kind, path.key);
  if (object == nullptr) {
    return NotFound(path);
  }
  return path.subresource == "scale" ? ScaleOf(*object).Print() : object->Print();
}

JsonValue ApiServer::ScaleOf(const JsonValue& object) {
  JsonValue scale;
  scale["apiVersion"] = JsonValue("autoscaling/v1");
  scale["kind"] = JsonValue("Scale");
  for (const char* field : {"name", "namespace", "uid", "resourceVersion"}) {
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
  if (path.kind == kEvents) {
    return kube::Response{201, request.body};
  }
  ASSIGN_OR_RETURN(JsonValue object, JsonValue::Parse(request.body));
  const api::ObjectKey key{path.key.namespace_, object.At({"metadata", "name"}).Text()};
  if (Get(path.kind, key) != nullptr) {
    return Error{Code::kConflict, path.kind + " \"" + key.name + "\" already exists"};
  }
  Put(path.kind, key, std::move(object));
  return kube::Response{201, Get(path.kind, key)->Print()};
}

Result<kube::Response> ApiServer::Patch(const Path& path, const kube::Request& request,
                                        const std::string& manager) {
  if (path.kind == kEvents) {
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
      on_refused(path.key, request.body);
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
    on_status(path.key, object.At({"status"}), patch.At({"status"}));
    object["status"].Merge(patch.At({"status"}));
  } else {
    object.Merge(patch);
  }
  Put(path.kind, path.key, std::move(object));
  return kube::Response{200, Get(path.kind, path.key)->Print()};
}

const JsonValue* ApiServer::Get(const std::string& kind, const api::ObjectKey& key) const {
  const auto found = kinds_.find(kind);
  if (found == kinds_.end()) {
    return nullptr;
  }
  const auto object = found->second.objects.find(key);
  return object == found->second.objects.end() ? nullptr : &object->second.value;
}

void ApiServer::Put(const std::string& kind, const api::ObjectKey& key, JsonValue object) {
  Kind& all = kinds_[kind];
  const JsonValue* before = Get(kind, key);
  JsonValue& metadata = object["metadata"];
  metadata["name"] = JsonValue(key.name);
  metadata["namespace"] = JsonValue(key.namespace_);
  if (before == nullptr) {
    metadata["uid"] = JsonValue("uid-" + std::to_string(++made_));
    metadata["generation"] = JsonValue(std::int64_t{1});
  } else {
    metadata["uid"] = before->At({"metadata", "uid"});
    const std::int64_t generation = before->At({"metadata", "generation"}).Integer();
    const bool same = before->At({"spec"}) == object.At({"spec"});
    metadata["generation"] = JsonValue(same ? generation : generation + 1);
  }
  metadata["resourceVersion"] = JsonValue(std::to_string(++version_));
  const char* const type = before == nullptr ? "ADDED" : "MODIFIED";
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
  on_scale({manager, target, uid, before, replicas});
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
  kinds_[kind].history.clear();
  kinds_[kind].forgotten = ++version_;
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

}  // namespace ballast::simulation
