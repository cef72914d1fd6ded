#include "api/kubernetes/workload.h"

#include "api/json/json_writer.h"
#include "api/kubernetes/codec.h"

namespace ballast::api {

void Decode(const json::Cursor& in, Container& out) {
  in.Member("name").Read(out.name);
  Decode(in.Member("resources").Member("requests"), out.requests);
  out.restart_always = in.Member("restartPolicy").Text() == "Always";
}

void Decode(const json::Cursor& in, Pod& out) {
  Decode(in.Member("metadata"), out.metadata);
  const json::Cursor spec = in.Member("spec");
  Decode(spec.Member("containers"), out.containers);
  Decode(spec.Member("initContainers"), out.init_containers);
  const json::Cursor resources = spec.Member("resources");
  out.has_pod_resources = resources.present();
  Decode(resources.Member("requests"), out.pod_requests);
  Decode(spec.Member("overhead"), out.overhead);
  const json::Cursor status = in.Member("status");
  status.Member("phase").Read(out.phase);
  Decode(status.Member("startTime"), out.start_time);
  for (const json::Cursor& condition : status.Member("conditions").Elements()) {
    if (condition.Member("type").Text() == "Ready") {
      Decode(condition, out.ready.emplace());
      break;
    }
  }
}

void Decode(const json::Cursor& in, Scale& out) {
  Decode(in.Member("metadata"), out.metadata);
  out.replicas_manager = LastManager(in.Member("metadata"), [](const json::Cursor& entry) {
    return entry.Member("fieldsV1").Member("f:spec").Member("f:replicas").present();
  });
  in.Member("spec").Member("replicas").Read(out.spec_replicas);
  in.Member("status").Member("replicas").Read(out.status_replicas);
  in.Member("status").Member("selector").Read(out.selector);
}

void Encode(json::Writer& out, const Container& container) {
  out.Object([&] {
    out.Field("name", container.name);
    if (!container.requests.empty()) {
      out.Object("resources", [&] { EncodeField(out, "requests", container.requests); });
    }
    if (container.restart_always) {
      out.Field("restartPolicy", "Always");
    }
  });
}

void Encode(json::Writer& out, const Pod& pod) {
  out.Object([&] {
    out.Key("metadata");
    Encode(out, pod.metadata);
    out.Object("spec", [&] {
      EncodeField(out, "containers", pod.containers);
      EncodeField(out, "initContainers", pod.init_containers);
      if (pod.has_pod_resources) {
        out.Object("resources", [&] { EncodeField(out, "requests", pod.pod_requests); });
      }
      EncodeField(out, "overhead", pod.overhead);
    });
    out.Object("status", [&] {
      EncodeField(out, "phase", pod.phase);
      EncodeField(out, "startTime", pod.start_time);
      if (pod.ready) {
        out.Array("conditions", [&] { Encode(out, *pod.ready); });
      }
    });
  });
}

void Encode(json::Writer& out, const Scale& scale) {
  out.Object([&] {
    out.Key("metadata");
    Encode(out, scale.metadata);
    out.Object("spec", [&] { out.Field("replicas", scale.spec_replicas); });
    out.Object("status", [&] {
      out.Field("replicas", scale.status_replicas);
      EncodeField(out, "selector", scale.selector);
    });
  });
}

}  // namespace ballast::api
