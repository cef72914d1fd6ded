#include "operator/controllers/ready_pods.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "operator/kube/client.h"
#include "operator/kube/discovery.h"
#include "tests/support/fake_clock.h"
#include "tests/support/fake_discovery.h"
#include "tests/support/fake_transport.h"

namespace ballast::controllers {
namespace {

using std::chrono::milliseconds;
using testing::ElementsAre;
using testing::IsEmpty;

std::string Metadata(const std::string& name) {
  return R"({"metadata":{"name":")" + name + R"(","namespace":"shop","uid":")" + name +
         R"(","resourceVersion":"3"},"spec":)";
}

std::string Autoscaler(const std::string& name, const std::string& target,
                       const std::string& more = "") {
  return Metadata(name) +
         R"({"scaleTargetRef":{"apiVersion":"apps/v1","kind":"Deployment","name":")" + target +
         R"("},"maxReplicas":9)" + more + "}}";
}

std::string Deployment(const std::string& name) {
  return Metadata(name) + R"({"replicas":2,"selector":{"matchLabels":{"app":")" + name +
         R"("}}},"status":{"replicas":2}})";
}

Result<kube::Response> AnswerRequest(const kube::Request& request) {
  if (const auto discovered = support::DiscoverApps(request.path)) {
    return *discovered;
  }
  std::string items;
  if (request.path.ends_with("/autoscalepolicies")) {
    items = Autoscaler("web", "web") + "," + Autoscaler("db", "db") + "," +
            Autoscaler("fast", "web", R"(,"syncPeriodSeconds":1)") + "," +
            Autoscaler("off", "web", R"(,"mode":"Disabled")");
  } else if (request.path.ends_with("/horizontalpodautoscalers")) {
    items = Autoscaler("hpa", "web");
  } else if (request.path.ends_with("/deployments")) {
    items = Deployment("web") + "," + Deployment("db");
  }
  return kube::Response{200, R"({"metadata":{"resourceVersion":"5"},"items":[)" + items + "]}"};
}

class ReadyPodsTest : public testing::Test {
 protected:
  ReadyPodsTest() {
    watches_.Start();
    EXPECT_TRUE(watches_.policies.WaitForSync(std::chrono::minutes(1)));
    EXPECT_TRUE(watches_.hpas.WaitForSync(std::chrono::minutes(1)));
    const auto deployments = targets_.Resolve({"apps/v1", "Deployment", ""});
    static_cast<void>(targets_.Read(*deployments, {"shop", "web"}));  // starts the watch
    while (targets_.Selecting("shop", {{"app", "db"}}).empty() ||
           targets_.Selecting("shop", {{"app", "web"}}).empty()) {
      std::this_thread::yield();
    }
  }

  cluster::PodCache::Pointer Pod(const std::string& app, const char* ready) {
    api::Pod pod;
    pod.metadata.name = app + "-0";
    pod.metadata.namespace_ = "shop";
    pod.metadata.labels = {{"app", app}, {"tier", "front"}};
    pod.ready = api::Condition{"Ready", ready, "", "", {}};
    return std::make_shared<const cluster::PackedPod>(packer_.Pack(pod));
  }
  // Each policy as "name after milliseconds".
  std::vector<std::string> See(const cluster::PodCache::Pointer& before,
                               const cluster::PodCache::Pointer& after) {
    std::vector<std::string> due;
    for (const auto& [policy, wait] : ready_.See({{"shop", "web-0"}, before, after})) {
      due.push_back(policy.name + " after " +
                    std::to_string(std::chrono::duration_cast<milliseconds>(wait).count()));
    }
    return due;
  }

  cluster::PodPacker packer_;
  support::FakeClock clock_;
  support::FakeTransport transport_{AnswerRequest, support::SilentStream};
  kube::Client client_{transport_};
  kube::RestMapper mapper_{transport_};
  cluster::Watches watches_{transport_, clock_, {}};
  cluster::ScaleTargets targets_{transport_, client_, mapper_, clock_, {}, Duration::Seconds(120)};
  ReadyPods ready_{watches_, targets_, clock_};
};

TEST_F(ReadyPodsTest, AreThoseThatHaveBecomeReady) {
  const auto ready = Pod("web", "True");
  const auto unready = Pod("web", "False");
  EXPECT_THAT(See(nullptr, unready), IsEmpty());
  EXPECT_THAT(See(ready, ready), IsEmpty());
  EXPECT_THAT(See(ready, unready), IsEmpty());
  EXPECT_THAT(See(ready, nullptr), IsEmpty());
  EXPECT_THAT(See(nullptr, Pod("other", "True")), IsEmpty());
  EXPECT_THAT(See(unready, ready), ElementsAre("web after 0"));
  EXPECT_THAT(See(nullptr, Pod("db", "True")), ElementsAre("db after 0"));
}

TEST_F(ReadyPodsTest, EvaluateAPolicyAtMostOnceASecond) {
  const auto ready = Pod("web", "True");
  EXPECT_THAT(See(nullptr, ready), ElementsAre("web after 0"));
  clock_.Advance(milliseconds(400));
  EXPECT_THAT(See(nullptr, ready), ElementsAre("web after 600"));
  clock_.Advance(milliseconds(100));
  EXPECT_THAT(See(nullptr, ready), IsEmpty()) << "it is to come";
  clock_.Advance(milliseconds(600));
  EXPECT_THAT(See(nullptr, ready), ElementsAre("web after 900"));
  clock_.Advance(milliseconds(5000));
  EXPECT_THAT(See(nullptr, ready), ElementsAre("web after 0"));
}

}  // namespace
}  // namespace ballast::controllers
