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
#include "operator/kube/auth/kubeconfig_shape.h"
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
  json::Cursor at;     // absent if null
  json::Cursor entry;  // what it is a part of, which is always there
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
  const auto json = FirstYamlToJson(text.yaml);
  if (!json.ok()) {
    return json.error().In(text.path);
  }
  if (json->empty()) {
    return std::unique_ptr<File>();
  }
  auto document = json::Parse(*json);
  if (!document.ok()) {
    return document.error().In(text.path);
  }
  auto file = std::make_unique<File>(text.path, std::move(document).value());
  CheckKubeconfigShape(file->decoder.root());
  return file;
}

// The first problem that the file's decoder has noted.
Status Problem(const File& file) {
  const Status status = file.decoder.status();
  return status.ok() ? status : status.error().In(file.path);
}

// The `part` ("cluster") of the first entry with that name in the lists ("clusters"); nullopt if
// there is none. An entry may be without name or content.
std::optional<FilePlace> FindEntry(const Files& files, const char* list, const char* part,
                                   const std::string& name) {
  for (const auto& file : files) {
    for (const json::Cursor& entry : file->decoder.root().Member(list).Elements()) {
      if (entry.Member("name").Text() == name) {
        return FilePlace{file.get(), entry.Member(part), entry};
      }
    }
  }
  return std::nullopt;
}

Error NoEntry(const Files& files, const char* list, const std::string& name) {
  return {Code::kInvalid, Paths(files) + ": " + list + ": has no entry named \"" + name + "\""};
}

std::string PathFrom(const FilePlace& from, const std::string& path) {
  return (from.file->folder / path).lexically_normal();
}

// Most materials can be given as `NAME-data`, in base64, or as `NAME`, a file, but not as both.
Material ReadMaterial(const FilePlace& from, const std::string& name) {
  const json::Cursor data = from.at.Member(name + "-data");
  const json::Cursor file = from.at.Member(name);
  Material material;
  if (!file.Text().empty()) {
    material.file = PathFrom(from, std::string(file.Text()));
    if (!data.Text().empty()) {
      data.Fail("contradicts " + name + "; keep one of the two");
    }
  } else if (auto bytes = DecodeBase64(data.Text()); bytes.ok()) {
    material.text = std::move(bytes).value();
  }
  return material;
}

// The URL as client-go reads it: without a query, and of a mere host:port with http.
std::string UrlOf(const std::string& server) {
  std::string url = server.substr(0, server.find('?'));
  const std::size_t scheme = url.find("://");
  if (scheme == std::string::npos) {
    return "http://" + url;
  }
  return Lower(url.substr(0, scheme)) + url.substr(scheme);
}

// Reads a member that must have a text.
std::string ReadNeeded(const json::Cursor& from, const char* name) {
  const json::Cursor text = from.Required(name);
  if (text.present() && text.Text().empty()) {
    text.Fail("must not be empty");
  }
  return std::string(text.Text());
}

// Whether the host is this machine, where a proxy may listen.
bool IsLoopback(const std::string& host) {
  return host == "localhost" || host == "::1" ||
         (host.starts_with("127.") && host.find_first_not_of("0123456789.") == std::string::npos);
}

// Returns whether nobody on the network reads what is sent.
bool ReadServer(const FilePlace& cluster, ClusterConfig& config) {
  cluster.entry.Required("cluster");
  const std::string text = ReadNeeded(cluster.at, "server");
  if (text.empty()) {
    return false;
  }
  config.server = UrlOf(text);
  const json::Cursor server = cluster.at.Member("server");
  const auto endpoint = ParseEndpoint(config.server);
  if (!endpoint.ok()) {
    server.Fail(endpoint.error().message);
    return false;
  }
  if (text.find("://") == std::string::npos && !endpoint->prefix.empty()) {
    server.Fail("must begin with https:// to have a path");
  }
  return endpoint->tls || IsLoopback(endpoint->host);
}

void ReadCluster(const FilePlace& cluster, ClusterConfig& config) {
  config.ca = ReadMaterial(cluster, "certificate-authority");
  cluster.at.Member("tls-server-name").Read(config.tls_server_name);
  cluster.at.Member("insecure-skip-tls-verify").Read(config.insecure_skip_tls_verify);
  const json::Cursor proxy = cluster.at.Member("proxy-url");
  if (proxy.Read(config.proxy_url) && !config.proxy_url.empty()) {
    const auto endpoint = ParseEndpoint(config.proxy_url);
    if (!endpoint.ok() || endpoint->tls || !endpoint->prefix.empty()) {
      proxy.Fail("only a proxy of the form http://host:port is supported");
    }
  }
}

constexpr std::string_view kExecV1 = "client.authentication.k8s.io/v1";
constexpr std::string_view kExecBeta = "client.authentication.k8s.io/v1beta1";
constexpr std::string_view kExecAlpha = "client.authentication.k8s.io/v1alpha1";

void CheckInteractiveMode(const json::Cursor& exec, std::string_view version) {
  const json::Cursor mode = exec.Member("interactiveMode");
  if (mode.Text().empty()) {
    if (version != kExecBeta && version != kExecAlpha) {
      ReadNeeded(exec, "interactiveMode");
    }
  } else if (mode.Text() == "Always") {
    mode.Fail("there is no terminal; the plugin must work with IfAvailable or Never");
  } else if (mode.Text() != "Never" && mode.Text() != "IfAvailable") {
    mode.Fail("must be Never, IfAvailable or Always");
  }
}

ExecConfig ReadExec(const FilePlace& user, const json::Cursor& cluster) {
  const json::Cursor from = user.at.Member("exec");
  ExecConfig exec;
  exec.api_version = ReadNeeded(from, "apiVersion");
  exec.command = ReadNeeded(from, "command");
  if (exec.command.find('/') != std::string::npos) {
    exec.command = PathFrom(user, exec.command);
  }
  for (const json::Cursor& arg : from.Member("args").Elements()) {
    arg.Read(exec.args.emplace_back());
  }
  for (const json::Cursor& variable : from.Member("env").Elements()) {
    auto& [name, value] = exec.env.emplace_back();
    name = ReadNeeded(variable, "name");
    variable.Member("value").Read(value);
  }
  CheckInteractiveMode(from, exec.api_version);
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

void ReadImpersonation(const json::Cursor& user, Impersonation& impersonate) {
  ReadHeaderText(user.Member("as"), impersonate.user);
  ReadHeaderText(user.Member("as-uid"), impersonate.uid);
  ReadHeaderTexts(user.Member("as-groups"), impersonate.groups);
  for (const auto& [key, values] : user.Member("as-user-extra").Members()) {
    ReadHeaderTexts(values, impersonate.extra[std::string(key)]);
  }
}

void CheckMethods(const json::Cursor& user) {
  const bool password =
      !user.Member("username").Text().empty() || !user.Member("password").Text().empty();
  if (password && !user.Member("token").Text().empty()) {
    user.Member("token").Fail("contradicts username and password; keep one of the two");
  }
  if (user.Member("exec").present() && user.Member("auth-provider").present()) {
    user.Member("exec").Fail("contradicts auth-provider; keep one of the two");
  }
}

// What client-go looks at only where it would send it.
void CheckCredentials(const json::Cursor& user) {
  for (const char* key : {"auth-provider", "username", "password"}) {
    const json::Cursor found = user.Member(key);
    if (found.present() && !(found.IsString() && found.Text().empty())) {
      found.Fail("is not supported; use exec, a token, tokenFile or a client certificate");
    }
  }
  const json::Cursor version = user.Member("exec").Member("apiVersion");
  if (version.present() && version.Text() != kExecV1 && version.Text() != kExecBeta) {
    version.Fail("is not supported; client.authentication.k8s.io/v1 and v1beta1 are");
  }
}

void ReadUser(const FilePlace& user, const json::Cursor& cluster, ClusterConfig& config) {
  CheckMethods(user.at);
  config.client_certificate = ReadMaterial(user, "client-certificate");
  if (!config.client_certificate.empty()) {  // a key alone does not count
    config.client_key = ReadMaterial(user, "client-key");
    if (config.client_key.empty()) {
      user.at.Fail("client-certificate needs client-key");
    }
  }
  user.at.Member("token").Read(config.token.text);
  if (const std::string_view file = user.at.Member("tokenFile").Text(); !file.empty()) {
    config.token.file = PathFrom(user, std::string(file));
  }
  if (user.at.Member("exec").present()) {
    config.exec = ReadExec(user, cluster);
  }
}

// Where anybody may read what is sent nobody is asked for a certificate, and no secret is sent.
void LeaveOutSecrets(ClusterConfig& config) {
  config.tls_server_name.clear();
  config.insecure_skip_tls_verify = false;
  for (Material* material :
       {&config.ca, &config.client_certificate, &config.client_key, &config.token}) {
    *material = {};
  }
  config.exec.reset();
}

Status Problems(const Files& files) {
  for (const auto& file : files) {
    TRY(Problem(*file));
  }
  return Done{};
}

// The names of what the context chooses; empty where neither it nor the caller names one.
struct ChosenNames {
  std::string cluster;
  std::string user;
};

Result<ChosenNames> ChooseNames(const Files& files, const KubeconfigChoice& choice,
                                ClusterConfig& config) {
  std::string current = choice.context;
  for (const auto& file : files) {
    if (current.empty()) {
      file->decoder.root().Member("current-context").Read(current);
    }
  }
  ChosenNames names{choice.cluster, choice.user};
  const auto context = FindEntry(files, "contexts", "context", current);
  if (!context) {
    return current.empty() ? Result<ChosenNames>(names) : NoEntry(files, "contexts", current);
  }
  if (names.cluster.empty()) {
    context->at.Member("cluster").Read(names.cluster);
  }
  if (names.user.empty()) {
    context->at.Member("user").Read(names.user);
  }
  if (const std::string_view name = context->at.Member("namespace").Text(); !name.empty()) {
    config.namespace_ = name;
  }
  return names;
}

Result<ClusterConfig> Merge(const Files& files, const KubeconfigChoice& choice) {
  TRY(Problems(files));
  ClusterConfig config;
  ASSIGN_OR_RETURN(const ChosenNames names, ChooseNames(files, choice, config));
  const auto cluster = FindEntry(files, "clusters", "cluster", names.cluster);
  if (!cluster) {
    return names.cluster.empty() ? Error{Code::kInvalid, Paths(files) +
                                                             ": current-context: is required, and "
                                                             "the context must name a cluster"}
                                 : NoEntry(files, "clusters", names.cluster);
  }
  const auto user = FindEntry(files, "users", "user", names.user);
  if (!user && !names.user.empty()) {
    return NoEntry(files, "users", names.user);
  }
  const bool is_private = ReadServer(*cluster, config);
  ReadCluster(*cluster, config);
  if (user) {
    ReadUser(*user, cluster->at, config);
    ReadImpersonation(user->at, config.impersonate);
  }
  Override(choice, config.impersonate);
  if (!config.impersonate.complete()) {
    (user ? user->at : cluster->entry).Fail("as-uid, as-groups and as-user-extra need `as`");
  }
  TRY(Problems(files));
  if (!is_private) {
    LeaveOutSecrets(config);
    return config;
  }
  if (config.insecure_skip_tls_verify && !config.ca.empty()) {
    cluster->at.Member("insecure-skip-tls-verify").Fail("contradicts certificate-authority");
  }
  if (user) {
    CheckCredentials(user->at);
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

Result<ClusterConfig> LoadKubeconfigFile(const std::string& path, const KubeconfigChoice& choice) {
  ASSIGN_OR_RETURN(std::string text, os::ReadFile(path));
  return DecodeKubeconfig({{path, std::move(text)}}, choice);
}

}  // namespace ballast::kube
