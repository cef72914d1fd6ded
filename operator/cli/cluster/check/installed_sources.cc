#include "operator/cli/cluster/check/installed_sources.h"

#include <string>
#include <utility>

#include "api/json/json.h"
#include "operator/kube/resource.h"

namespace ballast::cli {
namespace {

const kube::Resource kConfigMaps{.version = "v1", .plural = "configmaps", .kind = "ConfigMap"};

}  // namespace

Result<std::optional<std::vector<sources::PrometheusSource>>> ReadInstalledSources(
    kube::Client& client, const Installation& installation) {
  using Sources = std::vector<sources::PrometheusSource>;
  if (installation.metric_sources_file.empty()) {
    return std::optional(Sources());
  }
  if (!installation.metric_sources) {
    return std::optional<Sources>();
  }
  ASSIGN_OR_RETURN(const json::Document document,
                   client.Get(kConfigMaps, *installation.metric_sources));
  json::Decoder decoder(document);
  std::string yaml;
  decoder.root().Member("data").Required(installation.metric_sources_file).Read(yaml);
  TRY(decoder.status());
  ASSIGN_OR_RETURN(Sources parsed, sources::ParseSources(installation.metric_sources_file, yaml));
  return std::optional(std::move(parsed));
}

}  // namespace ballast::cli
