// The responses of the three metrics APIs: metrics.k8s.io/v1beta1 PodMetrics,
// custom.metrics.k8s.io/v1beta2 MetricValue, external.metrics.k8s.io/v1beta1 ExternalMetricValue.
//
// Errors: none here; Decode notes what does not fit as a problem of the Decoder.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "api/base/time.h"
#include "api/json/json.h"
#include "api/json/json_writer.h"
#include "api/kubernetes/label_selector.h"
#include "api/kubernetes/quantity.h"
#include "api/kubernetes/workload.h"

namespace ballast::api {

struct ContainerMetrics {
  std::string name;
  ResourceList usage;
};

struct PodMetrics {
  std::string name;
  std::string namespace_;
  Labels labels;
  Time timestamp;
  Duration window;
  std::vector<ContainerMetrics> containers;
};

// An item of a MetricValueList (custom) or ExternalMetricValueList.
struct MetricValue {
  std::string described_object;  // custom: describedObject.name
  std::string metric_name;
  Labels metric_labels;  // external
  std::optional<Time> timestamp;
  std::optional<std::int64_t> window_seconds;
  Quantity value;
};

void Decode(const json::Cursor& in, PodMetrics& out);
void Decode(const json::Cursor& in, MetricValue& out);
void Encode(json::Writer& out, const PodMetrics& metrics);
void Encode(json::Writer& out, const MetricValue& value);

}  // namespace ballast::api
