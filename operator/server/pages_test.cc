// The pages over HTTP, as kubelets and Prometheus request them.
#include "operator/server/pages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/http_client.h"

namespace ballast::server {
namespace {

using testing::HasSubstr;

class PagesTest : public testing::Test {
 protected:
  Health health_;
  telemetry::Registry registry_;
  CollectDebugState look_ = [] { return DebugState{.queue = {.delayed = 7}}; };
  std::unique_ptr<net::HttpServer> server_ =
      net::HttpServer::Start("127.0.0.1:0", Pages(health_, registry_, look_), {}).value();
  support::HttpClient client_{server_->address()};
};

TEST_F(PagesTest, ServesHealth) {
  health_.AddReady("watches", [] { return Status(Error{Code::kUnavailable, "no list yet"}); });
  EXPECT_EQ(client_.Get("/livez")->status, 200);
  const auto ready = client_.Get("/readyz?verbose");
  EXPECT_EQ(ready->status, 503);
  EXPECT_EQ(ready->body, "[-]watches failed: no list yet\nreadyz check failed\n");
}

TEST_F(PagesTest, ServesMetrics) {
  registry_.Counters("a_total", "b").With({}).Add(3);
  const auto metrics = client_.Get("/metrics");
  EXPECT_EQ(metrics->status, 200);
  EXPECT_THAT(metrics->head, HasSubstr("text/plain; version=0.0.4"));
  EXPECT_EQ(metrics->body, "# HELP a_total b\n# TYPE a_total counter\na_total 3\n");
}

TEST_F(PagesTest, ServesOpenMetricsToWhoPrefersIt) {
  const auto handler = Pages(health_, registry_, look_);
  const struct {
    const char* accept;
    bool open;
  } kCases[] = {
      {"", false},
      {"*/*", false},
      {"text/plain", false},
      {"application/openmetrics-text", true},
      {"application/openmetrics-text;q=0", false},
      {"application/openmetrics-text; version=1.0.0; q=0.4, text/plain;q=0.5", false},
      // Prometheus' own header.
      {"application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.5,"
       "application/openmetrics-text;version=0.0.1;q=0.4,"
       "text/plain;version=0.0.4;q=0.3,*/*;q=0.2",
       true},
  };
  for (const auto& c : kCases) {
    const auto answer = handler({.method = "GET", .path = "/metrics", .accept = c.accept});
    EXPECT_EQ(answer.content_type.starts_with("application/openmetrics-text; version=1.0.0;"),
              c.open)
        << c.accept;
    EXPECT_EQ(answer.body, c.open ? "# EOF\n" : "") << c.accept;
  }
}

TEST_F(PagesTest, ServesTheDebugPage) {
  const auto page = client_.Get("/debug");
  EXPECT_EQ(page->status, 200);
  EXPECT_THAT(page->head, HasSubstr("application/json"));
  EXPECT_THAT(page->body, HasSubstr("\"delayed\": 7"));
}

TEST_F(PagesTest, IsForReadingOnly) {
  EXPECT_EQ(client_.Post("/metrics", "x")->status, 405);
  EXPECT_EQ(client_.Get("/anything")->status, 404);
}

}  // namespace
}  // namespace ballast::server
