#include "operator/serve/measure.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ballast::serve {
namespace {

using testing::HasSubstr;

TEST(Measure, CountsByPathAndStatus) {
  telemetry::Registry registry;
  const auto handler = Measure(
      [&](const net::HttpRequest& request) {
        EXPECT_THAT(registry.Print(),
                    HasSubstr("controller_runtime_webhook_requests_in_flight 1\n"));
        return net::HttpResponse{.status = request.path == "/validate" ? 200 : 404, .body = "x"};
      },
      registry);
  EXPECT_EQ(handler({.path = "/validate"}).body, "x");
  handler({.path = "/validate"});
  handler({.path = "/whatever"});
  const std::string text = registry.Print();
  for (const char* line :
       {"controller_runtime_webhook_requests_total{webhook=\"/validate\",code=\"200\"} 2\n",
        "controller_runtime_webhook_requests_total{webhook=\"other\",code=\"404\"} 1\n",
        "controller_runtime_webhook_latency_seconds_count{webhook=\"/validate\"} 2\n",
        "controller_runtime_webhook_requests_in_flight 0\n"}) {
    EXPECT_THAT(text, HasSubstr(line));
  }
}

}  // namespace
}  // namespace ballast::serve
