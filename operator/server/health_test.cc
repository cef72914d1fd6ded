#include "operator/server/health.h"

#include <gtest/gtest.h>

namespace ballast::server {
namespace {

class HealthTest : public testing::Test {
 protected:
  HealthTest() {
    health_.AddLive("election", [this] { return election_; });
    health_.AddReady(
        "watches", [this] { return watches_; }, [this] { return note_; });
    health_.AddReady("shutdown", [] { return Status(Done{}); });
  }
  net::HttpResponse Get(const std::string& path, const std::string& query = "") {
    return health_.Answer({.method = "GET", .path = path, .query = query});
  }

  Status election_ = Done{};
  Status watches_ = Done{};
  std::string note_;
  Health health_;
};

TEST_F(HealthTest, SaysOk) {
  for (const char* path : {"/livez", "/healthz", "/readyz", "/readyz/watches", "/livez/election"}) {
    const auto answer = Get(path);
    EXPECT_EQ(answer.status, 200) << path;
    EXPECT_EQ(answer.body, "ok") << path;
  }
}

TEST_F(HealthTest, ListsTheChecksWhenAsked) {
  for (const char* query : {"verbose", "verbose=1", "a=b&verbose"}) {
    EXPECT_EQ(Get("/readyz", query).body, "[+]watches ok\n[+]shutdown ok\nreadyz check passed\n");
  }
  EXPECT_EQ(Get("/readyz", "verbosely").body, "ok");
  EXPECT_EQ(Get("/livez", "verbose").body, "[+]election ok\nlivez check passed\n");
}

TEST_F(HealthTest, NotesWhatKeepsNoRequestsAway) {
  note_ = "the API server has been silent about pods for 312 s";
  EXPECT_EQ(Get("/readyz").body, "ok");
  EXPECT_EQ(
      Get("/readyz/watches", "verbose").body,
      "[+]watches ok: the API server has been silent about pods for 312 s\nreadyz check passed\n");
  watches_ = Error{Code::kUnavailable, "no list yet"};
  EXPECT_EQ(Get("/readyz/watches").body, "[-]watches failed: no list yet\nreadyz check failed\n");
}

TEST_F(HealthTest, TellsTheReasonOfAFailure) {
  watches_ = Error{Code::kUnavailable, "Pod: no list yet"};
  const auto answer = Get("/readyz");
  EXPECT_EQ(answer.status, 503);
  EXPECT_EQ(answer.body,
            "[-]watches failed: Pod: no list yet\n[+]shutdown ok\nreadyz check failed\n");
  EXPECT_EQ(Get("/readyz/watches").status, 503);
  EXPECT_EQ(Get("/readyz/shutdown").status, 200);
  EXPECT_EQ(Get("/livez").status, 200) << "not ready is not dead";
}

TEST_F(HealthTest, LivezIsTheLiveChecks) {
  election_ = Error{Code::kUnavailable, "hangs"};
  EXPECT_EQ(Get("/livez").status, 503);
  EXPECT_EQ(Get("/healthz").status, 503);
  EXPECT_EQ(Get("/readyz").status, 200);
}

TEST_F(HealthTest, KnowsNothingElse) {
  for (const char* path : {"/", "/ready", "/readyz/nothing", "/livez/watches", "/metrics", ""}) {
    EXPECT_EQ(Get(path).status, 404) << path;
  }
}

}  // namespace
}  // namespace ballast::server
