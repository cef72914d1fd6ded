#include "operator/cli/pods/pod_options.h"

#include <filesystem>
#include <system_error>
#include <utility>

#include "operator/cli/selection.h"
#include "store/sqlite/files.h"

namespace ballast::cli {

void AddPods(flags::Command& command, PodOptions& options) {
  for (flags::Option& option :
       AddKubectlFlags(command, options, "Ask Ballast's pods in that cluster, through kubectl")) {
    option.Excludes("--store");
  }
  command
      .AddOption("--ballast-namespace", options.ballast_namespace,
                 "The namespace of Ballast's pods; default: that of the account with its role in "
                 "the cluster")
      .Excludes("--store");
  command
      .AddOption("--ballast-statefulset", options.ballast_statefulset,
                 "The StatefulSet of Ballast's pods, if others there look alike")
      .Excludes("--store");
}

bool ReadsFiles(const flags::Command& command, const PodOptions& options) {
  return command.Given("--store") || ReadsDefaultFile(options);
}

bool ReadsDefaultFile(const PodOptions& options) {
  std::error_code ignored;
  return !options.any() && options.ballast_namespace.empty() &&
         options.ballast_statefulset.empty() &&
         std::filesystem::exists(store::kDefaultPath, ignored);
}

Result<AutoscalerChoice> InContext(const PodOptions& options, AutoscalerChoice of) {
  ASSIGN_OR_RETURN(const AutoscalerName name, Combine(of));
  if (of.name.empty() || !name.namespace_.empty()) {
    return of;
  }
  auto context = KubectlOutput(options, {"config", "view", "--minify", "--output",
                                         "jsonpath={.contexts[0].context.namespace}"});
  if (!context.ok()) {
    return Error{context.error().code,
                 "the namespace of \"" + of.name + "\" is not known: " + context.error().message +
                     " (choose a context with --context, or the namespace with -n)"};
  }
  of.namespace_ = context->empty() ? "default" : *std::move(context);
  return of;
}

}  // namespace ballast::cli
