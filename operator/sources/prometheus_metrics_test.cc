// Queries to an HTTP server over the real client: what is sent, with which credentials, and what
// becomes of the answers.
#include "operator/sources/prometheus_metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "operator/sources/testing/main_source.h"
#include "operator/telemetry/registry.h"
#include "tests/support/certificate_authority.h"
#include "tests/support/channel.h"
#include "tests/support/fake_clock.h"
#include "tests/support/scripted_server.h"
#include "tests/support/temp_dir.h"

namespace ballast::sources {
namespace {

using support::HttpConnection;
using support::HttpRequest;
using support::HttpServer;
using testing::HasSubstr;
using testing::Not;

class PrometheusMetricsTest : public testing::Test {
 protected:
  using Answer = Result<engine::MetricAnswer>;

  PrometheusSource Main() const { return MainSource(server_.url() + "/prefix"); }
  PrometheusMetrics& Use(const PrometheusSource& source) {
    prometheus_ = std::make_unique<PrometheusMetrics>(PrometheusOptions{.sources = {source}},
                                                      clock_, SourceMetrics(registry_));
    return *prometheus_;
  }
  Answer Ask(const std::string& query, const std::string& namespace_ = "shop",
             const std::string& target = "web", const std::string& source = "main") {
    api::MetricSpec metric;
    metric.type = "Prometheus";
    metric.prometheus = {.source = source, .query = query};
    const std::string selector;
    return Await(
        *prometheus_,
        {.metric = metric, .namespace_ = namespace_, .selector = selector, .target = target},
        {pods_});
  }
  HttpRequest Asked() { return requests_.Pop().value_or(HttpRequest()); }

  const engine::PodList pods_;
  telemetry::Registry registry_;
  support::FakeClock clock_;
  support::TempDir files_;
  int status_ = 200;
  std::string body_ = kThree;
  support::Channel<HttpRequest> requests_;
  const HttpServer server_{[this](const HttpRequest& request, HttpConnection& connection) {
    requests_.Push(request);
    connection.Respond(status_, body_);
  }};
  std::unique_ptr<PrometheusMetrics> prometheus_;
};

TEST_F(PrometheusMetricsTest, SendsTheQueryWithItsVariables) {
  Use(Main());
  const Answer answer = Ask(R"(sum(q{n="$namespace",d="$target"}))", "shop", R"(x"} or y{a="b)");
  ASSERT_TRUE(answer.ok()) << answer.error().message;
  const auto* values = std::get_if<engine::MetricValueList>(&*answer);
  ASSERT_NE(values, nullptr);
  ASSERT_EQ(values->size(), 1U);
  EXPECT_EQ(values->front().value.MilliValue(), 3000);
  const HttpRequest asked = Asked();
  EXPECT_EQ(asked.method, "GET");
  EXPECT_EQ(
      asked.target,
      "/prefix/api/v1/query?timeout=540000ms&query=sum%28q%7Bn%3D%22shop%22%2Cd%3D%22x%5C%22%7D%20"
      "or%20y%7Ba%3D%5C%22b%22%7D%29");
  EXPECT_EQ(asked.headers.count("authorization"), 0U);
}

TEST_F(PrometheusMetricsTest, AParameterOfTheSourceNamesTheNamespace) {
  PrometheusSource source = Main();
  source.namespaces = {{"*"}};
  source.parameters = {{"extra_label", "namespace=$namespace"}, {"dedup", "$namespaces"}};
  Use(source);
  // Equal queries of two namespaces are two.
  ASSERT_TRUE(Ask("sum(up)", "shop").ok());
  EXPECT_THAT(Asked().target,
              HasSubstr("?extra_label=namespace%3Dshop&dedup=%24namespaces&timeout=540000ms&"));
  ASSERT_TRUE(Ask("sum(up)&extra_label=namespace%3Dshop", "bank").ok());
  EXPECT_THAT(
      Asked().target,
      testing::EndsWith("?extra_label=namespace%3Dbank&dedup=%24namespaces&timeout=540000ms&query="
                        "sum%28up%29%26extra_label%3Dnamespace%253Dshop"));
  ASSERT_TRUE(Ask("sum(up)", "bank").ok());
  EXPECT_THAT(Asked().target, HasSubstr("namespace%3Dbank"));
}

TEST_F(PrometheusMetricsTest, AProxyLeadsToTheSource) {
  PrometheusSource source = Main();
  source.connection.server = "http://prometheus.test/prefix";
  source.connection.proxy_url = server_.url();
  Use(source);
  const Answer answer = Ask("up");
  ASSERT_TRUE(answer.ok()) << answer.error().message;
  const HttpRequest asked = Asked();
  EXPECT_THAT(asked.target, testing::StartsWith("http://prometheus.test:80/prefix/api/v1/query?"));
  EXPECT_EQ(asked.headers.at("host"), "prometheus.test");
}

TEST_F(PrometheusMetricsTest, CredentialsAreReadAgainForEachQuery) {
  PrometheusSource source = Main();
  source.headers = {{"X-Scope-OrgID", {.text = "team"}},
                    {"X-Key", {.file = files_.Write("key", "k1\n")}}};
  source.bearer_token.file = files_.Write("token", "t1\n");
  Use(source);
  ASSERT_TRUE(Ask("a").ok());
  HttpRequest asked = Asked();
  EXPECT_EQ(asked.headers.at("x-scope-orgid"), "team");
  EXPECT_EQ(asked.headers.at("x-key"), "k1");
  EXPECT_EQ(asked.headers.at("authorization"), "Bearer t1");

  files_.Write("key", "k2");
  files_.Write("token", "t2");
  ASSERT_TRUE(Ask("b").ok());
  asked = Asked();
  EXPECT_EQ(asked.headers.at("x-key"), "k2");
  EXPECT_EQ(asked.headers.at("authorization"), "Bearer t2");

  source = Main();
  source.username = "robot";
  source.password.file = files_.Write("password", "open sesame");
  Use(source);
  ASSERT_TRUE(Ask("c").ok());
  EXPECT_EQ(Asked().headers.at("authorization"), "Basic cm9ib3Q6b3BlbiBzZXNhbWU=");
}

TEST_F(PrometheusMetricsTest, ACredentialThatCannotBeSentFailsTheQueryAndIsNotShown) {
  const struct {
    std::string content;
    const char* message;
  } kCases[] = {{"secret\r\nX-Evil: 1", "has a line break"}, {"\n", "is empty"}};
  for (const auto& c : kCases) {
    PrometheusSource source = Main();
    source.bearer_token.file = files_.Write("token", c.content);
    Use(source);
    const Answer answer = Ask("a");
    ASSERT_FALSE(answer.ok());
    EXPECT_THAT(answer.error().message, testing::StartsWith("bearerTokenFile: " + files_.path()));
    EXPECT_THAT(answer.error().message, HasSubstr(c.message));
    EXPECT_THAT(answer.error().message, Not(HasSubstr("secret")));
    EXPECT_THAT(registry_.Print(), HasSubstr("ballast_metric_source_up{source=\"main\"} 0"));
  }
  PrometheusSource source = Main();
  source.headers = {{"X-Key", {.file = files_.path() + "/none"}}};
  Use(source);
  EXPECT_THAT(Ask("a").error().message, HasSubstr("header X-Key: "));
  EXPECT_TRUE(requests_.empty());
  EXPECT_THAT(registry_.Print(), Not(HasSubstr("last_answer_timestamp_seconds{")));
}

TEST_F(PrometheusMetricsTest, ASourceIsOnlyForItsNamespaces) {
  Use(Main());
  const Answer answer = Ask("a", "bank");
  ASSERT_FALSE(answer.ok());
  EXPECT_EQ(answer.error().code, Code::kNotFound);
  EXPECT_EQ(answer.error().message,
            "the installation defines no source \"main\" for namespace bank");
  EXPECT_TRUE(requests_.empty());
}

TEST_F(PrometheusMetricsTest, SaysWhatWentWrongAndWhetherTheSourceIsUp) {
  PrometheusSource source = Main();
  source.max_answer_bytes = 1024;
  const struct {
    int status;
    std::string body;
    Code code;
    const char* message;
    bool up;
  } kCases[] = {
      {400, R"({"status":"error","errorType":"bad_data","error":"1:5: parse error: \"x\""})",
       Code::kInvalid, "HTTP 400: 1:5: parse error: \"x\"", true},
      {503, R"({"status":"error","errorType":"timeout","error":"query timed out"})",
       Code::kUnavailable, "HTTP 503: query timed out", true},
      {503, R"({"status":"error","errorType":"timeout","error":"query timed out in query queue"})",
       Code::kUnavailable, "HTTP 503: query timed out in query queue", false},
      {503, R"({"status":"error","errorType":"unavailable","error":"no service"})",
       Code::kUnavailable, "HTTP 503: no service", false},
      {504, "<html>a proxy</html>", Code::kTimeout, "HTTP 504", false},
      {401, "who are you?", Code::kUnauthorized, "HTTP 401: who are you?", false},
      {400, "<html>a proxy</html>", Code::kInvalid, "HTTP 400: <html>", false},
      {404, "no such page", Code::kNotFound, "HTTP 404", false},
      {302, "", Code::kUnavailable, "HTTP 302", false},
      {200, "<html>", Code::kCorrupt, "cannot be read", false},
      {200, std::string(2000, ' '), Code::kCorrupt,
       "larger than 1024 bytes; let the query aggregate its result", false},
      {200, R"({"status":"success","data":{"resultType":"vector","result":[]}})", Code::kNotFound,
       "the query has no result", true},
  };
  for (const auto& c : kCases) {
    Use(source);
    status_ = c.status;
    body_ = c.body;
    const Answer answer = Ask("a");
    ASSERT_FALSE(answer.ok()) << c.body;
    EXPECT_EQ(answer.error().code, c.code) << answer.error().message;
    EXPECT_THAT(answer.error().message, HasSubstr(c.message));
    EXPECT_THAT(registry_.Print(), HasSubstr(std::string("ballast_metric_source_up{source=\"main\""
                                                         "} ") +
                                             (c.up ? "1" : "0")))
        << c.message;
  }
  EXPECT_THAT(registry_.Print(),
              HasSubstr("ballast_metric_source_queries_total{source=\"main\",result=\"Invalid\"}"));
}

// Each of these queries is another, and none is answered.
TEST_F(PrometheusMetricsTest, ASourceThatCannotBeReachedIsAskedFiveTimes) {
  std::atomic<int> asked = 0;
  const HttpServer breaking([&](const HttpRequest&, HttpConnection& connection) {
    ++asked;
    connection.Break();
  });
  std::string closed;
  {
    const HttpServer gone([](const HttpRequest&, HttpConnection&) {});
    closed = gone.url();
  }
  for (const std::string& url : {breaking.url(), closed}) {
    PrometheusSource source = Main();
    source.name = url == closed ? "closed" : "main";
    source.connection.server = url;
    Use(source);
    std::string last;
    for (int i = 0; i < 50; ++i) {
      const Answer answer = Ask("q" + std::to_string(i), "shop", "web", source.name);
      ASSERT_FALSE(answer.ok());
      EXPECT_EQ(answer.error().code, Code::kUnavailable) << answer.error().message;
      last = answer.error().message;
    }
    EXPECT_THAT(last, HasSubstr("not asked, because prometheus/" + source.name +
                                " has not answered namespace shop since 20"));
    EXPECT_THAT(registry_.Print(), HasSubstr("ballast_metric_source_queries_total{source=\"" +
                                             source.name + "\",result=\"Unavailable\"} 5"));
  }
  EXPECT_EQ(asked, 5) << "each of them once";
}

// It is slow, but it is there, and others of its queries may be quicker.
TEST_F(PrometheusMetricsTest, ATimeoutThatTheSourceAnswersIsAnAnswer) {
  status_ = 504;
  body_ = R"({"status":"error","errorType":"timeout","error":"query timed out"})";
  Use(Main());
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(Ask("q" + std::to_string(i)).error().code, Code::kTimeout);
    EXPECT_TRUE(requests_.Pop());
  }
  EXPECT_EQ(prometheus_->DebugState().front().open, std::chrono::seconds(0));
}

// Some servers and proxies repeat what they were sent.
TEST_F(PrometheusMetricsTest, NoCredentialIsShownFromAnAnswer) {
  PrometheusSource source = Main();
  source.headers = {{"X-Key", {.file = files_.Write("key", "k-sesame\n")}}};
  source.username = "robot";
  source.password.file = files_.Write("password", "open sesame");
  const std::string echo = "k-sesame Basic cm9ib3Q6b3BlbiBzZXNhbWU= robot:open sesame";
  const struct {
    int status;
    std::string body;
  } kCases[] = {
      {401, echo},
      // The beginning of the body is shown; the credential must not be cut before it is known.
      {400, std::string(190, '.') + echo},
      {400, R"({"status":"error","error":")" + echo + R"("})"},
      {200, R"({"status":"error","error":")" + echo + R"("})"},
  };
  for (const auto& c : kCases) {
    Use(source);
    status_ = c.status;
    body_ = c.body;
    const Answer answer = Ask("a");
    ASSERT_FALSE(answer.ok());
    EXPECT_THAT(answer.error().message, HasSubstr("(a cred"));
    for (const char* secret : {"k-sesame", "cm9ib3", "open sesame"}) {
      EXPECT_THAT(answer.error().message, Not(HasSubstr(secret))) << c.body;
    }
  }
}

TEST_F(PrometheusMetricsTest, EqualQueriesAreOneAndOthersAreBounded) {
  std::mutex mutex;
  std::condition_variable changed;
  int in_flight = 0;
  int most = 0;
  int all = 0;
  bool open = false;
  const HttpServer slow([&](const HttpRequest&, HttpConnection& connection) {
    {
      std::unique_lock lock(mutex);
      ++all;
      most = std::max(most, ++in_flight);
      changed.notify_all();
      changed.wait(lock, [&] { return open; });
      --in_flight;
    }
    connection.Respond(200, kThree);
  });
  PrometheusSource source = Main();
  source.connection.server = slow.url();
  source.max_in_flight = 2;
  Use(source);
  std::vector<api::MetricSpec> metrics(40);
  const std::string namespace_ = "shop";
  const std::string selector;
  std::promise<void> done;
  int waiting = 0;
  for (std::size_t i = 0; i < metrics.size(); ++i) {
    metrics[i].prometheus = {.source = "main", .query = "q" + std::to_string(i % 4)};
    const auto answered = [&](const PodsAnswer&) {
      const std::lock_guard lock(mutex);
      if (--waiting == 0) {
        done.set_value();
      }
    };
    {
      const std::lock_guard lock(mutex);
      ++waiting;
    }
    prometheus_->Start({.metric = metrics[i], .namespace_ = namespace_, .selector = selector},
                       answered);
  }
  {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return in_flight == 2; });
    open = true;
    changed.notify_all();
  }
  done.get_future().wait();
  const std::lock_guard lock(mutex);
  EXPECT_EQ(most, 2);
  EXPECT_EQ(all, 4);
}

TEST_F(PrometheusMetricsTest, ASilentSourceFailsAfterItsTimeout) {
  const HttpServer silent(
      [](const HttpRequest&, HttpConnection& connection) { connection.AwaitClose(); });
  PrometheusSource source = Main();
  source.connection.server = silent.url();
  source.timeout = std::chrono::seconds(1);
  Use(source);
  const Answer answer = Ask("a");
  ASSERT_FALSE(answer.ok());
  EXPECT_EQ(answer.error().code, Code::kTimeout) << answer.error().message;
}

TEST_F(PrometheusMetricsTest, AHungSourceDelaysOnlyItsUsers) {
  support::Channel<std::string> silenced;
  const HttpServer silent([&](const HttpRequest& request, HttpConnection& connection) {
    silenced.Push(request.target);
    connection.AwaitClose();
  });
  PrometheusSource hung = Main();
  hung.name = "hung";
  hung.connection.server = silent.url();
  std::stop_source stop;
  prometheus_ = std::make_unique<PrometheusMetrics>(
      PrometheusOptions{.sources = {hung, Main()}, .stop = stop.get_token()}, clock_);
  const std::string namespace_ = "shop";
  const std::string selector;
  std::atomic<int> answered = 0;
  for (int i = 0; i < 50; ++i) {
    api::MetricSpec metric;
    metric.prometheus = {.source = "hung", .query = "q" + std::to_string(i)};
    prometheus_->Start({.metric = metric, .namespace_ = namespace_, .selector = selector},
                       [&](const PodsAnswer&) { ++answered; });
  }
  for (std::size_t i = 0; i < hung.max_in_flight; ++i) {
    EXPECT_TRUE(silenced.Pop());
  }
  for (const char* query : {"a", "b", "c"}) {
    EXPECT_TRUE(Ask(query).ok());
  }
  EXPECT_EQ(answered, 0);
  stop.request_stop();
  prometheus_.reset();
}

// Wherever that leads: the credentials are for this server alone.
TEST_F(PrometheusMetricsTest, DoesNotFollowARedirect) {
  for (const int status : {301, 302, 303, 307, 308}) {
    const HttpServer elsewhere([&](const HttpRequest& request, HttpConnection& connection) {
      requests_.Push(request);
      connection.Respond(200, kThree);
    });
    const HttpServer redirecting([&](const HttpRequest&, HttpConnection& connection) {
      connection.Respond(status, "", "Location: " + elsewhere.url() + "/api/v1/query\r\n");
    });
    PrometheusSource source = Main();
    source.connection.server = redirecting.url();
    Use(source);
    const Answer answer = Ask("a");
    ASSERT_FALSE(answer.ok());
    EXPECT_THAT(answer.error().message, HasSubstr("HTTP " + std::to_string(status)));
    EXPECT_TRUE(requests_.empty());
  }
}

TEST_F(PrometheusMetricsTest, TrustsOnlyItsAuthorityAndShowsItsCertificate) {
  const support::CertificateAuthority authority("prometheus-ca");
  const support::CertificateAuthority stranger("stranger");
  const support::KeyPair robot = authority.Issue("robot");
  std::string client;
  const HttpServer secure(
      [&](const HttpRequest& request, HttpConnection& connection) {
        client = request.client;
        connection.Respond(200, kThree);
      },
      support::HttpServerTls{.identity = authority.Issue("server", {"IP:127.0.0.1"}),
                             .client_ca = authority.certificate()});
  PrometheusSource source = Main();
  source.connection.server = secure.url();
  source.connection.ca.file = files_.Write("ca.crt", authority.certificate());
  source.connection.client_certificate.file = files_.Write("tls.crt", robot.certificate);
  source.connection.client_key.file = files_.Write("tls.key", robot.key);
  Use(source);
  const Answer answer = Ask("a");
  ASSERT_TRUE(answer.ok()) << answer.error().message;
  EXPECT_EQ(client, "/CN=robot");

  source.connection.ca.file = files_.Write("ca.crt", stranger.certificate());
  Use(source);
  EXPECT_FALSE(Ask("a").ok());

  source.connection.ca.file = files_.path() + "/none";
  Use(source);
  EXPECT_THAT(Ask("a").error().message, HasSubstr(files_.path() + "/none"));
}

}  // namespace
}  // namespace ballast::sources
