#include "operator/server/instrumented_handler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

namespace ballast::server {
namespace {

using std::string_literals::operator""s;
using testing::HasSubstr;

TEST(Instrument, CountsByPathAndStatus) {
  telemetry::Registry registry;
  const auto handler = Instrument(
      [&](const net::HttpRequest& request) {
        EXPECT_THAT(registry.Print(),
                    HasSubstr("in_flight{webhook=\"" +
                              (request.path == "/validate" ? "/validate" : "other"s) + "\"} 1\n"));
        if (request.body == "throw") {
          throw std::runtime_error("secret");
        }
        return net::HttpResponse{.status = request.path == "/validate" ? 200 : 404, .body = "x"};
      },
      registry, process::RealClock(), {"/mutate", "/validate"});
  EXPECT_EQ(handler({.path = "/validate"}).body, "x");
  handler({.path = "/validate"});
  handler({.path = "/whatever"});
  EXPECT_THROW(handler({.path = "/validate", .body = "throw"}), std::runtime_error);
  const std::string text = registry.Print();
  for (const char* line : {"requests_total{webhook=\"/validate\",code=\"200\"} 2\n",
                           "requests_total{webhook=\"/validate\",code=\"500\"} 1\n",
                           "requests_total{webhook=\"/mutate\",code=\"200\"} 0\n",
                           "requests_total{webhook=\"other\",code=\"404\"} 1\n",
                           "latency_seconds_count{webhook=\"/validate\"} 3\n",
                           "latency_seconds_count{webhook=\"/mutate\"} 0\n", "panics_total 1\n",
                           "requests_in_flight{webhook=\"/mutate\"} 0\n",
                           "requests_in_flight{webhook=\"/validate\"} 0\n",
                           "requests_in_flight{webhook=\"other\"} 0\n"}) {
    EXPECT_THAT(text, HasSubstr("\ncontroller_runtime_webhook_" + std::string(line)));
  }
}

}  // namespace
}  // namespace ballast::server
