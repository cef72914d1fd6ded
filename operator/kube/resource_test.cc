#include "operator/kube/resource.h"

#include <gtest/gtest.h>

namespace ballast::kube {
namespace {

const Resource kDeployments{.group = "apps", .version = "v1", .plural = "deployments"};
const Resource kPods{.group = "", .version = "v1", .plural = "pods"};
const Resource kNodes{.group = "", .version = "v1", .plural = "nodes", .namespaced = false};

TEST(GroupOf, IsWhatStandsBeforeTheSlash) {
  EXPECT_EQ(GroupOf("apps/v1"), "apps");
  EXPECT_EQ(GroupOf("v1"), "");
}

TEST(Paths, AreThoseOfKubernetes) {
  EXPECT_EQ(CollectionPath(kDeployments, "shop"), "/apis/apps/v1/namespaces/shop/deployments");
  EXPECT_EQ(CollectionPath(kPods, ""), "/api/v1/pods");
  EXPECT_EQ(CollectionPath(kNodes, "ignored"), "/api/v1/nodes");
  EXPECT_EQ(*ObjectPath(kDeployments, {"shop", "web"}, "scale"),
            "/apis/apps/v1/namespaces/shop/deployments/web/scale");
  EXPECT_EQ(*ObjectPath(kNodes, {"", "n1"}), "/api/v1/nodes/n1");
  EXPECT_EQ(*ObjectPath(kPods, {"shop", "a b?x=1"}), "/api/v1/namespaces/shop/pods/a%20b%3Fx%3D1");
}

TEST(ObjectPath, RefusesNamesThatWouldLeadElsewhere) {
  for (const char* name : {"", ".", "..", "web/scale", "../../nodes/n1", "a%2fb"}) {
    EXPECT_FALSE(ObjectPath(kPods, {"shop", name}).ok()) << name;
    EXPECT_FALSE(ObjectPath(kPods, {name, "web"}).ok()) << name;
    EXPECT_TRUE(*name == '\0' || !ObjectPath(kPods, {"shop", "web"}, name).ok()) << name;
  }
}

}  // namespace
}  // namespace ballast::kube
