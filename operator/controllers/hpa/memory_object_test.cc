#include "operator/controllers/hpa/memory_object.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

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

StatusMemory Remembered() {
  StatusMemory remembered{.writer = "a", .term = 3};
  remembered.memory.scale_ups = {{kNow, 2}};
  return remembered;
}

// A namespace's ConfigMap, which is there or not.
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
    return Response{200, R"({"metadata":{"name":"ballast-hpa-memory"},"data":)" + data_ + "}"};
  }

  Result<StatusMemory> ReadWith(const std::string& entry) {
    exists_ = true;
    json::Writer data;
    data.Object([&] { data.Field("web", entry); });
    data_ = data.Take();
    return objects_.Read(Hpa());
  }

  bool exists_ = false;
  bool created_meanwhile_ = false;
  std::string data_ = "{}";
  std::vector<std::string> calls_;
  support::FakeTransport transport_{
      [this](const Request& request) { return Answer(request); },
      [](const auto&, const auto&, const auto&) -> Status { return Done{}; }};
  kube::Client client_{transport_};
  MemoryObjects objects_{client_};
};

TEST_F(MemoryObjectTest, IsReadAsItWasWritten) {
  const auto read = ReadWith(EncodeMemoryEntry("u1", Remembered()));
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->memory, Remembered().memory);
  EXPECT_EQ(read->writer, "a");
  EXPECT_EQ(read->term, 3);
}

TEST_F(MemoryObjectTest, OfAnotherHpaOrNoneIsEmpty) {
  EXPECT_EQ(objects_.Read(Hpa())->memory, engine::Memory());
  EXPECT_EQ(ReadWith(EncodeMemoryEntry("u0", Remembered()))->memory, engine::Memory());
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
  EXPECT_TRUE(objects_.Write({"shop", "web"}, "{}").ok());
  EXPECT_THAT(calls_, ElementsAre(HasSubstr("PATCH"), HasSubstr("POST"), HasSubstr("PATCH")));
  exists_ = false;
  created_meanwhile_ = true;
  EXPECT_TRUE(objects_.Write({"shop", "web"}, "{}").ok());
}

TEST_F(MemoryObjectTest, AnEntryIsRemovedAndNothingIsCreatedForThat) {
  EXPECT_TRUE(objects_.Write({"shop", "web"}, "").ok());
  exists_ = true;
  EXPECT_TRUE(objects_.Write({"shop", "web"}, "").ok());
  EXPECT_THAT(calls_, ElementsAre(HasSubstr("PATCH"), HasSubstr(R"({"data":{"web":null}})")));
}

}  // namespace
}  // namespace ballast::controllers
