// The types of workloads that kubectl knows without asking the cluster: deployment, sts, rs.apps.
#pragma once

#include <string>
#include <vector>

namespace ballast::cli {

struct WorkloadType {
  const char* kind;
  const char* api_version;
  std::vector<std::string> names;
};

// "deploy", "Deployments.apps", "sts.v1.apps". Null: none of them.
const WorkloadType* FindWorkloadType(const std::string& word);

// All names of all of them.
std::vector<std::string> WorkloadTypeNames();

}  // namespace ballast::cli
