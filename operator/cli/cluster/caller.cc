#include "operator/cli/cluster/caller.h"

#include "api/json/json.h"
#include "operator/kube/resource.h"

namespace ballast::cli {

std::string CallerOf(kube::Client& client) {
  const kube::Resource reviews{.group = "authentication.k8s.io",
                               .version = "v1",
                               .plural = "selfsubjectreviews",
                               .kind = "SelfSubjectReview",
                               .namespaced = false};
  const auto review = client.Create(
      reviews, "", R"({"apiVersion":"authentication.k8s.io/v1","kind":"SelfSubjectReview"})");
  if (!review.ok()) {
    return "";
  }
  json::Decoder decoder(*review);
  std::string user;
  decoder.root().Member("status").Member("userInfo").Member("username").Read(user);
  return decoder.status().ok() ? user : "";
}

}  // namespace ballast::cli
