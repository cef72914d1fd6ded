#include "operator/kube/auth/kubeconfig.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "api/base/base64.h"
#include "api/base/lower.h"
#include "api/json/json.h"
#include "api/json/yaml.h"
#include "operator/kube/headers.h"
#include "operator/kube/url.h"
#include "operator/os/file.h"

namespace ballast::kube {
namespace {

namespace fs = std::filesystem;

constexpr const char* kExecExtension = "client.authentication.k8s.io/exec";

// One of the merged files.
struct File {
  File(const std::string& file, json::Document parsed)
      : path(file), document(std::move(parsed)), decoder(document) {
    std::error_code ignored;
    folder = fs::absolute(path, ignored).parent_path();
  }

  std::string path;
  fs::path folder;
  json::Document document;
  json::Decoder decoder;
};
using Files = std::vector<std::unique_ptr<File>>;

// A place in one of the files.
struct FilePlace {
  const File* file = nullptr;
  json::Cursor at;
};

std::string Paths(const Files& files) {
  std::string all;
  for (const auto& file : files) {
    all += (all.empty() ? "" : ", ") + file->path;
  }
  return all;
}

// Null if the file is empty.
Result<std::unique_ptr<File>> Parse(const KubeconfigText& text) {
  const auto documents = YamlToJson(text.yaml);
  if (!documents.ok()) {
    return documents.error().In(text.path);
  }
  if (documents->empty()) {
    return std::unique_ptr<File>();
  }
  // Of several documents client-go reads the first.
  auto document = json::Parse(documents->front());
  if (!document.ok()) {
    return document.error().In(text.path);
  }
  return std::make_unique<File>(text.path, std::move(document).value());
}

// The first problem that the file's decoder has noted.
Status Problem(const File& file) {
  const Status status = file.decoder.status();
  return status.ok() ? status : status.error().In(file.path);
}

// The `part` ("cluster") of the first entry with that name in the lists ("clusters").
Result<FilePlace> FindEntry(const Files& files, const char* list, const char* part,
                            const std::string& name) {
  for (const auto& file : files) {
    for (const json::Cursor& entry : file->decoder.root().Member(list).Elements()) {
      if (entry.Member("name").Text() == name) {
        // A user without content is anonymous.
        const json::Cursor found =
            part == std::string_view("user") ? entry.Member(part) : entry.Required(part);
        TRY(Problem(*file));
        return FilePlace{file.get(), found};
      }
    }
    TRY(Problem(*file));
  }
  return Error{Code::kInvalid,
               Paths(files) + ": " + list + ": has no entry named \"" + name + "\""};
}

// Most materials can be given as `NAME-data`, in base64, or as `NAME`, a file. As in kubectl the
// data takes precedence.
Material ReadMaterial(const FilePlace& from, const std::string& name) {
  Material material;
  std::string data;
  const json::Cursor inline_data = from.at.Member(name + "-data");
  if (inline_data.Read(data) && !data.empty()) {
    if (auto decoded = DecodeBase64(data); decoded.ok()) {
      material.text = std::move(decoded).value();
    } else {
      inline_data.Fail(decoded.error().message);
    }
    return material;
  }
  std::string file;
  if (from.at.Member(name).Read(file) && !file.empty()) {
    material.file = (from.file->folder / file).lexically_normal();
  }
  return material;
}

// The URL as client-go reads it: without a query or fragment, and of a mere host:port with http.
std::string UrlOf(const std::string& server) {
  const std::string url = server.substr(0, server.find_first_of("?#"));
  const std::size_t scheme = url.find("://");
  return scheme == std::string::npos ? "http://" + url
                                     : Lower(url.substr(0, scheme)) + url.substr(scheme);
}

void ReadCluster(const FilePlace& cluster, ClusterConfig& config) {
  const json::Cursor server = cluster.at.Required("server");
  if (server.Read(config.server)) {
    config.server = UrlOf(config.server);
    if (const auto endpoint = ParseEndpoint(config.server); !endpoint.ok()) {
      server.Fail(endpoint.error().message);
    }
  }
  config.ca = ReadMaterial(cluster, "certificate-authority");
  cluster.at.Member("tls-server-name").Read(config.tls_server_name);
  const json::Cursor insecure = cluster.at.Member("insecure-skip-tls-verify");
  insecure.Read(config.insecure_skip_tls_verify);
  if (config.insecure_skip_tls_verify && !config.ca.empty()) {
    insecure.Fail("contradicts certificate-authority");
  }
  const json::Cursor proxy = cluster.at.Member("proxy-url");
  if (proxy.Read(config.proxy_url) && !config.proxy_url.empty()) {
    const auto endpoint = ParseEndpoint(config.proxy_url);
    if (!endpoint.ok() || endpoint->tls || !endpoint->prefix.empty()) {
      proxy.Fail("only a proxy of the form http://host:port is supported");
    }
  }
}

ExecConfig ReadExec(const FilePlace& user, const json::Cursor& cluster) {
  const json::Cursor from = user.at.Member("exec");
  ExecConfig exec;
  const json::Cursor version = from.Required("apiVersion");
  constexpr std::string_view kV1 = "client.authentication.k8s.io/v1";
  constexpr std::string_view kBeta = "client.authentication.k8s.io/v1beta1";
  if (version.Read(exec.api_version) && exec.api_version != kV1 && exec.api_version != kBeta) {
    version.Fail("is not supported; client.authentication.k8s.io/v1 and v1beta1 are");
  }
  from.Required("command").Read(exec.command);
  if (exec.command.find('/') != std::string::npos) {
    exec.command = (user.file->folder / exec.command).lexically_normal();
  }
  for (const json::Cursor& arg : from.Member("args").Elements()) {
    arg.Read(exec.args.emplace_back());
  }
  for (const json::Cursor& entry : from.Member("env").Elements()) {
    auto& [name, value] = exec.env.emplace_back();
    entry.Required("name").Read(name);
    entry.Member("value").Read(value);
  }
  const json::Cursor mode =
      exec.api_version == kV1 ? from.Required("interactiveMode") : from.Member("interactiveMode");
  if (mode.Text() == "Always") {
    mode.Fail("there is no terminal; the plugin must work with IfAvailable or Never");
  } else if (mode.present() && mode.Text() != "Never" && mode.Text() != "IfAvailable") {
    mode.Fail("must be Never, IfAvailable or Always");
  }
  from.Member("installHint").Read(exec.install_hint);
  from.Member("provideClusterInfo").Read(exec.cluster_info);
  for (const json::Cursor& extension : cluster.Member("extensions").Elements()) {
    if (extension.Member("name").Text() == kExecExtension) {
      exec.cluster_options = extension.Member("extension").Print();
    }
  }
  return exec;
}

// Reads a text that is sent in a header.
void ReadHeaderText(const json::Cursor& from, std::string& out) {
  if (from.Read(out) && !IsHeaderText(out)) {
    from.Fail(kNotHeaderText);
  }
}

void ReadHeaderTexts(const json::Cursor& from, std::vector<std::string>& out) {
  for (const json::Cursor& text : from.Elements()) {
    ReadHeaderText(text, out.emplace_back());
  }
}

// A user that is named already stays.
void ReadImpersonation(const json::Cursor& user, Impersonation& impersonate) {
  std::string own;
  ReadHeaderText(user.Member("as"), own);
  if (impersonate.user.empty()) {
    impersonate.user = own;
  }
  ReadHeaderText(user.Member("as-uid"), impersonate.uid);
  ReadHeaderTexts(user.Member("as-groups"), impersonate.groups);
  for (const auto& [key, values] : user.Member("as-user-extra").Members()) {
    ReadHeaderTexts(values, impersonate.extra[std::string(key)]);
  }
  if (impersonate.user.empty() &&
      (!impersonate.uid.empty() || !impersonate.groups.empty() || !impersonate.extra.empty())) {
    user.Fail("as-uid, as-groups and as-user-extra need `as`");
  }
}

void ReadUser(const FilePlace& user, const json::Cursor& cluster, ClusterConfig& config) {
  for (const char* key : {"auth-provider", "username", "password"}) {
    const json::Cursor found = user.at.Member(key);
    if (found.present() && !(found.IsString() && found.Text().empty())) {
      found.Fail("is not supported; use exec, a token, tokenFile or a client certificate");
    }
  }
  config.client_certificate = ReadMaterial(user, "client-certificate");
  config.client_key = ReadMaterial(user, "client-key");
  if (config.client_certificate.empty() != config.client_key.empty()) {
    user.at.Fail("client-certificate and client-key need each other");
  }
  user.at.Member("token").Read(config.token.text);
  std::string file;
  if (user.at.Member("tokenFile").Read(file) && !file.empty()) {
    config.token.file = (user.file->folder / file).lexically_normal();
  }
  if (user.at.Member("exec").present()) {
    config.exec = ReadExec(user, cluster);
  }
  ReadImpersonation(user.at, config.impersonate);
}

Status Problems(const Files& files) {
  for (const auto& file : files) {
    TRY(Problem(*file));
  }
  return Done{};
}

Result<ClusterConfig> Merge(const Files& files, const KubeconfigChoice& choice) {
  std::string current = choice.context;
  for (const auto& file : files) {
    if (current.empty()) {
      file->decoder.root().Member("current-context").Read(current);
    }
  }
  TRY(Problems(files));
  if (current.empty() && choice.cluster.empty()) {
    return Error{Code::kInvalid, Paths(files) + ": current-context: is required"};
  }
  ClusterConfig config;
  config.impersonate.user = choice.as;
  std::string cluster_name = choice.cluster;
  std::string user_name = choice.user;
  if (!current.empty()) {
    ASSIGN_OR_RETURN(const FilePlace context, FindEntry(files, "contexts", "context", current));
    if (cluster_name.empty()) {
      context.at.Required("cluster").Read(cluster_name);
    }
    if (user_name.empty()) {
      context.at.Member("user").Read(user_name);
    }
    if (std::string name; context.at.Member("namespace").Read(name) && !name.empty()) {
      config.namespace_ = name;
    }
  }
  TRY(Problems(files));
  ASSIGN_OR_RETURN(const FilePlace cluster, FindEntry(files, "clusters", "cluster", cluster_name));
  ReadCluster(cluster, config);
  TRY(Problems(files));
  if (!user_name.empty()) {
    ASSIGN_OR_RETURN(const FilePlace user, FindEntry(files, "users", "user", user_name));
    ReadUser(user, cluster.at, config);
  }
  TRY(Problems(files));
  return config;
}

}  // namespace

Result<ClusterConfig> DecodeKubeconfig(const std::vector<KubeconfigText>& files,
                                       const KubeconfigChoice& choice) {
  Files parsed;
  for (const KubeconfigText& file : files) {
    ASSIGN_OR_RETURN(auto one, Parse(file));
    if (one != nullptr) {
      parsed.push_back(std::move(one));
    }
  }
  if (parsed.empty()) {
    return Error{Code::kInvalid, (files.empty() ? "" : files.front().path + ": ") +
                                     std::string("the kubeconfig is empty")};
  }
  return Merge(parsed, choice);
}

Result<ClusterConfig> LoadKubeconfig(const std::string& list, const KubeconfigChoice& choice) {
  std::vector<KubeconfigText> files;
  std::optional<Error> missing;
  for (std::size_t at = 0; at < list.size();) {
    const std::size_t end = std::min(list.find(':', at), list.size());
    const std::string path = list.substr(at, end - at);
    at = end + 1;
    if (path.empty()) {
      continue;
    }
    auto text = os::ReadFile(path);
    if (text.ok()) {
      files.push_back({path, std::move(text).value()});
    } else if (text.error().code != Code::kNotFound) {
      return text.error();
    } else if (!missing) {
      missing = text.error();
    }
  }
  if (files.empty()) {
    return missing.value_or(Error{Code::kNotFound, "no kubeconfig is named"});
  }
  return DecodeKubeconfig(files, choice);
}

}  // namespace ballast::kube
