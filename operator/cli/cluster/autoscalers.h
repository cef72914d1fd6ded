// Reads policies and HPAs from an API server.
//
// Thread-safety: thread-safe if the client is.
// Errors: as below.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "api/autoscaling/types.h"
#include "api/base/result.h"
#include "operator/cli/autoscaler_name.h"
#include "operator/kube/client.h"

namespace ballast::cli {

struct FoundAutoscalers {
  std::vector<api::Autoscaler> all;   // by namespace and name, policies before HPAs
  std::vector<std::string> problems;  // a sentence each, as of a kind that could not be read
  std::set<std::string> unread;       // the kinds that could not be read
};

// Both kinds in the namespace, or in all if it is empty; one request for each kind and page of 500.
FoundAutoscalers ListAutoscalers(kube::Client& client, const std::string& namespace_);

// The autoscalers of that name, at most one of each kind; that there is none is a problem.
FoundAutoscalers FindAutoscalers(kube::Client& client, const AutoscalerName& name,
                                 const std::string& default_namespace);

// The only one. kConflict: there is one of each kind. kUnavailable: there is none, or a kind cannot
// be read, so that there may be another.
Result<api::Autoscaler> FindAutoscaler(kube::Client& client, const AutoscalerName& name,
                                       const std::string& default_namespace);

}  // namespace ballast::cli
