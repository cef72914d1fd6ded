#include "api/kubernetes/metrics_apis.h"

#include "api/kubernetes/codec.h"

namespace ballast::api {

void Decode(const json::Cursor& in, ContainerMetrics& out) {
  in.Member("name").Read(out.name);
  Decode(in.Member("usage"), out.usage);
}

void Decode(const json::Cursor& in, PodMetrics& out) {
  const json::Cursor metadata = in.Member("metadata");
  metadata.Member("name").Read(out.name);
  metadata.Member("namespace").Read(out.namespace_);
  Decode(metadata.Member("labels"), out.labels);
  Decode(in.Member("timestamp"), out.timestamp);
  Decode(in.Member("window"), out.window);
  Decode(in.Member("containers"), out.containers);
}

void Decode(const json::Cursor& in, MetricValue& out) {
  in.Member("describedObject").Member("name").Read(out.described_object);
  in.Member("metric").Member("name").Read(out.metric_name);  // custom
  in.Member("metricName").Read(out.metric_name);             // external
  Decode(in.Member("metricLabels"), out.metric_labels);
  Decode(in.Member("timestamp"), out.timestamp);
  in.Member("windowSeconds").Read(out.window_seconds);  // custom
  in.Member("window").Read(out.window_seconds);         // external
  Decode(in.Member("value"), out.value);
}

void Encode(json::Writer& out, const ContainerMetrics& container) {
  out.Object([&] {
    out.Field("name", container.name);
    out.Key("usage");
    Encode(out, container.usage);
  });
}

void Encode(json::Writer& out, const PodMetrics& metrics) {
  out.Object([&] {
    out.Object("metadata", [&] {
      EncodeField(out, "name", metrics.name);
      EncodeField(out, "namespace", metrics.namespace_);
      EncodeField(out, "labels", metrics.labels);
    });
    out.Field("timestamp", Print(metrics.timestamp));
    out.Field("window", Print(metrics.window));
    out.Key("containers");
    Encode(out, metrics.containers);
  });
}

void Encode(json::Writer& out, const MetricValue& value) {
  const bool custom = !value.described_object.empty();
  out.Object([&] {
    if (custom) {
      out.Object("describedObject", [&] { out.Field("name", value.described_object); });
      out.Object("metric", [&] { out.Field("name", value.metric_name); });
    } else {
      out.Field("metricName", value.metric_name);
      EncodeField(out, "metricLabels", value.metric_labels);
    }
    EncodeField(out, "timestamp", value.timestamp);
    out.Field(custom ? "windowSeconds" : "window", value.window_seconds);
    out.Field("value", value.value.Print());
  });
}

}  // namespace ballast::api
