#include "operator/kube/config.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "api/base64.h"
#include "api/json.h"
#include "api/yaml.h"
#include "operator/kube/url.h"

namespace ballast::kube {
namespace {

namespace fs = std::filesystem;

Result<std::string> ReadFile(const std::string& path) {
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  std::ostringstream content;
  if (file && content << file.rdbuf()) {
    return std::move(content).str();
  }
  const int problem = errno;
  const Code code = problem == ENOENT   ? Code::kNotFound
                    : problem == EACCES ? Code::kForbidden
                                        : Code::kUnavailable;
  return Error{code,
               path + ": " + (problem == 0 ? "is empty or unreadable" : std::strerror(problem))};
}

// Kubeconfig has most materials twice: `NAME-data`, in base64, and `NAME`, a file that may be
// relative to the kubeconfig's folder. As in kubectl the data counts when both are there.
Material ReadMaterial(const json::Cursor& from, const std::string& name, const fs::path& folder) {
  Material material;
  std::string data;
  const json::Cursor inline_data = from.Member(name + "-data");
  if (inline_data.Read(data) && !data.empty()) {
    if (auto decoded = DecodeBase64(data); decoded.ok()) {
      material.text = std::move(decoded).value();
    } else {
      inline_data.Fail(decoded.error().message);
    }
    return material;
  }
  std::string file;
  if (from.Member(name).Read(file) && !file.empty()) {
    material.file = (folder / file).lexically_normal();
  }
  return material;
}

// The `part` ("cluster") of the entry with that name in the list ("clusters").
json::Cursor FindEntry(const json::Cursor& root, const char* list, const char* part,
                       const std::string& name) {
  const json::Cursor entries = root.Required(list);
  for (const json::Cursor& entry : entries.Elements()) {
    if (entry.Member("name").Text() == name) {
      return entry.Required(part);
    }
  }
  if (entries.present()) {
    entries.Fail("has no entry named \"" + name + "\"");
  }
  return root.Member("");
}

void Refuse(const json::Cursor& from, std::initializer_list<const char*> keys) {
  for (const char* key : keys) {
    if (const json::Cursor found = from.Member(key); found.present()) {
      found.Fail("is not supported; use a token, tokenFile or a client certificate");
    }
  }
}

void ReadCluster(const json::Cursor& cluster, const fs::path& folder, ClusterConfig& config) {
  const json::Cursor server = cluster.Required("server");
  if (server.Read(config.server)) {
    if (const auto endpoint = ParseEndpoint(config.server); !endpoint.ok()) {
      server.Fail(endpoint.error().message);
    }
  }
  config.ca = ReadMaterial(cluster, "certificate-authority", folder);
  cluster.Member("tls-server-name").Read(config.tls_server_name);
  const json::Cursor insecure = cluster.Member("insecure-skip-tls-verify");
  insecure.Read(config.insecure_skip_tls_verify);
  if (config.insecure_skip_tls_verify && !config.ca.empty()) {
    insecure.Fail("contradicts certificate-authority");
  }
  if (const json::Cursor proxy = cluster.Member("proxy-url");
      proxy.present() && !proxy.Text().empty()) {
    proxy.Fail("is not supported");
  }
}

void ReadUser(const json::Cursor& user, const fs::path& folder, ClusterConfig& config) {
  Refuse(user, {"exec", "auth-provider", "username", "password", "as", "as-uid", "as-groups",
                "as-user-extra"});
  config.client_certificate = ReadMaterial(user, "client-certificate", folder);
  config.client_key = ReadMaterial(user, "client-key", folder);
  if (config.client_certificate.empty() != config.client_key.empty()) {
    user.Fail("client-certificate and client-key need each other");
  }
  user.Member("token").Read(config.token.text);
  std::string file;
  if (user.Member("tokenFile").Read(file) && !file.empty()) {
    config.token.file = (folder / file).lexically_normal();
  }
}

ClusterConfig Decode(const json::Cursor& root, const fs::path& folder) {
  ClusterConfig config;
  std::string current;
  root.Required("current-context").Read(current);
  const json::Cursor context = FindEntry(root, "contexts", "context", current);
  std::string cluster;
  std::string user;
  context.Required("cluster").Read(cluster);
  context.Member("user").Read(user);
  if (std::string name; context.Member("namespace").Read(name) && !name.empty()) {
    config.namespace_ = name;
  }
  if (context.present()) {
    ReadCluster(FindEntry(root, "clusters", "cluster", cluster), folder, config);
    if (!user.empty()) {
      ReadUser(FindEntry(root, "users", "user", user), folder, config);
    }
  }
  return config;
}

std::string Environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace

Result<std::string> Material::Read() const {
  if (file.empty()) {
    return text;
  }
  return ReadFile(file);
}

Result<ClusterConfig> LoadKubeconfig(const std::string& path) {
  ASSIGN_OR_RETURN(const std::string text, ReadFile(path));
  const auto documents = YamlToJson(text);
  if (!documents.ok()) {
    return documents.error().In(path);
  }
  if (documents->size() != 1) {
    return Error{Code::kInvalid,
                 path + ": expected one YAML document, found " + std::to_string(documents->size())};
  }
  const auto document = json::Parse(documents->front());
  if (!document.ok()) {
    return document.error().In(path);
  }
  json::Decoder decoder(*document);
  std::error_code ignored;
  ClusterConfig config = Decode(decoder.root(), fs::absolute(path, ignored).parent_path());
  if (const Status status = decoder.status(); !status.ok()) {
    return status.error().In(path);
  }
  return config;
}

Result<ClusterConfig> LoadInCluster(const std::string& directory) {
  const std::string host = Environment("KUBERNETES_SERVICE_HOST");
  const std::string port = Environment("KUBERNETES_SERVICE_PORT");
  if (host.empty() || port.empty()) {
    return Error{Code::kNotFound,
                 "not in a cluster: KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are unset"};
  }
  ClusterConfig config;
  // The HTTP library cannot use an IPv6 address; the service's name leads to the same place.
  const bool ipv6 = host.find(':') != std::string::npos;
  config.server = "https://" + (ipv6 ? "kubernetes.default.svc" : host) + ":" + port;
  if (const auto endpoint = ParseEndpoint(config.server); !endpoint.ok()) {
    return endpoint.error().In("KUBERNETES_SERVICE_HOST, KUBERNETES_SERVICE_PORT");
  }
  config.token.file = directory + "/token";
  config.ca.file = directory + "/ca.crt";
  TRY(config.token.Read());
  TRY(config.ca.Read());
  ASSIGN_OR_RETURN(config.namespace_, ReadFile(directory + "/namespace"));
  return config;
}

}  // namespace ballast::kube
