#include "operator/kube/client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "tests/support/fake_transport.h"

namespace ballast::kube {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::Pair;

const Resource kDeployments{.group = "apps", .version = "v1", .plural = "deployments"};

TEST(PrintScalePatch, TestsBeforeItReplaces) {
  EXPECT_EQ(PrintScalePatch({.uid = "u", .from = 3, .to = 5}),
            R"([{"op":"test","path":"/metadata/uid","value":"u"},)"
            R"({"op":"test","path":"/spec/replicas","value":3},)"
            R"({"op":"add","path":"/spec/replicas","value":5}])");
}

TEST(PrintScalePatch, ExpectsNoReplicasAtZero) {
  EXPECT_EQ(PrintScalePatch({.uid = "u", .from = 0, .to = 1}),
            R"([{"op":"test","path":"/metadata/uid","value":"u"},)"
            R"({"op":"test","path":"/spec/replicas","value":null},)"
            R"({"op":"add","path":"/spec/replicas","value":1}])");
}

TEST(Client, ListsAllPages) {
  support::FakeTransport transport([](const Request& request) -> Result<Response> {
    const bool second = request.query.back().first == "continue";
    return Response{200, second ? R"({"metadata":{},"items":[{"n":3}]})"
                                : R"({"metadata":{"continue":"c1"},"items":[{"n":1},{"n":2}]})"};
  });
  std::vector<int> seen;
  const Status status = Client(transport).List(
      kDeployments, {.namespace_ = "shop", .label_selector = "a=b"}, [&](const json::Cursor& item) {
        seen.push_back(0);
        item.Member("n").Read(seen.back());
        return Status(Done{});
      });
  ASSERT_TRUE(status.ok()) << status.error().message;
  EXPECT_THAT(seen, ElementsAre(1, 2, 3));
  const auto requests = transport.requests();
  ASSERT_EQ(requests.size(), 2U);
  EXPECT_EQ(requests[1].path, "/apis/apps/v1/namespaces/shop/deployments");
  EXPECT_THAT(requests[1].query, ElementsAre(Pair("limit", "500"), Pair("labelSelector", "a=b"),
                                             Pair("continue", "c1")));
}

// A list that is kept whole, of a server that answers `pages` and then the last of them again and
// again; each takes two seconds.
Status ListWhole(const std::vector<std::string>& pages, const AnswerLimit& limit,
                 std::vector<std::chrono::milliseconds>& timeouts) {
  support::FakeTransport transport([&](const Request& request) -> Result<Response> {
    timeouts.push_back(request.timeout);
    return Response{200, pages[std::min(timeouts.size(), pages.size()) - 1]};
  });
  return Client(transport).List(
      kDeployments,
      {.limit = limit, .left = [&] { return 9s - 2s * static_cast<int>(timeouts.size()); }},
      [](const json::Cursor&) { return Status(Done{}); });
}

TEST(Client, AListThatIsKeptWholeIsBounded) {
  const std::string first = R"({"metadata":{"continue":"c1"},"items":[{"n":1},{"n":2}]})";
  const std::string last = R"({"metadata":{},"items":[{"n":3}]})";
  const struct {
    std::vector<std::string> pages;
    AnswerLimit limit;
    std::optional<Code> code;
    const char* message;
    int requests;
  } kCases[] = {
      {{first, last}, {89, 15, "ask for less"}, std::nullopt, "", 2},
      {{first, last},
       {88, 15, "ask for less"},
       Code::kCorrupt,
       "the answer is larger than 88 bytes; ask for less",
       2},
      {{first, last},
       {89, 10, "ask for less"},
       Code::kCorrupt,
       "the answer has more than 10 values and names; ask for less",
       1},
      {{first},
       {10'000, 15},
       Code::kTimeout,
       "the list did not end in time: it has more than 5 pages",
       5},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.message);
    std::vector<std::chrono::milliseconds> timeouts;
    const Status listed = ListWhole(c.pages, c.limit, timeouts);
    EXPECT_EQ(listed.ok() ? std::nullopt : std::optional(listed.error().code), c.code);
    EXPECT_EQ(listed.ok() ? "" : listed.error().message, c.message);
    ASSERT_EQ(std::ssize(timeouts), c.requests);
    EXPECT_EQ(timeouts.front(), 9s);
    EXPECT_EQ(timeouts.back(), 9s - 2s * (c.requests - 1));
  }
}

TEST(Client, AListThatNeverEndsIsGivenUp) {
  int pages = 0;
  support::FakeTransport transport([&](const Request&) -> Result<Response> {
    ++pages;
    return Response{200, R"({"metadata":{"continue":"c1"},"items":[]})"};
  });
  const Status listed =
      Client(transport).List(kDeployments, {}, [](const json::Cursor&) { return Status(Done{}); });
  ASSERT_FALSE(listed.ok());
  EXPECT_EQ(listed.error().code, Code::kCorrupt);
  EXPECT_EQ(listed.error().message, "the list did not end after 10000 pages");
  EXPECT_EQ(pages, 10'000);
}

TEST(Client, AnObjectOfTooManyValuesIsRefused) {
  std::string body = R"({"a":[0)";
  for (std::size_t i = 0; i < kOneObject.values; ++i) {
    body += ",0";
  }
  body += "]}";
  support::FakeTransport transport([&](const Request&) { return Response{200, body}; });
  const auto object = Client(transport).Get(kDeployments, {"shop", "web"});
  ASSERT_FALSE(object.ok());
  EXPECT_EQ(object.error().code, Code::kCorrupt);
  EXPECT_EQ(object.error().message, "the answer has more than 1000000 values and names");
}

TEST(Client, ReadsMetadataAlone) {
  support::FakeTransport transport([](const Request&) -> Result<Response> {
    return Response{200, R"({"kind":"PartialObjectMetadata","metadata":{"name":"web","uid":"u",)"
                         R"("ownerReferences":[{"kind":"Shop","uid":"s","controller":true}]}})"};
  });
  const auto metadata = Client(transport).GetMetadata(kDeployments, {"shop", "web"});
  ASSERT_TRUE(metadata.ok()) << metadata.error().message;
  EXPECT_EQ(metadata->uid, "u");
  EXPECT_EQ(metadata->owner_references->at(0).uid, "s");
  const auto requests = transport.requests();
  EXPECT_EQ(requests[0].path, "/apis/apps/v1/namespaces/shop/deployments/web");
  EXPECT_EQ(requests[0].accept,
            "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json");
}

TEST(Client, ReadsAScale) {
  support::FakeTransport transport([](const Request&) -> Result<Response> {
    return Response{200, R"({"metadata":{"name":"web","namespace":"shop","uid":"u"},)"
                         R"("spec":{"replicas":4},"status":{"replicas":3,"selector":"app=web"}})"};
  });
  const auto scale = Client(transport).GetScale(kDeployments, {"shop", "web"});
  ASSERT_TRUE(scale.ok()) << scale.error().message;
  EXPECT_EQ(scale->spec_replicas, 4);
  EXPECT_EQ(scale->status_replicas, 3);
  EXPECT_EQ(scale->selector, "app=web");
  EXPECT_EQ(transport.requests()[0].path, "/apis/apps/v1/namespaces/shop/deployments/web/scale");
}

TEST(Client, SendsPatchesWithTheirTypes) {
  support::FakeTransport transport([](const Request&) -> Result<Response> {
    return Response{200, R"({"metadata":{"uid":"u","resourceVersion":"8"},"spec":{"replicas":1}})"};
  });
  Client client(transport);
  const auto version =
      client.PatchStatus(kDeployments, {"shop", "web"}, {"u1", "7"}, R"({"status":{}})");
  EXPECT_EQ(*version, "8");
  ASSERT_TRUE(client.PatchScale(kDeployments, {"shop", "web"}, {.uid = "u", .to = 1}).ok());
  const auto requests = transport.requests();
  EXPECT_EQ(requests[0].path, "/apis/apps/v1/namespaces/shop/deployments/web/status");
  EXPECT_EQ(requests[0].content_type, "application/merge-patch+json");
  EXPECT_EQ(requests[0].body, R"({"metadata":{"uid":"u1","resourceVersion":"7"},"status":{}})");
  EXPECT_EQ(requests[1].content_type, "application/json-patch+json");
  // An answer with another scale than the patch makes does not confirm the write.
  const auto other = client.PatchScale(kDeployments, {"shop", "web"}, {.uid = "u", .to = 2});
  ASSERT_FALSE(other.ok());
  EXPECT_EQ(other.error().code, Code::kCorrupt);
}

TEST(Client, SaysThatAnAnswerIsGarbage) {
  support::FakeTransport transport([](const Request&) -> Result<Response> {
    return Response{200, "<html>"};
  });
  const auto document = Client(transport).Get(kDeployments, {"shop", "web"});
  ASSERT_FALSE(document.ok());
  EXPECT_EQ(document.error().code, Code::kCorrupt);
  const auto metadata = Client(transport).GetMetadata(kDeployments, {"shop", "web"});
  ASSERT_FALSE(metadata.ok());
  EXPECT_EQ(metadata.error().code, Code::kCorrupt);
}

TEST(Client, SendsNothingForANameThatIsAPath) {
  support::FakeTransport transport;
  const auto document = Client(transport).Get(kDeployments, {"shop", "../secrets"});
  ASSERT_FALSE(document.ok());
  EXPECT_EQ(document.error().code, Code::kInvalid);
  EXPECT_TRUE(transport.requests().empty());
}

}  // namespace
}  // namespace ballast::kube
