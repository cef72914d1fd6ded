// The custom and external metrics APIs over the real client: the exact request lines, and what is
// read from the answers.
#include "operator/sources/sources.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>

#include "operator/kube/http/connect.h"
#include "tests/support/channel.h"
#include "tests/support/fake_clock.h"
#include "tests/support/fake_discovery.h"
#include "tests/support/scripted_server.h"

namespace ballast::sources {
namespace {

using support::HttpConnection;
using support::HttpRequest;
using support::HttpServer;
using support::Unescape;
using testing::HasSubstr;

class MetricSourcesTest : public testing::Test {
 protected:
  using Answer = Result<engine::MetricAnswer>;

  Answer Fetch(const api::MetricSpec& metric, const std::string& pods = "") {
    return Await(sources_, {metric, "shop", pods}, {pods_});
  }
  Answer OfPods(const std::string& name, const std::string& pods = "app=web") {
    api::MetricSpec metric;
    metric.pods = {.metric = Metric(name)};
    return Fetch(metric, pods);
  }
  Answer OfObject(const std::string& name, const api::CrossVersionObjectReference& object) {
    api::MetricSpec metric;
    metric.object = {.described_object = object, .metric = Metric(name)};
    return Fetch(metric);
  }
  Answer External(const std::string& name) {
    api::MetricSpec metric;
    metric.external = {.metric = Metric(name)};
    return Fetch(metric);
  }
  api::MetricIdentifier Metric(const std::string& name) const { return {name, selector_}; }
  // Path and query as they stand in the request line.
  std::string Asked() { return targets_.Pop().value_or("nothing"); }

  const engine::PodList pods_;
  std::optional<api::LabelSelector> selector_ =
      api::LabelSelector{.match_labels = {{"queue", "a.b"}}};
  int status_ = 200;
  std::string answer_ = R"({"items":[]})";
  support::Channel<std::string> targets_;
  const HttpServer server_{[this](const HttpRequest& request, HttpConnection& connection) {
    if (const auto discovered = support::DiscoverApps(request.target)) {
      connection.Respond(200, discovered->body);
      return;
    }
    if (request.target == "/apis/custom.metrics.k8s.io") {
      connection.Respond(404, "{}");
      return;
    }
    targets_.Push(request.target);
    connection.Respond(status_, answer_);
  }};
  const std::unique_ptr<kube::Transport> transport_ =
      kube::Connect({.server = server_.url()}).value();
  kube::RestMapper mapper_{*transport_};
  kube::Client client_{*transport_};
  support::FakeClock clock_;
  Sources sources_{client_, *transport_, mapper_, clock_};
};

// Names that users write, and others that they might.
constexpr const char* kNames[] = {
    "http_requests",
    "pubsub.googleapis.com|subscription|num_undelivered_messages",
    "queue depth",
    "a#fragment",
    "a?labelSelector=b",
    "a&b=c",
    "{curly}[square]",
    "größe",
    "日本",
    "a+b:c@d;e,f'g\"h\\i^j`k~l!m$n(o)p*q<r>s",
};

TEST_F(MetricSourcesTest, ANameIsOneSegmentOfThePathWhateverItHolds) {
  const std::string custom = "/apis/custom.metrics.k8s.io/v1beta2/namespaces/shop/";
  const std::string only_selector = "?metricLabelSelector=queue%3Da.b";
  for (const std::string name : kNames) {
    const struct {
      Answer answer;
      std::string path;  // unescaped
      std::string query;
    } cases[] = {
        {OfPods(name), custom + "pods/*/" + name,
         "?labelSelector=app%3Dweb&metricLabelSelector=queue%3Da.b"},
        {OfObject(name, {"apps/v1", "Deployment", "web"}), custom + "deployments.apps/web/" + name,
         only_selector},
        {OfObject(name, {"v1", "Namespace", "shop"}), custom + "metrics/" + name, only_selector},
        {External(name), "/apis/external.metrics.k8s.io/v1beta1/namespaces/shop/" + name,
         "?labelSelector=queue%3Da.b"},
    };
    for (const auto& c : cases) {
      EXPECT_TRUE(c.answer.ok()) << c.answer.error().message;
      const std::string target = Asked();
      const std::string path = target.substr(0, target.find('?'));
      EXPECT_EQ(Unescape(path), c.path);
      EXPECT_EQ(std::count(path.begin(), path.end(), '/'),
                std::count(c.path.begin(), c.path.end(), '/'));
      EXPECT_EQ(target.substr(path.size()), c.query) << name;
    }
  }
}

// Upstream's validation refuses these: a server would resolve them to another path.
TEST_F(MetricSourcesTest, ANameThatIsNoSegmentIsRefused) {
  for (const std::string name : {"", ".", "..", "a/b", "a%2fb"}) {
    for (const Answer& values : {OfPods(name), OfObject(name, {"apps/v1", "Deployment", "web"}),
                                 OfObject(name, {"v1", "Namespace", "shop"}), External(name)}) {
      ASSERT_FALSE(values.ok()) << name;
      EXPECT_EQ(values.error().code, Code::kInvalid);
      EXPECT_THAT(values.error().message, HasSubstr("\"" + name + "\" cannot be a name"));
    }
  }
  EXPECT_TRUE(targets_.empty());
}

TEST_F(MetricSourcesTest, WithoutASelectorEverythingIsMeant) {
  selector_.reset();
  EXPECT_TRUE(External("depth").ok());
  EXPECT_EQ(Asked(), "/apis/external.metrics.k8s.io/v1beta1/namespaces/shop/depth");
  EXPECT_TRUE(OfPods("depth", "").ok());
  EXPECT_EQ(Asked(), "/apis/custom.metrics.k8s.io/v1beta2/namespaces/shop/pods/%2A/depth");
}

TEST_F(MetricSourcesTest, ReadsValues) {
  answer_ = R"({"items":[{"value":"1500m","timestamp":"2026-01-01T00:00:00Z"},{"value":"2"}]})";
  const Answer answer = External("depth");
  ASSERT_TRUE(answer.ok()) << answer.error().message;
  const auto* values = std::get_if<engine::MetricValueList>(&*answer);
  ASSERT_NE(values, nullptr);
  ASSERT_EQ(values->size(), 2U);
  EXPECT_EQ(values->at(0).value.MilliValue(), 1500);
  EXPECT_EQ(values->at(1).value.MilliValue(), 2000);
}

TEST_F(MetricSourcesTest, SaysWhatWentWrong) {
  const struct {
    int status;
    const char* answer;
    Code code;
    const char* message;
  } cases[] = {
      {404, R"({"kind":"Status","reason":"NotFound","message":"no such metric"})", Code::kNotFound,
       "no such metric"},
      {503, "no healthy upstream", Code::kUnavailable, "no healthy upstream"},
      {200, "<html>", Code::kInvalid, ""},
      {200, "{}", Code::kInvalid, "items"},
      {200, R"({"items":[{"value":"many"}]})", Code::kInvalid, "items[0].value"},
  };
  for (const auto& c : cases) {
    status_ = c.status;
    answer_ = c.answer;
    // An equal request would get the answer of the first.
    const Answer values = External("depth-" + std::to_string(&c - cases));
    ASSERT_FALSE(values.ok()) << c.answer;
    EXPECT_EQ(values.error().code, c.code) << values.error().message;
    EXPECT_THAT(values.error().message, HasSubstr(c.message));
  }
}

// The connection to the API server takes more, for lists.
TEST_F(MetricSourcesTest, AnAnswerThatIsTooLargeIsNotRead) {
  const std::string large = R"({"items":[]})" + std::string(4 * 1024 * 1024, ' ');
  std::string many = R"({"items":[)";
  for (int i = 0; i < 100'000; ++i) {
    many += R"({"a":1},)";
  }
  many.back() = ']';
  many += '}';
  const struct {
    std::string answer;
    const char* message;
  } kCases[] = {{large, "larger than 4194304 bytes; let a selector of the metric choose fewer"},
                {many, "more than 250000 values and names; let a selector of the metric choose"}};
  for (const auto& c : kCases) {
    answer_ = c.answer;
    const Answer values = External("depth-" + std::to_string(&c - kCases));
    ASSERT_FALSE(values.ok());
    EXPECT_EQ(values.error().code, Code::kCorrupt);
    EXPECT_THAT(values.error().message, HasSubstr(c.message));
  }
}

TEST_F(MetricSourcesTest, AMetricWithoutASourceIsNotAskedFor) {
  const Answer answer = Fetch({});
  ASSERT_FALSE(answer.ok());
  EXPECT_EQ(answer.error().code, Code::kInvalid);
}

TEST_F(MetricSourcesTest, AnObjectOfAnUnknownKindIsNotAskedFor) {
  const Answer values = OfObject("depth", {"apps/v1", "Gateway", "web"});
  ASSERT_FALSE(values.ok());
  EXPECT_THAT(values.error().message, HasSubstr("Gateway"));
  EXPECT_TRUE(targets_.empty());
}

}  // namespace
}  // namespace ballast::sources
