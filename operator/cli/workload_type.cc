#include "operator/cli/workload_type.h"

#include <algorithm>
#include <string_view>

#include "api/base/lower.h"

namespace ballast::cli {
namespace {

const std::vector<WorkloadType>& All() {
  static const std::vector<WorkloadType> kAll = {
      {"Deployment", "apps/v1", {"deployment", "deployments", "deploy"}},
      {"StatefulSet", "apps/v1", {"statefulset", "statefulsets", "sts"}},
      {"ReplicaSet", "apps/v1", {"replicaset", "replicasets", "rs"}},
      {"ReplicationController", "v1", {"replicationcontroller", "replicationcontrollers", "rc"}},
  };
  return kAll;
}

}  // namespace

const WorkloadType* FindWorkloadType(const std::string& word) {
  const std::string lower = Lower(word);
  const std::string_view plain = std::string_view(lower).substr(0, lower.find('.'));
  const std::string_view rest = std::string_view(lower).substr(plain.size());
  const auto found = std::ranges::find_if(All(), [&](const WorkloadType& type) {
    return std::ranges::count(type.names, plain) > 0 &&
           (rest.empty() || rest == ".apps" || rest == ".v1.apps");
  });
  return found == All().end() ? nullptr : &*found;
}

std::vector<std::string> WorkloadTypeNames() {
  std::vector<std::string> names;
  for (const WorkloadType& type : All()) {
    names.insert(names.end(), type.names.begin(), type.names.end());
  }
  return names;
}

}  // namespace ballast::cli
