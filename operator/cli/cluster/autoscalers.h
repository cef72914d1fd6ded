// Reads policies and HPAs from an API server.
//
// Thread-safety: thread-safe if the client is.
// Errors: the client's; their messages name the kind.
#pragma once

#include <string>
#include <vector>

#include "api/autoscaling/types.h"
#include "api/base/result.h"
#include "operator/cli/autoscaler_name.h"
#include "operator/kube/client.h"

namespace ballast::cli {

struct FoundAutoscalers {
  std::vector<api::Autoscaler> all;   // by namespace and name, policies before HPAs
  std::vector<std::string> problems;  // a sentence for each kind that could not be read
};

// Both kinds in the namespace, or in all if it is empty; one request for each kind and page of 500.
FoundAutoscalers ListAutoscalers(kube::Client& client, const std::string& namespace_);

// The autoscalers of that name, at most one of each kind. kNotFound: there is none.
Result<std::vector<api::Autoscaler>> FindAutoscalers(kube::Client& client,
                                                     const AutoscalerName& name,
                                                     const std::string& default_namespace);

// The one that `text` names (autoscaler_name.h). kConflict: there is one of each kind.
Result<api::Autoscaler> FindAutoscaler(kube::Client& client, const std::string& text,
                                       const std::string& default_namespace);

}  // namespace ballast::cli
