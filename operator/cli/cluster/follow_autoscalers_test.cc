#include "operator/cli/cluster/follow_autoscalers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <thread>

#include "operator/cli/cluster/get_printer.h"
#include "tests/support/channel.h"
#include "tests/support/fake_transport.h"

namespace ballast::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string Object(const std::string& name, int version) {
  return R"({"metadata":{"namespace":"shop","name":")" + name +
         R"(","uid":"u","resourceVersion":")" + std::to_string(version) +
         R"("},"spec":{"scaleTargetRef":{"kind":"Deployment","name":"web"},"maxReplicas":3}})";
}

// Both kinds are told, then each change, until the caller has had enough.
TEST(FollowAutoscalers, TellsAllAndThenEachChange) {
  support::Channel<std::string> lines;
  support::FakeTransport transport(
      [](const kube::Request& request) -> Result<kube::Response> {
        const bool policies = request.path ==
                              "/apis/ballast.dev/v1alpha1/namespaces/shop/"
                              "autoscalepolicies";
        return kube::Response{200, R"({"metadata":{"resourceVersion":"5"},"items":[)" +
                                       Object(policies ? "web" : "api", 4) + "]}"};
      },
      [&](const kube::Request& request, const kube::LineSink& sink, const std::stop_token& stop) {
        return request.path.ends_with("/autoscalepolicies")
                   ? support::PushedStream(lines, request, sink, stop)
                   : support::SilentStream(request, sink, stop);
      });
  support::Channel<std::string> told;
  std::jthread follower([&] {
    FollowAutoscalers(transport, {.namespace_ = "shop", .kinds = {api::kPolicyKind, api::kHpaKind}},
                      [&](const AutoscalerChange& change) {
                        told.Push(change.autoscaler.kind + " " + change.autoscaler.metadata.name +
                                  (change.deleted ? " deleted" : ""));
                        return !change.deleted;
                      });
    told.Push("ended");
  });
  EXPECT_THAT((std::set<std::string>{told.Pop().value(), told.Pop().value()}),
              ::testing::ElementsAre("AutoScalePolicy web", "HorizontalPodAutoscaler api"));
  lines.Push(R"({"type":"MODIFIED","object":)" + Object("web", 6) + "}");
  EXPECT_EQ(told.Pop(), "AutoScalePolicy web");
  lines.Push(R"({"type":"DELETED","object":)" + Object("web", 7) + "}");
  EXPECT_EQ(told.Pop(), "AutoScalePolicy web deleted");
  EXPECT_EQ(told.Pop(), "ended");
}

// What changed between the caller's reading and the first list is told as well.
TEST(FollowAutoscalers, TellsWhatIsGoneSinceItWasRead) {
  support::FakeTransport transport(
      [](const kube::Request&) -> Result<kube::Response> {
        return kube::Response{200, R"({"metadata":{"resourceVersion":"5"},"items":[)" +
                                       Object("same", 3) + "," + Object("edited", 4) + "]}"};
      },
      support::SilentStream);
  FollowedAutoscalers followed{.namespace_ = "shop", .kinds = {api::kPolicyKind}};
  for (const char* name : {"same", "edited", "gone"}) {
    api::Autoscaler known;
    known.kind = api::kPolicyKind;
    known.metadata = {.name = name, .namespace_ = "shop", .uid = "u", .resource_version = "3"};
    followed.known.push_back(known);
  }
  std::vector<std::string> told;
  FollowAutoscalers(transport, followed, [&](const AutoscalerChange& change) {
    told.push_back(change.autoscaler.metadata.name + (change.deleted ? " deleted" : ""));
    return told.size() < 2;
  });
  EXPECT_THAT(told, ::testing::UnorderedElementsAre("gone deleted", "edited"));
}

TEST(FollowAutoscalers, EndsWhenARequestWould) {
  support::FakeTransport transport(
      [](const kube::Request&) -> Result<kube::Response> {
        return kube::Response{200, R"({"metadata":{"resourceVersion":"5"},"items":[]})"};
      },
      support::SilentStream);
  FollowAutoscalers(
      transport,
      {.namespace_ = "shop", .kinds = {api::kPolicyKind}, .at_most = std::chrono::milliseconds(1)},
      [](const AutoscalerChange&) { return true; });
}

Summary Web(const std::string& ready, std::int32_t current) {
  return {.kind = api::kPolicyKind,
          .namespace_ = "shop",
          .name = "web",
          .current = current,
          .ready = ready};
}

std::string Printed(const GetStyle& style, const std::function<void(GetPrinter&)>& use) {
  ::testing::internal::CaptureStdout();
  GetPrinter printer(style);
  printer.Print({Web("False", 1)});
  use(printer);
  return ::testing::internal::GetCapturedStdout();
}

TEST(GetPrinter, ShowsWhatHasChanged) {
  const GetStyle style{.output = GetOutput::kJson, .watch = true};
  const std::string begin = Printed(style, [](GetPrinter&) {});
  EXPECT_THAT(begin, ::testing::StartsWith(R"({"kind":"AutoScalePolicy")"));
  EXPECT_EQ(Printed(style, [](GetPrinter& printer) { printer.Changed(Web("False", 1)); }), begin);
  EXPECT_THAT(Printed(style, [](GetPrinter& printer) { printer.Changed(Web("False", 2)); }),
              HasSubstr("}\n{\"kind\""));
  EXPECT_THAT(Printed(style,
                      [](GetPrinter& printer) {
                        printer.Deleted(Web("False", 1));
                        printer.Deleted(Web("False", 1));
                      }),
              ::testing::AllOf(HasSubstr(R"("ready":"Deleted")"), ::testing::EndsWith("}\n")));
}

TEST(GetPrinter, ShowsThatOneIsReadyAgain) {
  const GetStyle style{.headers = false, .unhealthy = true, .watch = true};
  const std::string shown = Printed(style, [](GetPrinter& printer) {
    printer.Changed(Web("True", 2));
    printer.Changed(Web("True", 3));
  });
  EXPECT_EQ(std::ranges::count(shown, '\n'), 2) << shown;
  EXPECT_THAT(shown, HasSubstr("True"));
  EXPECT_THAT(shown, Not(HasSubstr("  3  ")));
}

}  // namespace
}  // namespace ballast::cli
