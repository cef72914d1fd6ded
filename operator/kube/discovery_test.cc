#include "operator/kube/discovery.h"

#include <gtest/gtest.h>

#include <map>
#include <thread>

#include "tests/support/channel.h"
#include "tests/support/fake_clock.h"
#include "tests/support/fake_transport.h"

namespace ballast::kube {
namespace {

using namespace std::chrono_literals;

class RestMapperTest : public testing::Test {
 protected:
  std::map<std::string, std::string> answers_ = {
      {"/api/v1", R"({"resources":[
          {"name":"pods","namespaced":true,"kind":"Pod"},
          {"name":"nodes","namespaced":false,"kind":"Node"},
          {"name":"replicationcontrollers","namespaced":true,"kind":"ReplicationController"},
          {"name":"replicationcontrollers/scale","namespaced":true,"kind":"Scale"}]})"},
      {"/apis/example.com", R"({"preferredVersion":{"version":"v1"},
          "versions":[{"version":"v2"},{"version":"v1"}]})"},
      {"/apis/example.com/v1", R"({"resources":[
          {"name":"widgets","namespaced":true,"kind":"Widget"},
          {"name":"widgets/scale","namespaced":true,"kind":"Scale"}]})"},
      {"/apis/example.com/v2", R"({"resources":[
          {"name":"widgets","namespaced":true,"kind":"Widget"},
          {"name":"gadgets","namespaced":true,"kind":"Gadget"}]})"},
  };
  support::FakeTransport transport_{[this](const Request& request) -> Result<Response> {
    const auto found = answers_.find(request.path);
    if (found == answers_.end()) {
      return Error{Code::kNotFound, request.path};
    }
    return Response{200, found->second};
  }};
  support::FakeClock clock_;
  RestMapper mapper_{transport_, clock_};
};

TEST_F(RestMapperTest, FindsResourcesAndTheirScale) {
  const auto rc = mapper_.Find("v1", "ReplicationController");
  ASSERT_TRUE(rc.ok()) << rc.error().message;
  EXPECT_EQ(rc->plural, "replicationcontrollers");
  EXPECT_TRUE(rc->has_scale);
  EXPECT_TRUE(rc->namespaced);
  EXPECT_FALSE(mapper_.Find("v1", "Pod")->has_scale);
  EXPECT_FALSE(mapper_.Find("v1", "Node")->namespaced);
  EXPECT_EQ(transport_.requests().size(), 1U) << "the group is read once";
}

TEST_F(RestMapperTest, TakesTheVersionAskedForElseThePreferredOne) {
  EXPECT_EQ(mapper_.Find("example.com/v2", "Widget")->version, "v2");
  EXPECT_EQ(mapper_.Find("example.com/v1", "Widget")->version, "v1");
  EXPECT_EQ(mapper_.Find("example.com/v9", "Widget")->version, "v1");
  EXPECT_EQ(mapper_.Find("example.com/v1", "Gadget")->version, "v2");
}

TEST_F(RestMapperTest, ReadsAgainWhenAKindIsMissingButNotAllTheTime) {
  const auto missing = mapper_.Find("example.com/v1", "Gizmo");
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().code, Code::kNotFound);
  const std::size_t calls = transport_.requests().size();
  answers_["/apis/example.com/v1"] =
      R"({"resources":[{"name":"gizmos","namespaced":true,"kind":"Gizmo"}]})";
  EXPECT_FALSE(mapper_.Find("example.com/v1", "Gizmo").ok());
  EXPECT_EQ(transport_.requests().size(), calls);
  clock_.Advance(10s);
  EXPECT_TRUE(mapper_.Find("example.com/v1", "Gizmo").ok());
}

TEST_F(RestMapperTest, AGroupThatIsNotServedIsNotFound) {
  const auto missing = mapper_.Find("nowhere.io/v1", "Thing");
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().code, Code::kNotFound);
}

TEST_F(RestMapperTest, NoticesAScaleThatWasAddedLater) {
  EXPECT_FALSE(mapper_.Find("v1", "Pod")->has_scale);
  answers_["/api/v1"] = R"({"resources":[{"name":"pods","namespaced":true,"kind":"Pod"},
                                         {"name":"pods/scale","kind":"Scale"}]})";
  clock_.Advance(10min);
  EXPECT_TRUE(mapper_.Find("v1", "Pod")->has_scale);
  answers_.clear();
  clock_.Advance(10min);
  EXPECT_TRUE(mapper_.Find("v1", "Pod").ok()) << "an old answer is better than none";
}

// Groups come from what users write.
TEST_F(RestMapperTest, DoesNotAskForWhatCannotExist) {
  for (const std::string& group : {std::string(254, 'a'), std::string(6 << 20, 'a'),
                                   std::string("Not a group"), std::string("..")}) {
    const auto missing = mapper_.Find(group + "/v1", "Thing");
    ASSERT_FALSE(missing.ok());
    EXPECT_EQ(missing.error().code, Code::kNotFound);
  }
  EXPECT_TRUE(transport_.requests().empty());
}

TEST_F(RestMapperTest, ForgetsWhatItDidNotFind) {
  constexpr std::size_t kMany = 1500;
  for (std::size_t i = 0; i < kMany; ++i) {
    EXPECT_FALSE(mapper_.Find("g" + std::to_string(i) + ".io/v1", "Thing").ok());
    clock_.Advance(100ms);
  }
  EXPECT_LE(mapper_.size(), 101U) << "those of the last ten seconds";
  for (std::size_t i = 0; i < kMany; ++i) {
    EXPECT_FALSE(mapper_.Find("h" + std::to_string(i) + ".io/v1", "Thing").ok());
  }
  EXPECT_LE(mapper_.size(), 1024U);
  EXPECT_TRUE(mapper_.Find("v1", "Pod").ok()) << "also when there is no room to remember";
}

TEST_F(RestMapperTest, AKindThatVanishedOrFailsIsReadAgainNotAllTheTime) {
  for (const bool fails : {false, true}) {
    EXPECT_TRUE(mapper_.Find("v1", "Pod").ok());
    clock_.Advance(10min);
    answers_["/api/v1"] = fails ? "garbage" : R"({"resources":[]})";
    const std::size_t calls = transport_.requests().size();
    for (int i = 0; i < 5; ++i) {
      EXPECT_TRUE(mapper_.Find("v1", "Pod").ok()) << "an old answer is better than none";
    }
    EXPECT_EQ(transport_.requests().size(), calls + 1);
    clock_.Advance(10s);
    EXPECT_TRUE(mapper_.Find("v1", "Pod").ok());
    EXPECT_EQ(transport_.requests().size(), calls + 2);
  }
}

// Each reading of it would be waited for.
TEST_F(RestMapperTest, AGroupThatDoesNotAnswerIsLeftForTenSeconds) {
  int asked = 0;
  support::FakeTransport hung([&](const Request&) -> Result<Response> {
    ++asked;
    return Error{Code::kTimeout, "no answer"};
  });
  RestMapper mapper(hung, clock_);
  EXPECT_FALSE(mapper.FindAtOnce("example.com/v1", "Widget"));
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(mapper.Find("example.com/v1", "Widget").error().code, Code::kTimeout);
  }
  EXPECT_EQ(asked, 1);
  EXPECT_EQ(mapper.FindAtOnce("example.com/v1", "Widget")->error().code, Code::kTimeout);
  clock_.Advance(10s);
  EXPECT_FALSE(mapper.FindAtOnce("example.com/v1", "Widget"));
  EXPECT_FALSE(mapper.Find("example.com/v1", "Widget").ok());
  EXPECT_EQ(asked, 2);
}

TEST_F(RestMapperTest, TellsWhatItFoundWithoutAsking) {
  EXPECT_FALSE(mapper_.Cached("v1", "Pod"));
  EXPECT_TRUE(transport_.requests().empty());
  EXPECT_TRUE(mapper_.Find("v1", "Pod").ok());
  EXPECT_EQ((**mapper_.FindAtOnce("v1", "Pod"))->plural, "pods");
  clock_.Advance(10min);
  EXPECT_FALSE(mapper_.FindAtOnce("v1", "Pod"));
  const std::size_t calls = transport_.requests().size();
  EXPECT_EQ(mapper_.Cached("v1", "Pod")->plural, "pods");
  EXPECT_EQ(transport_.requests().size(), calls);
}

TEST_F(RestMapperTest, WhoeverHasAnOldAnswerWaitsForNobody) {
  support::Channel<bool> asked;
  support::Channel<bool> answer;
  bool slow = false;
  support::FakeTransport transport([&](const Request& request) -> Result<Response> {
    if (slow) {
      asked.Push(true);
      answer.Pop();
    }
    return Response{200, answers_.at(request.path)};
  });
  RestMapper mapper(transport, clock_);
  EXPECT_TRUE(mapper.Find("v1", "Pod").ok());
  clock_.Advance(10min);
  slow = true;
  std::thread other([&] { EXPECT_TRUE(mapper.Find("v1", "Pod").ok()); });
  ASSERT_TRUE(asked.Pop());
  EXPECT_TRUE(mapper.Find("v1", "Pod").ok());
  EXPECT_TRUE(answer.empty()) << "nobody has answered the other yet";
  answer.Push(true);
  other.join();
}

TEST_F(RestMapperTest, AGroupThatIsSlowHoldsNoOtherUp) {
  support::Channel<bool> asked;
  support::Channel<bool> answer;
  support::FakeTransport transport([&](const Request& request) -> Result<Response> {
    if (request.path.starts_with("/apis/slow.io")) {
      asked.Push(true);
      answer.Pop();
      return Error{Code::kUnavailable, "down"};
    }
    return Response{200, answers_.at(request.path)};
  });
  RestMapper mapper(transport, clock_);
  std::thread other([&] { EXPECT_FALSE(mapper.Find("slow.io/v1", "Thing").ok()); });
  ASSERT_TRUE(asked.Pop());
  EXPECT_TRUE(mapper.Find("v1", "Pod").ok());
  EXPECT_TRUE(answer.empty()) << "nobody has answered the other yet";
  answer.Push(true);
  other.join();
}

TEST_F(RestMapperTest, GarbageIsAnError) {
  answers_["/api/v1"] = R"({"resources":[{"name":7}]})";
  const auto found = mapper_.Find("v1", "Pod");
  ASSERT_FALSE(found.ok());
  EXPECT_EQ(found.error().code, Code::kCorrupt);
}

}  // namespace
}  // namespace ballast::kube
