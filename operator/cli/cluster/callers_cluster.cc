#include "operator/cli/cluster/callers_cluster.h"

#include <chrono>
#include <filesystem>
#include <iostream>
#include <stop_token>
#include <utility>

#include "operator/kube/auth/load_config.h"
#include "operator/kube/http/connect.h"
#include "operator/os/environment.h"

namespace ballast::cli {
namespace {

// The file that kubectl reads where none is named; empty: there is none.
std::string UsersKubeconfig() {
  const std::string home = os::Environment("HOME");
  const std::string file = home + "/.kube/config";
  std::error_code ignored;
  return !home.empty() && std::filesystem::exists(file, ignored) ? file : "";
}

// Gives each call the time that the caller allows, instead of its own.
class TimedTransport : public kube::Transport {
 public:
  TimedTransport(std::unique_ptr<kube::Transport> transport, std::chrono::milliseconds timeout)
      : transport_(std::move(transport)), timeout_(timeout) {}

  Result<kube::Response> Do(const kube::Request& request) override {
    kube::Request timed = request;
    timed.timeout = timeout_;
    return transport_->Do(timed);
  }
  Status Stream(const kube::Request& request, const kube::LineSink& sink,
                std::stop_token stop) override {
    return transport_->Stream(request, sink, std::move(stop));
  }
  std::unique_ptr<kube::BegunStream> Begin(const kube::Request& request, const kube::LineSink& sink,
                                           std::stop_token stop,
                                           const std::function<void()>& changed) override {
    return transport_->Begin(request, sink, std::move(stop), changed);
  }

 private:
  std::unique_ptr<kube::Transport> transport_;
  std::chrono::milliseconds timeout_;
};

}  // namespace

void AddKubeconfig(flags::Command& command, ClusterOptions& options) {
  AddKubectlFlags(command, options,
                  "How to reach the cluster; default: $KUBECONFIG, else ~/.kube/config, else the "
                  "pod's service account");
}

void AddCluster(flags::Command& command, ClusterOptions& options) {
  AddKubeconfig(command, options);
  command.AddOption("-n,--namespace", options.namespace_,
                    "The namespace; default: that of the kubeconfig's context");
}

void PrintWarning(const std::string& text) { std::cerr << "Warning: " << text << "\n"; }

Result<ClusterConnection> Connect(const ClusterOptions& options,
                                  const std::function<void(const std::string&)>& on_warning) {
  const bool named = !options.kubeconfig.empty() || !os::Environment("KUBECONFIG").empty();
  ASSIGN_OR_RETURN(const kube::ClusterConfig config,
                   kube::LoadConfig(named ? options.kubeconfig : UsersKubeconfig(),
                                    {.context = options.context,
                                     .cluster = options.cluster,
                                     .user = options.user,
                                     .as = options.as,
                                     .as_uid = options.as_uid,
                                     .as_groups = options.as_groups}));
  // The name of what is written in managedFields begins with the agent's.
  ASSIGN_OR_RETURN(auto transport,
                   kube::Connect(config, {.user_agent = "kubectl-ballast/" BALLAST_VERSION,
                                          .on_warning = on_warning}));
  if (const auto timeout = RequestTimeout(options)) {
    constexpr std::chrono::milliseconds kForever = std::chrono::hours(24);
    transport = std::make_unique<TimedTransport>(std::move(transport),
                                                 timeout->count() == 0 ? kForever : *timeout);
  }
  return ClusterConnection{
      .transport = std::move(transport),
      .namespace_ = options.namespace_.empty() ? config.namespace_ : options.namespace_};
}

}  // namespace ballast::cli
