// Queries to sources in clouds, over the real client: stand-ins for the identity services, and for
// sources that check what comes with each query.
#include "operator/sources/cloud/cloud_credentials.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "operator/sources/cloud/aws_signature.h"
#include "operator/sources/prometheus_metrics.h"
#include "operator/sources/testing/main_source.h"
#include "tests/support/channel.h"
#include "tests/support/fake_clock.h"
#include "tests/support/scripted_server.h"
#include "tests/support/temp_dir.h"

namespace ballast::sources {
namespace {

using support::HttpConnection;
using support::HttpRequest;
using support::HttpServer;
using support::Unescape;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr std::chrono::seconds kHour{3600};

// The names and values of a query or a form.
std::vector<std::pair<std::string, std::string>> Pairs(const std::string& text) {
  std::vector<std::pair<std::string, std::string>> pairs;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('&', begin), text.size());
    const std::string pair = text.substr(begin, end - begin);
    const std::size_t equals = pair.find('=');
    pairs.emplace_back(Unescape(pair.substr(0, equals)), Unescape(pair.substr(equals + 1)));
    begin = end + 1;
  }
  return pairs;
}

class CloudCredentialsTest : public testing::Test {
 protected:
  using Answer = Result<engine::MetricAnswer>;

  void Use(const CloudLogin& login) {
    PrometheusSource source = MainSource(server_.url() + "/workspaces/ws-1");
    source.cloud = login;
    prometheus_ = std::make_unique<PrometheusMetrics>(PrometheusOptions{.sources = {source}},
                                                      clock_, SourceMetrics());
  }
  // Each query is another, so that none is answered by an earlier one's answer.
  Answer Ask() {
    api::MetricSpec metric;
    metric.type = "Prometheus";
    metric.prometheus = {.source = "main",
                         .query = "sum(up{a=\"b c\"}) + " + std::to_string(asked_++)};
    const std::string selector;
    const std::string namespace_ = "shop";
    return Await(*prometheus_, {.metric = metric, .namespace_ = namespace_, .selector = selector},
                 {pods_});
  }
  kube::Material File(const std::string& name, const std::string& text) {
    return {.file = files_.Write(name, text)};
  }
  HttpRequest Query() { return queries_.Pop().value_or(HttpRequest()); }
  HttpRequest Identity() { return identities_.Pop().value_or(HttpRequest()); }

  // What the server must have got with these keys, as it can tell from what it got.
  std::string Signature(const HttpRequest& got, const AwsKeys& keys) const {
    const std::size_t mark = got.target.find('?');
    const kube::Request request{.path = got.target.substr(0, mark),
                                .query = Pairs(got.target.substr(mark + 1))};
    const auto host = kube::ParseEndpoint("http://" + got.headers.at("host"));
    const auto made = AwsHeaders(*host, request, keys, {"eu-west-1", "aps"}, clock_.Now());
    return std::map<std::string, std::string>(made.begin(), made.end()).at("authorization");
  }

  const engine::PodList pods_;
  support::FakeClock clock_;
  support::TempDir files_;
  int asked_ = 0;
  support::Channel<HttpRequest> queries_;
  support::Channel<HttpRequest> identities_;
  int identity_status_ = 200;
  std::string identity_;
  const HttpServer server_{[this](const HttpRequest& request, HttpConnection& connection) {
    queries_.Push(request);
    connection.Respond(200, kThree);
  }};
  const HttpServer identity_service_{
      [this](const HttpRequest& request, HttpConnection& connection) {
        identities_.Push(request);
        connection.Respond(identity_status_, identity_);
      }};
  std::unique_ptr<PrometheusMetrics> prometheus_;
};

TEST_F(CloudCredentialsTest, AwsGetsASignatureOfWhatIsSent) {
  Use(AwsLogin{.region = "eu-west-1",
               .keys = AwsKeyFiles{.access_key_id = File("id", "AKID\n"),
                                   .secret_access_key = File("secret", "s3cret\n")}});
  ASSERT_TRUE(Ask().ok());
  HttpRequest got = Query();
  EXPECT_EQ(got.headers.at("authorization"), Signature(got, {"AKID", "s3cret", ""}));
  EXPECT_FALSE(got.headers.contains("x-amz-security-token"));

  files_.Write("secret", "another");
  ASSERT_TRUE(Ask().ok());
  got = Query();
  EXPECT_EQ(got.headers.at("authorization"), Signature(got, {"AKID", "another", ""}))
      << "files are read for each query";
}

TEST_F(CloudCredentialsTest, AwsGivesARoleForAWhile) {
  Use(AwsLogin{.region = "eu-west-1",
               .keys = AwsRole{.arn = "arn:aws:iam::1:role/ballast",
                               .web_identity_token = File("token", "jwt-1\n"),
                               .sts_url = identity_service_.url()}});
  const auto give = [&](const std::string& number, std::int64_t end) {
    identity_ =
        R"({"AssumeRoleWithWebIdentityResponse":{"AssumeRoleWithWebIdentityResult":{"Credentials":{)"
        R"("AccessKeyId":"id)" +
        number + R"(","SecretAccessKey":"key)" + number + R"(","SessionToken":"session)" + number +
        R"(","Expiration":)" + std::to_string(end) + ".0}}}}";
  };
  const std::int64_t now = clock_.Now().unix_seconds();
  give("1", now + kHour.count());
  ASSERT_TRUE(Ask().ok());
  const HttpRequest asked = Identity();
  EXPECT_EQ(asked.method, "GET");
  EXPECT_EQ(asked.headers.at("accept"), "application/json");
  EXPECT_THAT(Pairs(asked.target.substr(2)),
              testing::UnorderedElementsAre(std::pair("Action", "AssumeRoleWithWebIdentity"),
                                            std::pair("Version", "2011-06-15"),
                                            std::pair("RoleArn", "arn:aws:iam::1:role/ballast"),
                                            std::pair("RoleSessionName", "ballast"),
                                            std::pair("WebIdentityToken", "jwt-1")));
  HttpRequest got = Query();
  EXPECT_EQ(got.headers.at("authorization"), Signature(got, {"id1", "key1", "session1"}));
  EXPECT_EQ(got.headers.at("x-amz-security-token"), "session1");

  // Not asked for again; but shortly before the end, with the token as it is then.
  clock_.Advance(kHour / 2);
  ASSERT_TRUE(Ask().ok());
  Query();
  files_.Write("token", "jwt-2");
  give("2", now + 2 * kHour.count());
  clock_.Advance(kHour / 2 - std::chrono::seconds(299));
  ASSERT_TRUE(Ask().ok());
  got = Query();
  EXPECT_EQ(got.headers.at("authorization"), Signature(got, {"id2", "key2", "session2"}));
  EXPECT_THAT(Identity().target, HasSubstr("WebIdentityToken=jwt-2")) << "the second request";

  // While none is given, the present one counts until its end. No error has a credential.
  identity_status_ = 403;
  identity_ = R"({"Error":{"Message":"jwt-2 is not for this role"}})";
  clock_.Advance(kHour - std::chrono::seconds(10));
  ASSERT_TRUE(Ask().ok());
  got = Query();
  EXPECT_EQ(got.headers.at("x-amz-security-token"), "session2");
  clock_.Advance(kHour);
  const Answer none = Ask();
  ASSERT_FALSE(none.ok());
  EXPECT_EQ(none.error().code, Code::kUnavailable);
  EXPECT_THAT(none.error().message,
              AllOf(HasSubstr("gave no credential: "), HasSubstr("403"), Not(HasSubstr("jwt-2"))));
}

// What the agent of EKS Pod Identity answers.
std::string AgentsKeys(const std::string& number, Time end) {
  return R"({"AccessKeyId":"id)" + number + R"(","SecretAccessKey":"key)" + number +
         R"(","Token":"session)" + number + R"(","AccountId":"1","Expiration":")" + Print(end) +
         R"("})";
}

TEST_F(CloudCredentialsTest, AwsGivesTheRoleOfThePodsIdentity) {
  Use(AwsLogin{
      .region = "eu-west-1",
      .keys = AwsPodIdentity{.credentials_url = identity_service_.url() + "/v1/credentials",
                             .token = File("token", "jwt-1\n")}});
  const Time begin = clock_.Now();
  identity_ = AgentsKeys("1", begin + Duration::Seconds(3600));
  ASSERT_TRUE(Ask().ok());
  const HttpRequest asked = Identity();
  EXPECT_EQ(asked.method, "GET");
  EXPECT_EQ(asked.target, "/v1/credentials");
  EXPECT_EQ(asked.headers.at("authorization"), "jwt-1") << "as it is in the file";
  HttpRequest got = Query();
  EXPECT_EQ(got.headers.at("authorization"), Signature(got, {"id1", "key1", "session1"}));
  EXPECT_EQ(got.headers.at("x-amz-security-token"), "session1");

  // Shortly before the end, with the token as it is then: kubelet has written another one.
  files_.Write("token", "jwt-2");
  clock_.Advance(kHour - std::chrono::seconds(299));
  identity_ = AgentsKeys("2", begin + Duration::Seconds(7200));
  ASSERT_TRUE(Ask().ok());
  EXPECT_EQ(Identity().headers.at("authorization"), "jwt-2") << "the second request";
  got = Query();
  EXPECT_EQ(got.headers.at("authorization"), Signature(got, {"id2", "key2", "session2"}));

  // The pod's identity was taken away: no error has a credential.
  identity_status_ = 400;
  identity_ = R"({"message":"jwt-2 has no association"})";
  clock_.Advance(2 * kHour);
  const Answer none = Ask();
  ASSERT_FALSE(none.ok());
  EXPECT_EQ(none.error().code, Code::kUnavailable);
  EXPECT_THAT(none.error().message, AllOf(HasSubstr("/v1/credentials gave no credential: "),
                                          HasSubstr("400"), Not(HasSubstr("jwt-2"))));
}

// EKS tells each pod in its environment where the agent is, which differs with IPv6.
TEST_F(CloudCredentialsTest, AwsTellsThePodWhereItsIdentityIs) {
  const std::string token = files_.Write("token", "jwt-1");
  const std::string here = identity_service_.url() + "/v1/credentials";
  const struct {
    const char* name;
    std::string url;
    std::string token;
    std::string message;  // empty: it is asked
  } kCases[] = {
      {"both", here, token, ""},
      {"no agent", "", token, "EKS has not set AWS_CONTAINER_CREDENTIALS_FULL_URI: the pod's"},
      {"no token", here, "", "EKS has not set AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: the pod's"},
      {"elsewhere", "http://example.com/v1/credentials", token,
       "AWS_CONTAINER_CREDENTIALS_FULL_URI: must be https://, or the agent's address"},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    setenv("AWS_CONTAINER_CREDENTIALS_FULL_URI", c.url.c_str(), 1);
    setenv("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE", c.token.c_str(), 1);
    identity_ = AgentsKeys("1", clock_.Now() + Duration::Seconds(3600));
    Use(AwsLogin{.region = "eu-west-1", .keys = AwsPodIdentity()});
    const Answer answer = Ask();
    if (c.message.empty()) {
      ASSERT_TRUE(answer.ok()) << answer.error().message;
      EXPECT_EQ(Identity().headers.at("authorization"), "jwt-1");
    } else {
      ASSERT_FALSE(answer.ok());
      EXPECT_THAT(answer.error().message, HasSubstr(c.message));
    }
  }
  unsetenv("AWS_CONTAINER_CREDENTIALS_FULL_URI");
  unsetenv("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE");
}

TEST_F(CloudCredentialsTest, GoogleGivesTheTokenOfThePodsAccount) {
  Use(GoogleLogin{.metadata_url = identity_service_.url()});
  identity_ = R"({"access_token":"ya29.1","expires_in":3599,"token_type":"Bearer"})";
  ASSERT_TRUE(Ask().ok());
  const HttpRequest asked = Identity();
  EXPECT_EQ(asked.target, "/computeMetadata/v1/instance/service-accounts/default/token");
  EXPECT_EQ(asked.headers.at("metadata-flavor"), "Google");
  EXPECT_EQ(Query().headers.at("authorization"), "Bearer ya29.1");
  identity_ = R"({"access_token":"ya29.2","expires_in":3599,"token_type":"Bearer"})";
  ASSERT_TRUE(Ask().ok());
  EXPECT_EQ(Query().headers.at("authorization"), "Bearer ya29.1");
  clock_.Advance(kHour);
  ASSERT_TRUE(Ask().ok());
  EXPECT_EQ(Query().headers.at("authorization"), "Bearer ya29.2");
}

TEST_F(CloudCredentialsTest, AzureGivesATokenForTheWorkloads) {
  Use(AzureLogin{.tenant_id = "tenant",
                 .client_id = "client",
                 .workload_token = File("token", "jwt\n"),
                 .authority_url = identity_service_.url()});
  identity_ = R"({"token_type":"Bearer","expires_in":3599,"access_token":"eyJ0"})";
  ASSERT_TRUE(Ask().ok());
  const HttpRequest asked = Identity();
  EXPECT_EQ(asked.method, "POST");
  EXPECT_EQ(asked.target, "/tenant/oauth2/v2.0/token");
  EXPECT_EQ(asked.headers.at("content-type"), "application/x-www-form-urlencoded");
  EXPECT_THAT(Pairs(asked.body),
              testing::UnorderedElementsAre(
                  std::pair("grant_type", "client_credentials"), std::pair("client_id", "client"),
                  std::pair("scope", "https://prometheus.monitor.azure.com/.default"),
                  std::pair("client_assertion_type",
                            "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"),
                  std::pair("client_assertion", "jwt")));
  EXPECT_EQ(Query().headers.at("authorization"), "Bearer eyJ0");
}

TEST_F(CloudCredentialsTest, WhatIsNoCredentialFailsTheQuery) {
  const struct {
    const char* answer;
    const char* message;
  } kCases[] = {{"<html>", "its answer is no JSON"},
                {R"({"access_token":"t"})", "its answer cannot be read: expires_in"},
                {R"({"access_token":"t","expires_in":0})", "has ended already"}};
  for (const auto& c : kCases) {
    identity_ = c.answer;
    Use(GoogleLogin{.metadata_url = identity_service_.url()});
    const Answer none = Ask();
    ASSERT_FALSE(none.ok()) << c.answer;
    EXPECT_EQ(none.error().code, Code::kUnavailable);
    EXPECT_THAT(none.error().message, HasSubstr(c.message));
  }
  Use(AwsLogin{.region = "eu-west-1",
               .keys = AwsKeyFiles{.access_key_id = {.file = "/nonexistent"}}});
  EXPECT_THAT(Ask().error().message, HasSubstr("/nonexistent"));
}

}  // namespace
}  // namespace ballast::sources
