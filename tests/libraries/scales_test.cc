// What client-go's scale client makes of a server's answer is what this program makes of it.
#include <gtest/gtest.h>

#include "api/json/json_writer.h"
#include "api/kubernetes/parse_selector.h"
#include "operator/kube/client.h"
#include "tests/libraries/cases.h"
#include "tests/support/fake_transport.h"

namespace ballast::testing {
namespace {

const kube::Resource kTarget{
    .group = "apps.openshift.io", .version = "v1", .plural = "deploymentconfigs"};

Result<std::string> AnswerScale(const json::Cursor&, const json::Cursor& one) {
  support::FakeTransport transport([&](const kube::Request&) -> Result<kube::Response> {
    return kube::Response{200, std::string(one.Member("text").Text())};
  });
  ASSIGN_OR_RETURN(const api::Scale scale,
                   kube::Client(transport).GetScale(kTarget, {"shop", "web"}));
  // The engine parses it, and refuses what cannot be parsed.
  ASSIGN_OR_RETURN(const api::Selector selector, api::ParseSelector(scale.selector));
  std::string printed = selector.Print();
  if (const std::size_t twice = printed.find("=="); twice != std::string::npos) {
    printed.erase(twice, 1);  // means the same, and client-go prints one
  }
  json::Writer out;
  out.Object([&] {
    out.Field("name", scale.metadata.name);
    out.Field("wanted", scale.spec_replicas);
    out.Field("present", scale.status_replicas);
    out.Field("selector", printed);
    if (!scale.metadata.resource_version.empty()) {
      out.Field("resourceVersion", scale.metadata.resource_version);
    }
  });
  return out.Take();
}

TEST(Libraries, ReadScales) { CheckCases("scales", "docs/client.md", AnswerScale); }

}  // namespace
}  // namespace ballast::testing
