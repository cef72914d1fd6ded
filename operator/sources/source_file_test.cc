#include "operator/sources/source_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <variant>

namespace ballast::sources {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kFile = "/etc/ballast/sources.yaml";

TEST(ParseSources, ReadsEveryField) {
  const auto sources = ParseSources(kFile, R"(
sources:
- name: main
  url: https://prometheus:9090/prefix
  namespaces: [shop, bank]
  headers:
  - {name: X-Scope-OrgID, value: team}
  - {name: X-Key, valueFile: secrets/key}
  basic: {username: robot, passwordFile: /secrets/password}
  caFile: ca.crt
  serverName: prometheus.example
  clientCertificateFile: tls.crt
  clientKeyFile: tls.key
  parameters: [{name: extra_label, value: namespace=$namespace}]
  timeoutSeconds: 3
  maxAnswerBytes: 2048
  maxInFlight: 2
  acceptWarnings: true
- name: amp
  url: https://aps-workspaces.eu-west-1.amazonaws.com/workspaces/ws-1
  namespaces: [shop]
  proxyUrl: http://proxy:3128
  aws: {region: eu-west-1, roleArn: "arn:aws:iam::1:role/r", webIdentityTokenFile: token}
- name: keys
  url: https://aps
  namespaces: [shop]
  aws:
    region: us-east-1
    service: other
    accessKeyIdFile: id
    secretAccessKeyFile: key
    sessionTokenFile: session
- name: pod
  url: https://aps
  namespaces: [shop]
  aws:
    region: eu-west-1
    podIdentity: {credentialsUrl: "http://[fd00:ec2::23]/v1/credentials", tokenFile: token}
- name: gmp
  url: https://monitoring.googleapis.com/v1/projects/p/location/global/prometheus
  namespaces: [shop]
  google: {}
- name: azure
  url: https://w.eastus.prometheus.monitor.azure.com
  namespaces: [shop]
  azure: {tenantId: t, clientId: c, workloadTokenFile: /var/token, scope: s}
- name: other
  url: http://other
  namespaces: ["*"]
  bearerTokenFile: token
)");
  ASSERT_TRUE(sources.ok()) << sources.error().message;
  ASSERT_EQ(sources->size(), 7U);
  const PrometheusSource& main = sources->at(0);
  EXPECT_EQ(main.name, "main");
  EXPECT_TRUE(main.namespaces.Contain("bank"));
  EXPECT_FALSE(main.namespaces.Contain("other"));
  EXPECT_EQ(main.connection.server, "https://prometheus:9090/prefix");
  EXPECT_EQ(main.connection.ca.file, "/etc/ballast/ca.crt");
  EXPECT_EQ(main.connection.tls_server_name, "prometheus.example");
  EXPECT_EQ(main.connection.client_certificate.file, "/etc/ballast/tls.crt");
  EXPECT_EQ(main.connection.client_key.file, "/etc/ballast/tls.key");
  ASSERT_EQ(main.headers.size(), 2U);
  EXPECT_EQ(main.headers[0].value.text, "team");
  EXPECT_EQ(main.headers[1].value.file, "/etc/ballast/secrets/key");
  EXPECT_EQ(main.username, "robot");
  EXPECT_EQ(main.password.file, "/secrets/password");
  EXPECT_THAT(main.parameters, ElementsAre(std::pair("extra_label", "namespace=$namespace")));
  EXPECT_EQ(main.timeout, std::chrono::seconds(3));
  EXPECT_EQ(main.max_answer_bytes, 2048U);
  EXPECT_EQ(main.max_in_flight, 2U);
  EXPECT_TRUE(main.accepts_warnings);
  EXPECT_FALSE(LacksBound(main));
  const auto& role = std::get<AwsLogin>(sources->at(1).cloud);
  EXPECT_EQ(sources->at(1).connection.proxy_url, "http://proxy:3128");
  EXPECT_EQ(role.region, "eu-west-1");
  EXPECT_EQ(role.service, "aps");
  EXPECT_EQ(std::get<AwsRole>(role.keys).arn, "arn:aws:iam::1:role/r");
  EXPECT_EQ(std::get<AwsRole>(role.keys).web_identity_token.file, "/etc/ballast/token");
  const auto& keys = std::get<AwsLogin>(sources->at(2).cloud);
  EXPECT_EQ(keys.service, "other");
  const auto& files = std::get<AwsKeyFiles>(keys.keys);
  EXPECT_EQ(files.access_key_id.file, "/etc/ballast/id");
  EXPECT_EQ(files.secret_access_key.file, "/etc/ballast/key");
  EXPECT_EQ(files.session_token.file, "/etc/ballast/session");
  const auto& pod = std::get<AwsPodIdentity>(std::get<AwsLogin>(sources->at(3).cloud).keys);
  EXPECT_EQ(pod.credentials_url, "http://[fd00:ec2::23]/v1/credentials");
  EXPECT_EQ(pod.token.file, "/etc/ballast/token");
  EXPECT_EQ(std::get<GoogleLogin>(sources->at(4).cloud).metadata_url,
            "http://metadata.google.internal");
  const auto& azure = std::get<AzureLogin>(sources->at(5).cloud);
  EXPECT_EQ(azure.tenant_id, "t");
  EXPECT_EQ(azure.client_id, "c");
  EXPECT_EQ(azure.workload_token.file, "/var/token");
  EXPECT_EQ(azure.scope, "s");
  const PrometheusSource& other = sources->at(6);
  EXPECT_TRUE(LacksBound(other));
  EXPECT_TRUE(other.namespaces.Contain("any"));
  EXPECT_EQ(other.bearer_token.file, "/etc/ballast/token");
  EXPECT_EQ(other.timeout, std::chrono::seconds(5));
  EXPECT_FALSE(other.accepts_warnings);
}

TEST(ParseSources, SaysWhichFieldOfWhichFileIsWrong) {
  const std::string good = "{name: a, url: \"https://x\", namespaces: [b]";
  const struct {
    std::string yaml;
    const char* message;
  } kCases[] = {
      {"sources: [" + good + ", url2: x}]", "sources[0].url2: is no field; there are name, url"},
      {"source: []", "source: is no field; there are sources"},
      {"{}", "sources: is required"},
      {"sources: [{url: \"http://x\", namespaces: [b]}]", "sources[0].name: is required"},
      {"sources: [{name: a, namespaces: [b]}]", "sources[0].url: is required"},
      {"sources: [{name: a, url: \"http://x\"}]", "sources[0].namespaces: is required"},
      {"sources: [{name: a, url: \"http://x\", namespaces: []}]",
       "sources[0].namespaces: must name those"},
      {"sources: [{name: a, url: \"http://x\", namespaces: [b, c-*]}]",
       "sources[0].namespaces[1]: "},
      {"sources: [{name: A_B, url: \"http://x\", namespaces: [b]}]", "sources[0].name: "},
      {"sources: [{name: a, url: \"ftp://x\", namespaces: [b]}]", "sources[0].url: "},
      {"sources: [{name: a, url: \"http://me:s3cret@x\", namespaces: [b]}]", "sources[0].url: "},
      {"sources: [{name: a, url: \"http://x\", namespaces: [b], caFile: c}]",
       "sources[0].caFile: needs an https:// url"},
      {"sources: [" + good + "}, " + good + "}]", "sources[1].name: is the name of an earlier"},
      {"sources: [" + good + ", clientKeyFile: k}]", "need each other"},
      {"sources: [" + good + ", headers: [{name: Authorization, value: x}]}]",
       "sources[0].headers[0].name: is set by Ballast; credentials are bearerTokenFile, basic,"},
      {"sources: [" + good + ", headers: [{name: \"a b\", value: x}]}]", "is no header's name"},
      {"sources: [" + good + ", headers: [{name: a}]}]", "must have value or valueFile"},
      {"sources: [" + good + ", headers: [{name: a, value: \"x\\ny\"}]}]",
       "sources[0].headers[0].value: has a line break"},
      {"sources: [" + good + ", headers: [{name: a, value: x}, {name: A, value: y}]}]",
       "sources[0].headers[1].name: is the name of an earlier header too"},
      {"sources: [" + good + ", bearerTokenFile: t, basic: {username: u, passwordFile: p}}]",
       "sources[0].basic: must not be set beside bearerTokenFile"},
      {"sources: [" + good + ", bearerTokenFile: t, google: {}}]",
       "sources[0].google: must not be set beside bearerTokenFile"},
      {"sources: [" + good + ", proxyUrl: \"https://proxy:3128\"}]",
       "sources[0].proxyUrl: must be of the form http://host:port"},
      {"sources: [" + good + ", aws: {region: r}}]",
       "sources[0].aws: must have podIdentity, roleArn and webIdentityTokenFile, or "
       "accessKeyIdFile"},
      {"sources: [" + good + ", aws: {roleArn: r, webIdentityTokenFile: t}}]",
       "sources[0].aws.region: is required"},
      {"sources: [" + good + ", aws: {region: r, roleArn: a}}]",
       "sources[0].aws.webIdentityTokenFile: is required"},
      {"sources: [" + good +
           ", aws: {region: r, roleArn: a, webIdentityTokenFile: t, accessKeyIdFile: i}}]",
       "sources[0].aws.accessKeyIdFile: must not be set beside roleArn"},
      {"sources: [" + good + ", aws: {region: r, accessKeyIdFile: i, stsUrl: \"https://x\"}}]",
       "sources[0].aws.stsUrl: must not be set beside accessKeyIdFile"},
      {"sources: [" + good + ", aws: {region: r, podIdentity: {}, roleArn: a}}]",
       "sources[0].aws.roleArn: must not be set beside podIdentity"},
      {"sources: [" + good +
           ", aws: {region: r, podIdentity: {credentialsUrl: \"http://169.254.170.23.x/\"}}}]",
       "sources[0].aws.podIdentity.credentialsUrl: must be https://, or the agent's address"},
      {"sources: [" + good + ", aws: {region: \"a b\", accessKeyIdFile: i}}]",
       "sources[0].aws.region: must not be empty or have a space"},
      {"sources: [" + good +
           ", azure: {tenantId: t, clientId: c, workloadTokenFile: f, "
           "authorityUrl: \"ftp://x\"}}]",
       "sources[0].azure.authorityUrl: "},
      {"sources: [" + good + ", google: {metadata: x}}]",
       "sources[0].google.metadata: is no field; there are metadataUrl"},
      {"sources: [" + good + ", headers: [{name: X-Amz-Date, value: x}]}]", "is set by Ballast"},
      {"sources: [" + good + ", basic: {username: \"a:b\", passwordFile: p}}]",
       "sources[0].basic.username: must not"},
      {"sources: [" + good + ", bearerTokenFile: \"\"}]",
       "sources[0].bearerTokenFile: must not be empty"},
      {"sources: [" + good + ", bound: {label: namespace}}]", "sources[0].bound.by: is required"},
      {"sources: [" + good + ", bound: {label: namespace, by: Prometheus}}]",
       "sources[0].bound.by: must be PromLabelProxy or VictoriaMetrics"},
      {"sources: [" + good + ", bound: {label: a-b, by: PromLabelProxy}}]",
       "sources[0].bound.label: is no name of a label"},
      {"sources: [" + good + ", parameters: [{name: query, value: up}]}]",
       "sources[0].parameters[0].name: must be the name of a parameter, other than query"},
      {"sources: [" + good + ", timeoutSeconds: 11}]",
       "sources[0].timeoutSeconds: must be between 1 and 10"},
      {"sources: [" + good + ", maxInFlight: 0}]", "must be between 1 and 16"},
      {"sources: [" + good + ", maxAnswerBytes: 1}]", "must be between 1024 and 67108864"},
      {"a: [", "not YAML"},
      {"", "expected one YAML document, found 0"},
  };
  for (const auto& c : kCases) {
    const auto sources = ParseSources(kFile, c.yaml);
    ASSERT_FALSE(sources.ok()) << c.yaml;
    EXPECT_EQ(sources.error().code, Code::kInvalid);
    EXPECT_THAT(sources.error().message, HasSubstr(c.message));
    EXPECT_THAT(sources.error().message, testing::StartsWith(std::string(kFile) + ": "));
    EXPECT_THAT(sources.error().message, testing::Not(HasSubstr("s3cret")));
  }
}

TEST(ParseSources, ABoundIsAParameter) {
  const struct {
    const char* bound;
    std::pair<std::string, std::string> parameter;
  } kCases[] = {
      {"{label: namespace, by: PromLabelProxy}", {"namespace", "$namespace"}},
      {"{label: k8s_ns, by: VictoriaMetrics}", {"extra_label", "k8s_ns=$namespace"}},
  };
  for (const auto& c : kCases) {
    const auto sources =
        ParseSources(kFile, std::string("sources: [{name: a, url: \"http://x\", namespaces: "
                                        "[\"*\"], parameters: [{name: dedup, value: x}], bound: ") +
                                c.bound + "}]");
    ASSERT_TRUE(sources.ok()) << sources.error().message;
    const PrometheusSource& source = sources->front();
    EXPECT_THAT(source.parameters, ElementsAre(c.parameter, std::pair("dedup", "x")));
    EXPECT_FALSE(LacksBound(source));
  }
}

TEST(ParseSources, OneNamespaceNeedsNoBound) {
  const struct {
    const char* namespaces;
    const char* parameter;
    bool lacks;
  } kCases[] = {{"[shop]", "x", false},
                {"[shop, bank]", "x", true},
                {"[\"*\"]", "$namespaces", true},
                {"[\"*\"]", "a=$namespace", false}};
  for (const auto& c : kCases) {
    const auto sources = ParseSources(
        kFile, std::string("sources: [{name: a, url: \"http://x\", namespaces: ") + c.namespaces +
                   ", parameters: [{name: p, value: \"" + c.parameter + "\"}]}]");
    ASSERT_TRUE(sources.ok()) << sources.error().message;
    EXPECT_EQ(LacksBound(sources->front()), c.lacks) << c.namespaces << c.parameter;
  }
}

TEST(LoadSources, NamesTheFileThatIsNotThere) {
  const auto sources = LoadSources("/nonexistent/sources.yaml");
  ASSERT_FALSE(sources.ok());
  EXPECT_EQ(sources.error().code, Code::kNotFound);
  EXPECT_THAT(sources.error().message, HasSubstr("/nonexistent/sources.yaml"));
}

}  // namespace
}  // namespace ballast::sources
