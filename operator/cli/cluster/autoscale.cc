#include "operator/cli/cluster/autoscale.h"

#include <cctype>
#include <charconv>
#include <string_view>
#include <tuple>
#include <utility>

#include "api/autoscaling/types.h"
#include "api/base/digit.h"
#include "api/base/near_names.h"
#include "api/json/json.h"
#include "api/json/json_writer.h"
#include "api/kubernetes/quantity.h"
#include "operator/cli/manifests/rule_check.h"
#include "operator/cli/workload_type.h"
#include "operator/cluster/resources.h"

namespace ballast::cli {
namespace {

constexpr const char* kManager = "kubectl-ballast-autoscale";

// "deployment", "deployments.apps", or Kind.version.group for any other: its plural cannot be
// known without the cluster.
Result<api::CrossVersionObjectReference> TargetOf(const std::string& text) {
  const std::size_t slash = text.find('/');
  if (slash == 0 || slash == std::string::npos || slash + 1 == text.size() ||
      text.find('/', slash + 1) != std::string::npos) {
    return Error{Code::kInvalid, "\"" + text + "\" is not TYPE/NAME, like deployment/web"};
  }
  const std::string_view type = std::string_view(text).substr(0, slash);
  const std::string name = text.substr(slash + 1);
  if (const WorkloadType* const known = FindWorkloadType(std::string(type))) {
    return api::CrossVersionObjectReference{known->api_version, known->kind, name};
  }
  const std::size_t dot = type.find('.');
  const std::size_t next = dot == std::string_view::npos ? dot : type.find('.', dot + 1);
  if (next == std::string_view::npos || std::isupper(static_cast<unsigned char>(type[0])) == 0) {
    return Error{Code::kInvalid,
                 "the type \"" + std::string(type) +
                     "\" is none of deployment, statefulset, replicaset and replicationcontroller; "
                     "others have the form Kind.version.group, like Rollout.v1alpha1.argoproj.io" +
                     DidYouMean(std::string(type.substr(0, type.find('.'))), WorkloadTypeNames())};
  }
  return api::CrossVersionObjectReference{
      std::string(type.substr(next + 1)) + "/" + std::string(type.substr(dot + 1, next - dot - 1)),
      std::string(type.substr(0, dot)), name};
}

// What --cpu or --memory says.
Result<api::MetricTarget> MetricTargetOf(const std::string& flag, const std::string& text,
                                         const char* unit) {
  api::MetricTarget target;
  if (text.ends_with('%')) {
    std::int32_t percent = 0;
    const char* const end = text.data() + text.size() - 1;
    const auto [at, error] = std::from_chars(text.data(), end, percent);
    if (error != std::errc() || at != end || percent <= 0) {
      return Error{Code::kInvalid,
                   flag + " " + text + ": must be a whole number of percent above 0"};
    }
    target.type = "Utilization";
    target.average_utilization = percent;
    return target;
  }
  const auto quantity = ParseQuantity(IsAllDigits(text) ? text + unit : text);
  if (!quantity.ok() || quantity->Sign() <= 0) {
    return Error{Code::kInvalid, flag + " " + text +
                                     ": must be a percentage like 60%, or a quantity "
                                     "above 0 like 500" +
                                     unit};
  }
  target.type = "AverageValue";
  target.average_value = *quantity;
  return target;
}

Status AddMetric(const char* resource, const std::string& text, const char* unit,
                 api::AutoscalerSpec& spec) {
  if (text.empty()) {
    return Done{};
  }
  ASSIGN_OR_RETURN(api::MetricTarget target,
                   MetricTargetOf(std::string("--") + resource, text, unit));
  api::MetricSpec metric{.type = "Resource"};
  metric.resource = api::ResourceMetricSource{resource, std::move(target)};
  spec.metrics.push_back(std::move(metric));
  return Done{};
}

bool AppliedByUs(const json::Cursor& metadata) {
  for (const json::Cursor& entry : metadata.Member("managedFields").Elements()) {
    if (entry.Member("manager").Text() == kManager && entry.Member("operation").Text() == "Apply") {
      return true;
    }
  }
  return false;
}

}  // namespace

Result<std::string> MakePolicy(const AutoscaleRequest& request) {
  ASSIGN_OR_RETURN(const auto target, TargetOf(request.target));
  api::AutoscalerSpec spec{.scale_target_ref = target,
                           .min_replicas = request.min,
                           .max_replicas = request.max,
                           .pod_selection = api::kOwnedPods};
  TRY(AddMetric("cpu", request.cpu, "m", spec));
  TRY(AddMetric("memory", request.memory, "Mi", spec));
  json::Writer out;
  out.Object([&] {
    out.Field("apiVersion", api::kPolicyApiVersion);
    out.Field("kind", api::kPolicyKind);
    out.Object("metadata", [&] {
      out.Field("name", request.name.empty() ? target.name : request.name);
      if (!request.namespace_.empty()) {
        out.Field("namespace", request.namespace_);
      }
    });
    out.Key("spec");
    Encode(out, spec);
  });
  std::string policy = out.Take();
  const auto document = json::Parse(policy);
  json::Decoder decoder(document.value());
  if (const api::FieldErrors errors = RuleCheck().Check(decoder.root()).errors; !errors.empty()) {
    return Error{Code::kInvalid, api::Print(errors.front())};
  }
  return policy;
}

std::string DoubtAbout(const AutoscaleRequest& request) {
  std::string told;
  for (const auto& [flag, text, unit] :
       {std::tuple("--cpu ", &request.cpu, "m"), std::tuple("--memory ", &request.memory, "Mi")}) {
    if (IsAllDigits(*text) && text->size() < 3) {
      told += (told.empty() ? "" : "; ") + (flag + *text) + " is " + *text + unit +
              " in each pod; for a part of what they request write " + flag + *text + "%";
    }
  }
  return told;
}

Result<ApplyResult> Apply(kube::Client& client, const api::ObjectKey& key, std::string policy) {
  std::string before;  // the resource version
  const auto present = client.Get(cluster::kPolicies, key);
  if (present.ok()) {
    json::Decoder decoder(*present);
    const json::Cursor metadata = decoder.root().Member("metadata");
    before = metadata.Member("resourceVersion").Text();
    if (!AppliedByUs(metadata)) {
      return Error{Code::kConflict,
                   "there is an AutoScalePolicy " + key.Print() +
                       ", which ballast autoscale has not made: name the new one by --name, or "
                       "change that one by kubectl edit"};
    }
  } else if (present.error().code != Code::kNotFound) {
    return present.error();
  }
  ASSIGN_OR_RETURN(const json::Document after,
                   client.Apply(cluster::kPolicies, key, kManager, std::move(policy)));
  json::Decoder decoder(after);
  const bool same = decoder.root().Member("metadata").Member("resourceVersion").Text() == before;
  return before.empty() ? ApplyResult::kCreated
         : same         ? ApplyResult::kUnchanged
                        : ApplyResult::kChanged;
}

}  // namespace ballast::cli
