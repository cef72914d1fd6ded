#include "operator/cli/cluster/check/required_rights.h"

#include <algorithm>

#include "operator/cluster/hpa_memory_name.h"

namespace ballast::cli {
namespace {

struct RightsRow {
  const char* group;
  const char* resource;
  const char* subresource;
  std::vector<const char*> verbs;
};

const std::vector<RightsRow>& Served() {
  static const std::vector<RightsRow> kRows = {
      {"ballast.dev", "autoscalepolicies", "", {"get", "list", "watch"}},
      {"ballast.dev", "autoscalepolicies", "status", {"patch"}},
      {"ballast.dev", "autoscaleoverrides", "", {"delete", "list", "watch"}},
      {"ballast.dev", "autoscaleoverrides", "status", {"patch"}},
      {"autoscaling", "horizontalpodautoscalers", "", {"list", "watch"}},
      {"", "pods", "", {"list", "watch"}},
      {"apps", "deployments", "", {"get", "list", "watch"}},
      {"apps", "statefulsets", "", {"get", "list", "watch"}},
      {"apps", "replicasets", "", {"get", "list", "watch"}},
      {"", "replicationcontrollers", "", {"get", "list", "watch"}},
      {"apps", "deployments", "scale", {"get", "patch"}},
      {"apps", "statefulsets", "scale", {"get", "patch"}},
      {"apps", "replicasets", "scale", {"get", "patch"}},
      {"", "replicationcontrollers", "scale", {"get", "patch"}},
      {"metrics.k8s.io", "pods", "", {"list"}},
      {"custom.metrics.k8s.io", "*", "", {"get"}},
      {"external.metrics.k8s.io", "*", "", {"list"}},
      {"events.k8s.io", "events", "", {"create", "patch"}},
      {"", "events", "", {"list", "watch"}},
  };
  return kRows;
}

const std::vector<RightsRow>& ToGetHpas() {
  static const std::vector<RightsRow> kRows = {
      {"autoscaling", "horizontalpodautoscalers", "", {"get"}},
  };
  return kRows;
}

const std::vector<RightsRow>& WithWebhook() {
  static const std::vector<RightsRow> kRows = {
      {"", "resourcequotas", "", {"list"}},
  };
  return kRows;
}

const std::vector<RightsRow>& ToManageHpas() {
  static const std::vector<RightsRow> kRows = {
      {"autoscaling", "horizontalpodautoscalers", "status", {"patch"}},
      {"", "configmaps", "", {"create"}},
  };
  return kRows;
}

void Add(const std::vector<RightsRow>& rows, const std::vector<std::string>& namespaces,
         std::vector<Right>& rights) {
  for (const std::string& namespace_ : namespaces) {
    for (const RightsRow& row : rows) {
      for (const char* verb : row.verbs) {
        rights.push_back({verb, row.group, row.resource, row.subresource, namespace_, ""});
      }
    }
  }
}

void AddNamed(const char* group, const char* resource, const std::string& namespace_,
              const std::string& name, std::vector<Right>& rights) {
  for (const char* verb : {"get", "patch"}) {
    rights.push_back({verb, group, resource, "", namespace_, name});
  }
}

}  // namespace

std::vector<Right> RequiredRights(const Installation& installation,
                                  const std::vector<kube::Resource>& custom) {
  const std::vector<std::string> served =
      installation.serves.empty() ? std::vector<std::string>{""} : installation.serves;
  std::vector<Right> rights;
  Add(Served(), served, rights);
  for (const kube::Resource& resource : custom) {
    const char* group = resource.group.c_str();
    const char* plural = resource.plural.c_str();
    Add({{group, plural, "", {"get", "list", "watch"}}, {group, plural, "scale", {"get", "patch"}}},
        served, rights);
  }
  if (installation.has_webhook) {
    Add(WithWebhook(), served, rights);
  }
  const bool everywhere = std::ranges::count(installation.takes_over, "*") > 0;
  const auto& manages = everywhere ? served : installation.takes_over;
  Add(ToGetHpas(), installation.has_webhook ? served : manages, rights);
  Add(ToManageHpas(), manages, rights);
  for (const std::string& namespace_ : manages) {
    for (std::size_t i = 0; i < cluster::kHpaMemoryObjects; ++i) {
      AddNamed("", "configmaps", namespace_, cluster::HpaMemoryName(i), rights);
    }
  }
  if (installation.lease) {
    const auto& [namespace_, name] = *installation.lease;
    rights.push_back({"create", "coordination.k8s.io", "leases", "", namespace_, ""});
    AddNamed("coordination.k8s.io", "leases", namespace_, name, rights);
  }
  if (installation.webhook_secret) {
    AddNamed("", "secrets", installation.webhook_secret->namespace_,
             installation.webhook_secret->name, rights);
  }
  if (!installation.webhook_configuration.empty()) {
    for (const char* kind : {"mutatingwebhookconfigurations", "validatingwebhookconfigurations"}) {
      AddNamed("admissionregistration.k8s.io", kind, "", installation.webhook_configuration,
               rights);
    }
  }
  return rights;
}

std::string Print(const Right& right) {
  std::string text = right.verb + " " + right.resource;
  text += right.group.empty() ? "" : "." + right.group;
  text += right.subresource.empty() ? "" : "/" + right.subresource;
  text += right.name.empty() ? "" : " " + right.name;
  text += right.namespace_.empty() ? "" : " in " + right.namespace_;
  return text;
}

}  // namespace ballast::cli
