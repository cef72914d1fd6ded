#include "operator/sources/source_file.h"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <set>

#include "api/base/digit.h"
#include "api/base/lower.h"
#include "api/json/json.h"
#include "api/json/yaml.h"
#include "api/kubernetes/label_syntax.h"
#include "operator/kube/headers.h"
#include "operator/kube/url.h"
#include "operator/sources/cloud/aws_keys.h"

namespace ballast::sources {
namespace {

namespace fs = std::filesystem;
using json::Cursor;

constexpr std::int32_t kMaxTimeoutSeconds = 10;  // that of every metrics API
constexpr std::int32_t kMaxInFlight = 16;
constexpr std::int32_t kMinAnswerBytes = 1024;
constexpr auto kMaxAnswerBytes = static_cast<std::int32_t>(kube::kOnePage.bytes);

constexpr std::string_view kNamespaceVariable = "$namespace";

// The parameters of a query that are not the installation's.
constexpr std::string_view kOwnParameters[] = {"query", "time", "timeout"};
// The headers that the connection sets itself.
constexpr std::string_view kOwnHeaders[] = {"accept",         "authorization", "connection",
                                            "content-length", "host",          "transfer-encoding",
                                            "user-agent"};

// The characters of a header's name (RFC 9110, 5.6.2).
bool IsToken(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](unsigned char c) {
    return std::isalnum(c) != 0 ||
           std::string_view("!#$%&'*+-.^_`|~").find(static_cast<char>(c)) != std::string_view::npos;
  });
}

bool IsLabel(std::string_view text) {
  return !text.empty() && !IsDigit(text.front()) && std::ranges::all_of(text, [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_';
  });
}

void RefuseOthers(const Cursor& in, std::initializer_list<std::string_view> known) {
  for (const auto& [name, value] : in.Members()) {
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      std::string names;
      for (const std::string_view each : known) {
        names += (names.empty() ? "" : ", ") + std::string(each);
      }
      value.Fail("is no field; there are " + names);
    }
  }
}

class SourceFileReader {
 public:
  explicit SourceFileReader(const std::string& file) {
    std::error_code ignored;
    folder_ = fs::absolute(file, ignored).parent_path();
  }

  std::vector<PrometheusSource> Read(const Cursor& root) {
    RefuseOthers(root, {"sources"});
    std::vector<PrometheusSource> sources;
    std::set<std::string> names;
    for (const Cursor& in : root.Required("sources").Elements()) {
      ReadSource(in, sources.emplace_back());
      if (!names.insert(sources.back().name).second) {
        in.Member("name").Fail("is the name of an earlier source too");
      }
    }
    return sources;
  }

 private:
  kube::Material File(const Cursor& in) {
    kube::Material material;
    if (in.Read(material.file)) {
      if (material.file.empty()) {
        in.Fail("must not be empty");
      } else {
        material.file = (folder_ / material.file).lexically_normal();
      }
    }
    return material;
  }

  void ReadSource(const Cursor& in, PrometheusSource& out) {
    RefuseOthers(in, {"name",
                      "url",
                      "namespaces",
                      "headers",
                      "bearerTokenFile",
                      "basic",
                      "aws",
                      "google",
                      "azure",
                      "proxyUrl",
                      "caFile",
                      "serverName",
                      "clientCertificateFile",
                      "clientKeyFile",
                      "bound",
                      "parameters",
                      "timeoutSeconds",
                      "maxAnswerBytes",
                      "maxInFlight",
                      "acceptWarnings"});
    const Cursor name = in.Required("name");
    if (name.Read(out.name)) {
      for (const std::string& complaint : api::CheckDns1123Label(out.name)) {
        name.Fail(complaint);
      }
    }
    const Cursor namespaces = in.Required("namespaces");
    for (const Cursor& each : namespaces.Elements()) {
      std::string text;
      if (each.Read(text) && text != "*") {
        for (const std::string& complaint : api::CheckDns1123Label(text)) {
          each.Fail(complaint);
        }
      }
      out.namespaces.names.insert(text);
    }
    if (namespaces.present() && out.namespaces.names.empty()) {
      namespaces.Fail("must name those that may use the source; \"*\" is all");
    }
    ReadConnection(in, out.connection);
    ReadHeaders(in.Member("headers"), out);
    ReadLogin(in, out);
    ReadBound(in.Member("bound"), out);
    ReadParameters(in.Member("parameters"), out);
    std::int32_t seconds = static_cast<std::int32_t>(out.timeout.count());
    ReadNumber(in.Member("timeoutSeconds"), 1, kMaxTimeoutSeconds, seconds);
    out.timeout = std::chrono::seconds(seconds);
    auto bytes = static_cast<std::int32_t>(out.max_answer_bytes);
    ReadNumber(in.Member("maxAnswerBytes"), kMinAnswerBytes, kMaxAnswerBytes, bytes);
    out.max_answer_bytes = static_cast<std::size_t>(bytes);
    auto in_flight = static_cast<std::int32_t>(out.max_in_flight);
    ReadNumber(in.Member("maxInFlight"), 1, kMaxInFlight, in_flight);
    out.max_in_flight = static_cast<std::size_t>(in_flight);
    in.Member("acceptWarnings").Read(out.accepts_warnings);
  }

  void ReadConnection(const Cursor& in, kube::ClusterConfig& out) {
    const Cursor url = in.Required("url");
    bool tls = false;
    if (url.Read(out.server)) {
      const auto endpoint = kube::ParseEndpoint(out.server);
      if (!endpoint.ok()) {
        url.Fail(endpoint.error().message);
      }
      tls = endpoint.ok() && endpoint->tls;
    }
    const Cursor proxy = in.Member("proxyUrl");
    if (proxy.Read(out.proxy_url)) {
      const auto endpoint = kube::ParseEndpoint(out.proxy_url);
      if (!endpoint.ok() || endpoint->tls || !endpoint->prefix.empty()) {
        proxy.Fail("must be of the form http://host:port");
      }
    }
    for (const char* field : {"caFile", "serverName", "clientCertificateFile", "clientKeyFile"}) {
      if (in.Member(field).present() && !tls) {
        in.Member(field).Fail("needs an https:// url");
      }
    }
    out.ca = File(in.Member("caFile"));
    in.Member("serverName").Read(out.tls_server_name);
    out.client_certificate = File(in.Member("clientCertificateFile"));
    out.client_key = File(in.Member("clientKeyFile"));
    if (out.client_certificate.empty() != out.client_key.empty()) {
      in.Fail("clientCertificateFile and clientKeyFile need each other");
    }
  }

  void ReadHeaders(const Cursor& in, PrometheusSource& out) {
    std::set<std::string> names;
    for (const Cursor& entry : in.Elements()) {
      RefuseOthers(entry, {"name", "value", "valueFile"});
      PrometheusSource::Header& header = out.headers.emplace_back();
      const Cursor name = entry.Required("name");
      if (name.Read(header.name)) {
        const std::string lower = Lower(header.name);
        if (!IsToken(header.name)) {
          name.Fail("is no header's name");
        } else if (std::ranges::find(kOwnHeaders, lower) != std::end(kOwnHeaders) ||
                   lower.starts_with("x-amz-")) {
          name.Fail(
              "is set by Ballast; credentials are bearerTokenFile, basic, aws, google or azure");
        } else if (!names.insert(lower).second) {
          name.Fail("is the name of an earlier header too");
        }
      }
      header.value = File(entry.Member("valueFile"));
      const Cursor value = entry.Member("value");
      if (value.present() == entry.Member("valueFile").present()) {
        entry.Fail("must have value or valueFile, one of them");
      }
      if (value.Read(header.value.text) && !kube::IsHeaderText(header.value.text)) {
        value.Fail(kube::kNotHeaderText);
      }
    }
  }

  // Refuses the fields of all ways but the first one there is; a way has its name's field, and
  // others.
  static void KeepOne(const Cursor& in, std::initializer_list<std::vector<std::string>> ways) {
    const auto kept = std::ranges::find_if(
        ways, [&](const auto& way) { return in.Member(way.front()).present(); });
    for (const std::vector<std::string>& way : ways) {
      for (const std::string& field : way) {
        if (kept != ways.end() && &way != kept && in.Member(field).present()) {
          in.Member(field).Fail("must not be set beside " + kept->front() + "; keep one of them");
        }
      }
    }
  }

  void ReadLogin(const Cursor& in, PrometheusSource& out) {
    KeepOne(in, {{"bearerTokenFile"}, {"basic"}, {"aws"}, {"google"}, {"azure"}});
    out.bearer_token = File(in.Member("bearerTokenFile"));
    ReadBasic(in.Member("basic"), out);
    if (in.Member("aws").present()) {
      out.cloud = ReadAws(in.Member("aws"));
    } else if (in.Member("google").present()) {
      out.cloud = ReadGoogle(in.Member("google"));
    } else if (in.Member("azure").present()) {
      out.cloud = ReadAzure(in.Member("azure"));
    }
  }

  void ReadBasic(const Cursor& basic, PrometheusSource& out) {
    if (!basic.present()) {
      return;
    }
    RefuseOthers(basic, {"username", "passwordFile"});
    const Cursor username = basic.Required("username");
    if (username.Read(out.username) &&
        (out.username.empty() || out.username.find(':') != std::string::npos ||
         !kube::IsHeaderText(out.username))) {
      username.Fail("must not be empty or have a colon or a control character");
    }
    out.password = File(basic.Required("passwordFile"));
  }

  AwsLogin ReadAws(const Cursor& in) {
    RefuseOthers(in, {"region", "service", "podIdentity", "roleArn", "webIdentityTokenFile",
                      "stsUrl", "accessKeyIdFile", "secretAccessKeyFile", "sessionTokenFile"});
    AwsLogin out;
    ReadWord(in.Required("region"), out.region);
    ReadWord(in.Member("service"), out.service);
    KeepOne(in, {{"podIdentity"},
                 {"roleArn", "webIdentityTokenFile", "stsUrl"},
                 {"accessKeyIdFile", "secretAccessKeyFile", "sessionTokenFile"}});
    if (in.Member("podIdentity").present()) {
      out.keys = ReadPodIdentity(in.Member("podIdentity"));
    } else if (in.Member("roleArn").present()) {
      AwsRole role{.web_identity_token = File(in.Required("webIdentityTokenFile"))};
      ReadWord(in.Member("roleArn"), role.arn);
      ReadServer(in.Member("stsUrl"), role.sts_url);
      out.keys = std::move(role);
    } else if (in.Member("accessKeyIdFile").present()) {
      out.keys = AwsKeyFiles{.access_key_id = File(in.Member("accessKeyIdFile")),
                             .secret_access_key = File(in.Required("secretAccessKeyFile")),
                             .session_token = File(in.Member("sessionTokenFile"))};
    } else {
      in.Fail(
          "must have podIdentity, roleArn and webIdentityTokenFile, or accessKeyIdFile and "
          "secretAccessKeyFile");
    }
    return out;
  }

  AwsPodIdentity ReadPodIdentity(const Cursor& in) {
    RefuseOthers(in, {"credentialsUrl", "tokenFile"});
    AwsPodIdentity out;
    const Cursor url = in.Member("credentialsUrl");
    if (url.Read(out.credentials_url)) {
      if (const Status status = CheckCredentialsUrl(out.credentials_url); !status.ok()) {
        url.Fail(status.error().message);
      }
    }
    out.token = File(in.Member("tokenFile"));
    return out;
  }

  static GoogleLogin ReadGoogle(const Cursor& in) {
    RefuseOthers(in, {"metadataUrl"});
    GoogleLogin out;
    ReadServer(in.Member("metadataUrl"), out.metadata_url);
    return out;
  }

  AzureLogin ReadAzure(const Cursor& in) {
    RefuseOthers(in, {"tenantId", "clientId", "workloadTokenFile", "scope", "authorityUrl"});
    AzureLogin out;
    ReadWord(in.Required("tenantId"), out.tenant_id);
    ReadWord(in.Required("clientId"), out.client_id);
    out.workload_token = File(in.Required("workloadTokenFile"));
    ReadWord(in.Member("scope"), out.scope);
    ReadServer(in.Member("authorityUrl"), out.authority_url);
    return out;
  }

  // What becomes a part of a header or of a parameter.
  static void ReadWord(const Cursor& in, std::string& out) {
    if (in.Read(out) &&
        (out.empty() || !kube::IsHeaderText(out) || out.find(' ') != std::string::npos)) {
      in.Fail("must not be empty or have a space or a control character");
    }
  }

  static void ReadServer(const Cursor& in, std::string& out) {
    if (in.Read(out)) {
      if (const auto endpoint = kube::ParseEndpoint(out); !endpoint.ok()) {
        in.Fail(endpoint.error().message);
      }
    }
  }

  static void ReadBound(const Cursor& bound, PrometheusSource& out) {
    if (!bound.present()) {
      return;
    }
    RefuseOthers(bound, {"label", "by"});
    std::string label;
    std::string by;
    const Cursor label_at = bound.Required("label");
    if (label_at.Read(label) && !IsLabel(label)) {
      label_at.Fail("is no name of a label of Prometheus");
    }
    const Cursor by_at = bound.Required("by");
    if (!by_at.Read(by)) {
      return;
    }
    const std::string variable(kNamespaceVariable);
    if (by == "PromLabelProxy") {
      out.parameters.emplace_back(label, variable);
    } else if (by == "VictoriaMetrics") {
      out.parameters.emplace_back("extra_label", label + "=" + variable);
    } else {
      by_at.Fail("must be PromLabelProxy or VictoriaMetrics");
    }
  }

  static void ReadParameters(const Cursor& in, PrometheusSource& out) {
    for (const Cursor& entry : in.Elements()) {
      RefuseOthers(entry, {"name", "value"});
      auto& [name, value] = out.parameters.emplace_back();
      const Cursor name_at = entry.Required("name");
      if (name_at.Read(name) &&
          (!kube::IsHeaderText(name) || name.empty() ||
           std::ranges::find(kOwnParameters, name) != std::end(kOwnParameters))) {
        name_at.Fail("must be the name of a parameter, other than query, time and timeout");
      }
      const Cursor value_at = entry.Required("value");
      if (value_at.Read(value) && !kube::IsHeaderText(value)) {
        value_at.Fail(kube::kNotHeaderText);
      }
    }
  }

  static void ReadNumber(const Cursor& in, std::int32_t low, std::int32_t high, std::int32_t& out) {
    if (in.Read(out) && (out < low || out > high)) {
      in.Fail("must be between " + std::to_string(low) + " and " + std::to_string(high));
    }
  }

  fs::path folder_;
};

}  // namespace

Result<std::vector<PrometheusSource>> ParseSources(const std::string& file, std::string_view yaml) {
  const auto document = ParseYaml(yaml);
  if (!document.ok()) {
    return document.error().In(file);
  }
  json::Decoder decoder(*document);
  std::vector<PrometheusSource> sources = SourceFileReader(file).Read(decoder.root());
  if (const Status status = decoder.status(); !status.ok()) {
    return status.error().In(file);
  }
  return sources;
}

// $namespaces is no variable.
std::string ParameterFor(const std::string& namespace_, std::string value) {
  for (std::size_t at = 0; (at = value.find(kNamespaceVariable, at)) != std::string::npos;) {
    const std::size_t end = at + kNamespaceVariable.size();
    if (end < value.size() &&
        (std::isalnum(static_cast<unsigned char>(value[end])) != 0 || value[end] == '_')) {
      at = end;
    } else {
      value.replace(at, kNamespaceVariable.size(), namespace_);
      at += namespace_.size();
    }
  }
  return value;
}

bool LacksBound(const PrometheusSource& source) {
  const std::set<std::string>& names = source.namespaces.names;
  return (names.size() > 1 || names.contains("*")) &&
         std::ranges::none_of(source.parameters, [](const auto& parameter) {
           return ParameterFor("", parameter.second) != parameter.second;
         });
}

Result<std::vector<PrometheusSource>> LoadSources(const std::string& file) {
  ASSIGN_OR_RETURN(const std::string yaml, (kube::Material{.text = {}, .file = file}.Read()));
  return ParseSources(file, yaml);
}

}  // namespace ballast::sources
