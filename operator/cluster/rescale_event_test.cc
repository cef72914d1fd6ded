#include "operator/cluster/rescale_event.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace ballast::cluster {
namespace {

RescaleEvent Read(const std::string& text) {
  const auto document = json::Parse(text);
  json::Decoder decoder(*document);
  RescaleEvent event = DecodeRescaleEvent(decoder.root());
  EXPECT_TRUE(decoder.status().ok());
  return event;
}

Time At(int seconds) { return Time(1'700'000'000 + seconds, 0); }

TEST(RescaleEvent, IsReadFromEitherApi) {
  const std::string object =
      R"({"involvedObject":{"kind":"HorizontalPodAutoscaler","namespace":"shop","name":"web",)"
      R"("uid":"u1"},"reason":"SuccessfulRescale","message":"New size: 5; reason: more",)";
  const RescaleEvent core =
      Read(object + R"("lastTimestamp":"2023-11-14T22:13:25Z","eventTime":null})");
  EXPECT_EQ(core.hpa, (api::ObjectKey{"shop", "web"}));
  EXPECT_EQ(core.uid, "u1");
  EXPECT_EQ(core.message, "New size: 5; reason: more");
  EXPECT_EQ(core.time, At(5));
  const RescaleEvent repeated =
      Read(object + R"("lastTimestamp":null,"eventTime":"2023-11-14T22:13:25.000000Z",)"
                    R"("series":{"count":2,"lastObservedTime":"2023-11-14T22:13:27.000000Z"}})");
  EXPECT_EQ(repeated.time, At(7));
}

TEST(RescaleEvent, MessagesOfOthersAreMadePrintable) {
  EXPECT_EQ(Read(R"({"message":"New\nsize"})").message, "New size");
}

// Otherwise each scaling of a managed HPA would be followed by an evaluation at once, and be taken
// for another controller's when it is observed again.
TEST(RescaleEvent, TellsBallastsOwn) {
  const auto by = [](const char* manager) {
    return Read(R"({"involvedObject":{"uid":"u1"},"message":"New size: 5; reason: more",)"
                R"("metadata":{"managedFields":[{"manager":")" +
                std::string(manager) + R"(","operation":"Update"}]}})");
  };
  EXPECT_TRUE(by("ballast").own);
  EXPECT_FALSE(by("kube-controller-manager").own);
  const auto event = std::make_shared<RescaleEvent>(by("ballast"));
  EXPECT_FALSE(FindRescale({event}, "u1", 5, Time()));
}

TEST(FindRescale, FindsTheNewestOfThatHpaAndSize) {
  std::vector<RescaleEventPointer> events;
  const auto add = [&](const char* uid, const char* message, int seconds) {
    events.push_back(
        std::make_shared<RescaleEvent>(RescaleEvent{{"shop", "web"}, uid, message, At(seconds)}));
  };
  add("u1", "New size: 5; reason: second", 20);
  add("u1", "New size: 5; reason: first", 10);
  add("u1", "New size: 50; reason: another size", 30);
  add("u0", "New size: 5; reason: a former HPA of that name", 30);
  EXPECT_EQ(FindRescale(events, "u1", 5, At(0))->message, "New size: 5; reason: second");
  EXPECT_EQ(FindRescale(events, "u1", 5, At(20))->message, "New size: 5; reason: second");
  EXPECT_EQ(FindRescale(events, "u1", 5, At(21)), nullptr);
  EXPECT_EQ(FindRescale(events, "u1", 4, At(0)), nullptr);
}

}  // namespace
}  // namespace ballast::cluster
