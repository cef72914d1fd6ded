#include "operator/controllers/memory_object.h"
#include "api/json/json_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "operator/cluster/hpa_memory_name.h"
#include "tests/support/fake_transport.h"

namespace ballast::controllers {
namespace {

using kube::Method;
using kube::Request;
using kube::Response;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const Time kNow(1'700'000'000, 0);

api::Autoscaler Hpa() {
  api::Autoscaler hpa{.kind = api::kHpaKind};
  hpa.metadata.namespace_ = "shop";
  hpa.metadata.name = "web";
  hpa.metadata.uid = "u1";
  return hpa;
}

session::StatusMemory Remembered() {
  session::StatusMemory remembered{.writer = "a", .term = 3};
  remembered.memory.scale_ups = {{kNow, 2}};
  return remembered;
}

// A ConfigMap, which is there or not.
class MemoryObjectTest : public ::testing::Test {
 protected:
  Result<Response> Answer(const Request& request) {
    calls_.push_back(std::string(request.method == Method::kGet     ? "GET "
                                 : request.method == Method::kPatch ? "PATCH "
                                                                    : "POST ") +
                     request.path.substr(request.path.find("configmaps")) + " " + request.body);
    if (request.method == Method::kPost) {
      exists_ = true;
      return created_meanwhile_ ? Result<Response>(Error{Code::kConflict, "it exists"})
                                : Response{201, "{}"};
    }
    if (!exists_) {
      return Error{Code::kNotFound, "there is none"};
    }
    if (request.method == Method::kPatch && refuses_) {
      return *refuses_;
    }
    return Response{200, R"({"metadata":{"name":"ballast-hpa-memory-7"},"data":)" + data_ + "}"};
  }

  Result<session::StatusMemory> ReadWith(const std::string& entry) {
    exists_ = true;
    json::Writer data;
    data.Object([&] { data.Field("web", entry); });
    data_ = data.Take();
    return objects_.Read(Hpa());
  }

  bool exists_ = false;
  bool created_meanwhile_ = false;
  std::optional<Error> refuses_;  // patches
  std::string data_ = "{}";
  std::set<std::string> gone_;  // names of HPAs that there are none of
  std::vector<std::string> calls_;
  support::FakeTransport transport_{
      [this](const Request& request) { return Answer(request); },
      [](const auto&, const auto&, const auto&) -> Status { return Done{}; }};
  kube::Client client_{transport_};
  MemoryObjects objects_{client_,
                         [this](const api::ObjectKey& hpa) { return !gone_.contains(hpa.name); }};
};

// A write of an entry is one of its whole object, which must stay below 1 MiB.
TEST(MemoryObjectOf, SpreadsTheHpasOfANamespaceEvenly) {
  for (const char* pattern : {"web-", "team-a.service-", "web-pr-"}) {
    std::map<std::string, int> entries;
    for (int i = 0; i < 1'000; ++i) {
      const api::ObjectKey object = MemoryObjectOf({"shop", pattern + std::to_string(i)});
      EXPECT_EQ(object.namespace_, "shop");
      ++entries[object.name];
    }
    EXPECT_EQ(entries.size(), cluster::kHpaMemoryObjects) << pattern;
    for (const auto& [object, count] : entries) {
      EXPECT_LE(count, 2 * 1'000 / static_cast<int>(cluster::kHpaMemoryObjects))
          << pattern << object;
    }
  }
}

TEST_F(MemoryObjectTest, IsReadAsItWasWritten) {
  const auto read = ReadWith(session::EncodeMemoryEntry("u1", Remembered()));
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->memory, Remembered().memory);
  EXPECT_EQ(read->writer, "a");
  EXPECT_EQ(read->term, 3);
}

TEST_F(MemoryObjectTest, OfAnotherHpaOrNoneIsEmpty) {
  EXPECT_EQ(objects_.Read(Hpa())->memory, engine::Memory());
  EXPECT_EQ(ReadWith(session::EncodeMemoryEntry("u0", Remembered()))->memory, engine::Memory());
  EXPECT_EQ(ReadWith("")->memory, engine::Memory());
}

TEST_F(MemoryObjectTest, ThatIsDamagedIsInvalid) {
  for (const char* entry : {"{", R"({"uid":"u1","scaleUps":[{"time":"today"}]})"}) {
    const auto read = ReadWith(entry);
    ASSERT_FALSE(read.ok()) << entry;
    EXPECT_EQ(read.error().code, Code::kInvalid) << entry;
  }
}

TEST_F(MemoryObjectTest, IsCreatedByTheFirstEntry) {
  EXPECT_TRUE(objects_.Write({"shop", "web"}, "{}").ok());
  EXPECT_TRUE(objects_.Write({"shop", "web"}, "{1}").ok());
  EXPECT_THAT(calls_, ElementsAre(HasSubstr("GET"), HasSubstr("POST"), HasSubstr("PATCH")));
}

TEST_F(MemoryObjectTest, IsCreatedByTheFirstEntryOfAnotherHpaMeanwhile) {
  created_meanwhile_ = true;
  EXPECT_TRUE(objects_.Write({"shop", "web"}, "{}").ok());
  EXPECT_THAT(calls_, ElementsAre(HasSubstr("GET"), HasSubstr("POST"), HasSubstr("GET"),
                                  HasSubstr(R"("add","path":"/data/web","value":"{}")")));
}

TEST_F(MemoryObjectTest, AnEntryIsRemovedAndNothingIsCreatedForThat) {
  EXPECT_TRUE(objects_.Write({"shop", "web"}, "").ok());
  ASSERT_TRUE(ReadWith("{}").ok());
  EXPECT_TRUE(objects_.Write({"shop", "web"}, "").ok());
  EXPECT_THAT(calls_, ElementsAre(HasSubstr("GET"), HasSubstr("GET"),
                                  HasSubstr(R"("remove","path":"/data/web")")));
}

TEST_F(MemoryObjectTest, AnObjectWithoutEntriesGetsItsFirstOne) {
  exists_ = true;
  data_ = "null";
  EXPECT_TRUE(objects_.Write({"shop", "web"}, "{}").ok());
  EXPECT_THAT(calls_,
              ElementsAre(HasSubstr("GET"),
                          HasSubstr(R"([{"op":"test","path":"/data","value":null},)"
                                    R"({"op":"add","path":"/data","value":{"web":"{}"}}])")));
}

TEST_F(MemoryObjectTest, AWriteRemovesEntriesOfHpasThatAreGone) {
  exists_ = true;
  data_ = R"({"web":"{}","old":"{7}","api":"{8}","new":"{9}","odd":""})";
  gone_ = {"old", "new", "odd"};
  ASSERT_TRUE(objects_.Read(Hpa()).ok());
  gone_.erase("new");  // it is made meanwhile
  EXPECT_TRUE(objects_.Write({"shop", "web"}, "{1}").ok());
  EXPECT_TRUE(objects_.Write({"shop", "web"}, "{2}").ok());
  EXPECT_THAT(calls_, ElementsAre(HasSubstr("GET"),
                                  HasSubstr(R"({"op":"add","path":"/data/web","value":"{1}"},)"
                                            R"({"op":"test","path":"/data/old","value":"{7}"},)"
                                            R"({"op":"remove","path":"/data/old"}])"),
                                  HasSubstr(R"({"op":"add","path":"/data/web","value":"{2}"}])")));
}

// A write without an answer may still be under way when another leader has written.
TEST_F(MemoryObjectTest, AnEntryReplacesOnlyTheOneThatIsKnown) {
  ASSERT_TRUE(ReadWith("{}").ok());
  EXPECT_TRUE(objects_.Write({"shop", "web"}, "{1}").ok());
  EXPECT_TRUE(objects_.Write({"shop", "web"}, "{2}").ok());
  refuses_ = Error{Code::kTimeout, "no answer"};
  EXPECT_FALSE(objects_.Write({"shop", "web"}, "{3}").ok());
  refuses_.reset();
  EXPECT_TRUE(objects_.Write({"shop", "web"}, "{4}").ok());
  const auto test = [](const char* value) {
    return HasSubstr(std::string(R"("test","path":"/data/web","value":)") + value + "}");
  };
  EXPECT_THAT(calls_, ElementsAre(HasSubstr("GET"), test(R"("{}")"), test(R"("{1}")"),
                                  test(R"("{2}")"), HasSubstr("GET"), test(R"("{}")")));
}

TEST_F(MemoryObjectTest, AnEntryThatSomebodyElseHasWrittenIsReadOnce) {
  ASSERT_TRUE(ReadWith("{}").ok());
  refuses_ = Error{Code::kConflict, "a test of the patch failed"};
  EXPECT_FALSE(objects_.Write({"shop", "web"}, "{1}").ok());
  EXPECT_THAT(calls_, ElementsAre(HasSubstr("GET"), HasSubstr("PATCH"), HasSubstr("GET"),
                                  HasSubstr("PATCH")));
}

}  // namespace
}  // namespace ballast::controllers
