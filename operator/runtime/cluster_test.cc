// Tests client, discovery, informer and events against a real kube-apiserver, that of $KUBECONFIG.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "api/json/json_writer.h"
#include "operator/kube/auth/kubeconfig.h"
#include "operator/kube/client.h"
#include "operator/kube/discovery.h"
#include "operator/kube/http/connect.h"
#include "operator/runtime/events.h"
#include "operator/runtime/informer.h"
#include "tests/support/channel.h"
#include "tests/support/fake_transport.h"
#include "tests/support/temp_dir.h"

namespace ballast::runtime {
namespace {

using namespace std::chrono_literals;
using kube::Resource;

const Resource kConfigMaps{
    .group = "", .version = "v1", .plural = "configmaps", .kind = "ConfigMap"};
const Resource kEvents{
    .group = "events.k8s.io", .version = "v1", .plural = "events", .kind = "Event"};
const std::string kNamespace = "default";

std::string ConfigMap(const std::string& name, const std::string& value) {
  return R"({"metadata":{"name":")" + name + R"(","labels":{"watched":"yes"}},"data":{"v":")" +
         value + R"("}})";
}

class ClusterTest : public testing::Test {
 protected:
  void SetUp() override {
    const auto config = kube::LoadKubeconfig(std::getenv("KUBECONFIG"));
    ASSERT_TRUE(config.ok()) << config.error().message;
    auto connected = kube::Connect(*config, {.user_agent = "ballast-test"});
    ASSERT_TRUE(connected.ok()) << connected.error().message;
    transport_ = std::move(connected).value();
    client_ = std::make_unique<kube::Client>(*transport_);
  }

  Status Delete(const Resource& resource, const api::ObjectKey& key) {
    kube::Request request{.method = kube::Method::kDelete};
    ASSIGN_OR_RETURN(request.path, kube::ObjectPath(resource, key));
    TRY(transport_->Do(request));
    return Done{};
  }
  // Checks that an informer through `transport` sees what is done to some ConfigMaps.
  void SeesWhatHappens(kube::Transport& transport);

  process::SystemClock clock_;
  std::unique_ptr<kube::Transport> transport_;
  std::unique_ptr<kube::Client> client_;
};

TEST_F(ClusterTest, DiscoveryKnowsWhatCanBeScaled) {
  kube::RestMapper mapper(*transport_);
  for (const auto& [version, kind, scale] :
       {std::tuple("apps/v1", "Deployment", true), std::tuple("v1", "ReplicationController", true),
        std::tuple("v1", "Pod", false), std::tuple("apps/v1", "DaemonSet", false)}) {
    const auto resource = mapper.Find(version, kind);
    ASSERT_TRUE(resource.ok()) << resource.error().message;
    EXPECT_EQ(resource->has_scale, scale) << kind;
  }
  EXPECT_EQ(mapper.Find("apps/v1", "Gizmo").error().code, Code::kNotFound);
  EXPECT_EQ(mapper.Find("nowhere.io/v1", "Gizmo").error().code, Code::kNotFound);
}

TEST_F(ClusterTest, TheScalePatchChangesOnlyWhatTheDecisionSaw) {
  const auto deployments = kube::RestMapper(*transport_).Find("apps/v1", "Deployment");
  ASSERT_TRUE(deployments.ok()) << deployments.error().message;
  const api::ObjectKey key{kNamespace, "scaled"};
  const auto made = client_->Create(*deployments, kNamespace, R"({"metadata":{"name":"scaled"},
      "spec":{"replicas":3,"selector":{"matchLabels":{"a":"b"}},
      "template":{"metadata":{"labels":{"a":"b"}},
      "spec":{"nodeName":"node-0","containers":[{"name":"c","image":"none"}]}}}})");
  ASSERT_TRUE(made.ok()) << made.error().message;
  const auto scale = client_->GetScale(*deployments, key);
  ASSERT_TRUE(scale.ok()) << scale.error().message;
  EXPECT_EQ(scale->spec_replicas, 3);
  EXPECT_EQ(scale->selector, "a=b");
  const std::string uid = scale->metadata.uid;

  struct Case {
    const char* name;
    api::ScaleChange change;
    bool done;
    int replicas;
  };
  const Case cases[] = {
      {"as seen", {uid, 3, 5}, true, 5},         {"other replicas", {uid, 3, 7}, false, 5},
      {"another object", {"x", 5, 7}, false, 5}, {"not at zero", {uid, 0, 7}, false, 5},
      {"to zero", {uid, 5, 0}, true, 0},         {"no longer above zero", {uid, 5, 7}, false, 0},
      {"from zero", {uid, 0, 2}, true, 2},
  };
  for (const Case& c : cases) {
    const auto patched = client_->PatchScale(*deployments, key, c.change);
    EXPECT_EQ(patched.ok(), c.done) << c.name;
    if (!patched.ok()) {
      EXPECT_EQ(patched.error().code, Code::kConflict) << c.name << patched.error().message;
    }
    EXPECT_EQ(client_->GetScale(*deployments, key)->spec_replicas, c.replicas) << c.name;
  }
  const auto invalid = client_->PatchScale(*deployments, key, {uid, 2, -1});
  ASSERT_FALSE(invalid.ok());
  EXPECT_EQ(invalid.error().code, Code::kInvalid) << invalid.error().message;
  EXPECT_TRUE(Delete(*deployments, key).ok());
  const auto gone = client_->GetScale(*deployments, key);
  ASSERT_FALSE(gone.ok());
  EXPECT_EQ(gone.error().code, Code::kNotFound);
}

TEST_F(ClusterTest, MetadataComesAlone) {
  const api::ObjectKey key{kNamespace, "described"};
  ASSERT_TRUE(client_->Create(kConfigMaps, kNamespace, ConfigMap(key.name, "1")).ok());
  const auto metadata = client_->GetMetadata(kConfigMaps, key);
  ASSERT_TRUE(metadata.ok()) << metadata.error().message;
  EXPECT_EQ(metadata->name, key.name);
  EXPECT_EQ(metadata->labels->at("watched"), "yes");
  const auto answer = transport_->Do(
      {.path = kube::ObjectPath(kConfigMaps, key).value(), .accept = kube::kContentMetadata});
  ASSERT_TRUE(answer.ok()) << answer.error().message;
  EXPECT_THAT(answer->body, testing::HasSubstr("\"PartialObjectMetadata\""));
  EXPECT_THAT(answer->body, testing::Not(testing::HasSubstr("\"data\":{\"v\"")));
  EXPECT_TRUE(Delete(kConfigMaps, key).ok());
}

// Makes the server seem to have no watch-list.
class WithoutStreams final : public kube::Transport {
 public:
  explicit WithoutStreams(Transport& server) : server_(server) {}
  Result<kube::Response> Do(const kube::Request& request) override { return server_.Do(request); }
  Status Stream(const kube::Request& request, const kube::LineSink& sink,
                std::stop_token stop) override {
    TRY(support::RefuseStream(request));
    return server_.Stream(request, sink, std::move(stop));
  }

 private:
  Transport& server_;
};

TEST_F(ClusterTest, TheInformerSeesWhatHappensFromAStream) { SeesWhatHappens(*transport_); }

TEST_F(ClusterTest, TheInformerSeesWhatHappensFromPages) {
  WithoutStreams pages(*transport_);
  SeesWhatHappens(pages);
}

void ClusterTest::SeesWhatHappens(kube::Transport& transport) {
  for (int i = 0; i < 5; ++i) {
    ASSERT_TRUE(
        client_->Create(kConfigMaps, kNamespace, ConfigMap("cm" + std::to_string(i), "0")).ok());
  }
  Informer<std::string> informer(transport, clock_,
                                 {.resource = kConfigMaps,
                                  .namespace_ = kNamespace,
                                  .label_selector = "watched=yes",
                                  .page_limit = 2},
                                 ByCursor<std::string>([](const json::Cursor& object) {
                                   std::string value;
                                   object.Required("data").Required("v").Read(value);
                                   return value;
                                 }));
  support::Channel<std::string> changes;
  informer.AddHandler([&](const Informer<std::string>::Change& change) {
    changes.Push(change.key.name + " " + (change.before ? *change.before : "-") + ">" +
                 (change.after ? *change.after : "-"));
  });
  informer.Start();
  ASSERT_TRUE(informer.WaitForSync(30s));
  EXPECT_EQ(informer.cache().size(), 5U);
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(changes.Pop(), "cm" + std::to_string(i) + " ->0");
  }
  const auto patch = [&](const char* name, const char* body) {
    const auto patched =
        client_->PatchObject(kConfigMaps, {kNamespace, name}, "", kube::PatchType::kMerge, body);
    EXPECT_TRUE(patched.ok()) << patched.error().message;
  };
  patch("cm1", R"({"data":{"v":"1"}})");
  EXPECT_EQ(changes.Pop(), "cm1 0>1");
  patch("cm2", R"({"metadata":{"labels":{"watched":"no"}}})");
  EXPECT_EQ(changes.Pop(), "cm2 0>-") << "it left the selector";
  EXPECT_TRUE(Delete(kConfigMaps, {kNamespace, "cm3"}).ok());
  EXPECT_EQ(changes.Pop(), "cm3 0>-");
  ASSERT_TRUE(client_->Create(kConfigMaps, kNamespace, ConfigMap("cm3", "new")).ok());
  EXPECT_EQ(changes.Pop(), "cm3 ->new");
  informer.Stop();
  for (const char* name : {"cm0", "cm1", "cm2", "cm3", "cm4"}) {
    EXPECT_TRUE(Delete(kConfigMaps, {kNamespace, name}).ok());
  }
}

TEST_F(ClusterTest, EventsAreAcceptedAndRaised) {
  const ClusterEvent event{.regarding = {.api_version = "v1",
                                         .kind = "ConfigMap",
                                         .namespace_ = kNamespace,
                                         .name = "told-about",
                                         .uid = "u1"},
                           .reason = "Tested",
                           .action = "Test",
                           .note = "é and \"quotes\""};
  {
    EventRecorder recorder(*transport_, clock_, {.instance = "test"});
    recorder.Record(event);
    recorder.Record(event);
  }
  int found = 0;
  const Status listed =
      client_->List(kEvents, {.namespace_ = kNamespace, .field_selector = "reason=Tested"},
                    [&](const json::Cursor& item) -> Status {
                      ++found;
                      EXPECT_EQ(item.Member("note").Text(), event.note);
                      EXPECT_EQ(item.Member("series").Member("count").NumberText(), "2");
                      return Done{};
                    });
  ASSERT_TRUE(listed.ok()) << listed.error().message;
  EXPECT_EQ(found, 1);
}

TEST_F(ClusterTest, ActsAsWhomItIsToldTo) {
  auto config = kube::LoadKubeconfig(std::getenv("KUBECONFIG"));
  config->impersonate = {.user = "jane", .groups = {"guests"}};
  const auto pods = (*kube::Connect(*config))->Do({.path = "/api/v1/pods"});
  ASSERT_FALSE(pods.ok());
  EXPECT_EQ(pods.error().code, Code::kForbidden);
  EXPECT_THAT(pods.error().message, testing::HasSubstr("User \"jane\" cannot list"));
}

// The server returns the identity that it sees.
TEST_F(ClusterTest, ActsAsAllThatItIsToldTo) {
  auto config = kube::LoadKubeconfig(std::getenv("KUBECONFIG"));
  config->impersonate = {.user = "jane",
                         .uid = "7",
                         .groups = {"developers", "a, b", "guests"},
                         .extra = {{"acme.org/Why", {"debug", "load"}}, {"scopes", {"all"}}}};
  const auto review =
      (*kube::Connect(*config))
          ->Do({.method = kube::Method::kPost,
                .path = "/apis/authentication.k8s.io/v1/selfsubjectreviews",
                .body = R"({"kind":"SelfSubjectReview","apiVersion":"authentication.k8s.io/v1"})"});
  ASSERT_TRUE(review.ok()) << review.error().message;
  const json::Document document = json::Parse(review->body).value();
  json::Decoder decoder(document);
  const json::Cursor user = decoder.root().Member("status").Member("userInfo");
  EXPECT_EQ(user.Member("username").Text(), "jane");
  EXPECT_EQ(user.Member("uid").Text(), "7");
  EXPECT_EQ(user.Member("groups").Print(),
            R"(["developers","a, b","guests","system:authenticated"])");
  EXPECT_EQ(user.Member("extra").Print(), R"({"acme.org/why":["debug","load"],"scopes":["all"]})");
}

// Only one of the groups has the permission; streams and calls must send all groups.
TEST_F(ClusterTest, EachGroupCounts) {
  const std::string masters = "system:masters";
  struct Case {
    std::vector<std::string> groups;
    bool may;
  };
  const Case cases[] = {{{masters, "guests"}, true},
                        {{"guests", masters}, true},
                        {{"guests", "visitors"}, false},
                        {{"guests, " + masters}, false}};
  for (const Case& c : cases) {
    auto config = kube::LoadKubeconfig(std::getenv("KUBECONFIG"));
    config->impersonate = {.user = "jane", .groups = c.groups};
    const auto transport = kube::Connect(*config).value();
    const kube::Request request{.path = "/api/v1/namespaces/default/configmaps"};
    EXPECT_EQ(transport->Do(request).ok(), c.may) << testing::PrintToString(c.groups);
    EXPECT_EQ(transport->Stream(request, [](auto) { return Done{}; }, {}).ok(), c.may)
        << testing::PrintToString(c.groups);
  }
}

TEST_F(ClusterTest, ACredentialPluginsCertificateIsAccepted) {
  auto config = kube::LoadKubeconfig(std::getenv("KUBECONFIG"));
  json::Writer credential;
  credential.Object([&] {
    credential.Field("apiVersion", "client.authentication.k8s.io/v1");
    credential.Field("kind", "ExecCredential");
    credential.Object("status", [&] {
      credential.Field("clientCertificateData", config->client_certificate.Read().value());
      credential.Field("clientKeyData", config->client_key.Read().value());
    });
  });
  const support::TempDir dir;
  config->client_certificate = {};
  config->client_key = {};
  config->exec = kube::ExecConfig{.api_version = "client.authentication.k8s.io/v1",
                                  .command = "cat",
                                  .args = {dir.Write("credential", credential.Take())}};
  const auto transport = kube::Connect(*config).value();
  const auto pods = transport->Do({.path = "/api/v1/pods"});
  EXPECT_TRUE(pods.ok()) << pods.error().message;
  const Status stream =
      transport->Stream({.path = "/api/v1/pods"}, [](auto) { return Done{}; }, {});
  EXPECT_TRUE(stream.ok()) << stream.error().message;
}

TEST_F(ClusterTest, AnUnknownTokenIsUnauthorized) {
  auto config = kube::LoadKubeconfig(std::getenv("KUBECONFIG"));
  config->client_certificate = {};
  config->client_key = {};
  config->token.text = "nobody";
  auto transport = kube::Connect(*config);
  ASSERT_TRUE(transport.ok());
  const auto unary = (*transport)->Do({.path = "/api/v1/pods"});
  ASSERT_FALSE(unary.ok());
  EXPECT_EQ(unary.error().code, Code::kUnauthorized);
  const Status stream = (*transport)
                            ->Stream({.path = "/api/v1/pods", .query = {{"watch", "true"}}},
                                     [](auto) { return Done{}; }, {});
  ASSERT_FALSE(stream.ok());
  EXPECT_EQ(stream.error().code, Code::kUnauthorized);
}

}  // namespace
}  // namespace ballast::runtime
