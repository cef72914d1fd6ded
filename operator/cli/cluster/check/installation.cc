#include "operator/cli/cluster/check/installation.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <map>
#include <string_view>
#include <utility>

#include "api/json/json.h"
#include "operator/cli/pods/find_pods.h"
#include "operator/cluster/resources.h"

namespace ballast::cli {
namespace {

constexpr const char* kInstance = "app.kubernetes.io/instance";
constexpr const char* kVersion = "app.kubernetes.io/version";

using Flags = std::multimap<std::string, std::string>;

// "--name=value" and "--name"; the chart uses no other form.
Flags ReadFlags(const json::Cursor& arguments) {
  Flags flags;
  for (const json::Cursor& argument : arguments.Elements()) {
    const std::string_view text = argument.Text();
    const std::size_t equals = text.find('=');
    flags.emplace(text.substr(0, equals),
                  equals == std::string_view::npos ? "" : text.substr(equals + 1));
  }
  return flags;
}

std::vector<std::string> All(const Flags& flags, const char* name) {
  std::vector<std::string> values;
  const auto [begin, end] = flags.equal_range(name);
  std::transform(begin, end, std::back_inserter(values),
                 [](const auto& flag) { return flag.second; });
  return values;
}

std::string One(const Flags& flags, const char* name, const std::string& fallback = "") {
  const auto found = flags.find(name);
  return found == flags.end() ? fallback : found->second;
}

std::optional<api::ObjectKey> KeyOf(const std::string& text) {
  const std::size_t slash = text.find('/');
  return slash == std::string::npos
             ? std::nullopt
             : std::optional(api::ObjectKey{text.substr(0, slash), text.substr(slash + 1)});
}

void ReadFlagsInto(const Flags& flags, Installation& to) {
  to.serves = All(flags, "--namespace");
  to.takes_over = All(flags, "--hpa-takeover-namespace");
  if (flags.contains("--leader-elect")) {
    to.lease = {One(flags, "--leader-elect-resource-namespace", to.namespace_),
                One(flags, "--leader-elect-resource-name", "ballast")};
  }
  to.has_webhook = flags.contains("--webhook-address");
  to.webhook_secret = KeyOf(One(flags, "--webhook-secret"));
  to.webhook_configuration = One(flags, "--webhook-configuration");
}

// The ConfigMap of the volume that the operator has at the folder; empty: it is another volume.
std::string ConfigMapAt(const json::Cursor& pod, std::string_view folder) {
  std::string_view volume;
  for (const json::Cursor& mount : OperatorContainerOf(pod).Member("volumeMounts").Elements()) {
    if (mount.Member("mountPath").Text() == folder) {
      volume = mount.Member("name").Text();
    }
  }
  for (const json::Cursor& one : pod.Member("spec").Member("volumes").Elements()) {
    if (!volume.empty() && one.Member("name").Text() == volume) {
      return std::string(one.Member("configMap").Member("name").Text());
    }
  }
  return "";
}

void ReadMetricSources(const json::Cursor& pod, const std::string& file, Installation& to) {
  const std::size_t slash = file.rfind('/');
  to.metric_sources_file = file.substr(slash == std::string::npos ? 0 : slash + 1);
  const std::string map = slash == std::string::npos ? "" : ConfigMapAt(pod, file.substr(0, slash));
  if (!map.empty()) {
    to.metric_sources = {to.namespace_, map};
  }
}

bool IsReady(const json::Cursor& status) {
  for (const json::Cursor& condition : status.Member("conditions").Elements()) {
    if (condition.Member("type").Text() == "Ready") {
      return condition.Member("status").Text() == "True";
    }
  }
  return false;
}

// The first thing that a pod says of why it is not ready.
std::string TroubleOf(const json::Cursor& status) {
  for (const json::Cursor& container : status.Member("containerStatuses").Elements()) {
    for (const char* state : {"waiting", "terminated"}) {
      const json::Cursor why = container.Member("state").Member(state);
      if (!why.Member("reason").Text().empty()) {
        std::string text(why.Member("reason").Text());
        const std::string_view message = why.Member("message").Text();
        return message.empty() ? text : text + ": " + std::string(message);
      }
    }
  }
  for (const json::Cursor& condition : status.Member("conditions").Elements()) {
    if (condition.Member("status").Text() == "False" &&
        !condition.Member("message").Text().empty()) {
      return std::string(condition.Member("message").Text());
    }
  }
  return "";
}

OperatorPod ReadPod(const json::Cursor& pod, const api::ObjectMeta& metadata) {
  const json::Cursor status = pod.Member("status");
  OperatorPod made{.name = metadata.name, .ready = IsReady(status)};
  if (const auto version = metadata.labels->find(kVersion); version != metadata.labels.end()) {
    made.version = version->second;
  }
  made.trouble = made.ready ? "" : TroubleOf(status);
  for (const json::Cursor& container : status.Member("containerStatuses").Elements()) {
    std::int32_t restarts = 0;
    container.Member("restartCount").Read(restarts);
    made.restarts += restarts;
  }
  return made;
}

// Adds the pod to its installation, if it is an operator's: the program has other commands.
void Add(const json::Cursor& pod, std::map<std::string, Installation>& all) {
  const json::Cursor container = OperatorContainerOf(pod);
  if (!container.present()) {
    return;
  }
  api::ObjectMeta metadata;
  Decode(pod.Member("metadata"), metadata);
  const auto release = metadata.labels->find(kInstance);
  const std::string name = release == metadata.labels.end() ? "" : release->second;
  Installation& installation = all[metadata.namespace_ + "/" + name];
  installation.namespace_ = metadata.namespace_;
  installation.release = name;
  installation.service_account = {
      metadata.namespace_, std::string(pod.Member("spec").Member("serviceAccountName").Text())};
  const Flags flags = ReadFlags(container.Member("args"));
  ReadFlagsInto(flags, installation);
  ReadMetricSources(pod, One(flags, "--metric-sources"), installation);
  installation.pods.push_back(ReadPod(pod, metadata));
}

Result<std::map<std::string, Installation>> ListInstallations(kube::Client& client,
                                                              const std::string& namespace_) {
  std::map<std::string, Installation> all;
  TRY(client.List(cluster::kPods, {.namespace_ = namespace_, .label_selector = kOwnLabel},
                  [&](const json::Cursor& pod) {
                    Add(pod, all);
                    return Status(Done{});
                  }));
  return all;
}

}  // namespace

Result<Installation> FindInstallation(kube::Client& client, const std::string& namespace_,
                                      const std::string& own_namespace) {
  auto all = ListInstallations(client, namespace_);
  if (!all.ok() && all.error().code == Code::kForbidden && namespace_.empty()) {
    all = ListInstallations(client, own_namespace);
  }
  if (!all.ok()) {
    return all.error();
  }
  if (all->size() > 1) {
    std::string names;
    for (const auto& [name, installation] : *all) {
      names += (names.empty() ? "" : ", ") + name;
    }
    return Error{Code::kInvalid, "there are several installations (" + names + ")"};
  }
  if (!all->empty()) {
    return std::move(all->begin()->second);
  }
  Installation none{.namespace_ = namespace_};
  if (!namespace_.empty()) {
    none.lease = {namespace_, "ballast"};
  }
  return none;
}

}  // namespace ballast::cli
