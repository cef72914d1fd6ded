#include "api/kubernetes/workload.h"

#include <algorithm>
#include <utility>

#include "api/kubernetes/codec.h"
#include "api/kubernetes/label_selector.h"
#include "api/kubernetes/parse_selector.h"
#include "api/kubernetes/scale_kind.h"

namespace ballast::api {

ResourceList LessThan(const ResourceList& requests, ResourceList has) {
  std::erase_if(has, [&](const auto& amount) {
    const auto request = requests.find(amount.first);
    return request == requests.end() || request->second <= amount.second;
  });
  return has;
}

void Apply(PodResize resize, Pod& pod) {
  if (resize.IsDone()) {
    return;
  }
  pod.pod_has = LessThan(pod.pod_requests, std::move(resize.pod));
  for (auto* containers : {&pod.containers, &pod.init_containers}) {
    std::vector<Container> resized = **containers;
    for (Container& container : resized) {
      for (const PodResize::ContainerHas& has : resize.containers) {
        if (container.name == has.name) {
          container.has = LessThan(container.requests, has.resources);
        }
      }
    }
    *containers = std::move(resized);
  }
}

void Decode(const json::Cursor& in, Container& out) {
  in.Member("name").Read(out.name);
  Decode(in.Member("resources").Member("requests"), out.requests);
  out.restart_always = in.Member("restartPolicy").Text() == "Always";
}

void DecodeHas(const json::Cursor& status, ResourceList& out) {
  for (const json::Cursor& from :
       {status.Member("allocatedResources"), status.Member("resources").Member("requests")}) {
    ResourceList resources;
    Decode(from, resources);
    for (const auto& [name, amount] : resources) {
      LimitTo(amount, name, out);
    }
  }
}

PodResize ResizeOf(const json::Cursor& status, std::int64_t generation) {
  PodResize resize;
  resize.generation = generation;
  status.Member("observedGeneration").Read(resize.observed_generation);
  resize.unfinished = !status.Member("resize").Text().empty();
  for (const json::Cursor& condition : status.Member("conditions").Elements()) {
    resize.Note(std::string(condition.Member("type").Text()),
                std::string(condition.Member("status").Text()));
  }
  DecodeHas(status, resize.pod);
  for (const char* kind : {"containerStatuses", "initContainerStatuses"}) {
    for (const json::Cursor& container : status.Member(kind).Elements()) {
      auto& has = resize.containers.emplace_back();
      container.Member("name").Read(has.name);
      DecodeHas(container, has.resources);
    }
  }
  return resize;
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
      out.ready->observed_generation.reset();  // of no use
      break;
    }
  }
  Apply(ResizeOf(status, std::exchange(out.metadata.generation, 0)), out);  // of no further use
}

// The selector is a map, and its text is in targetSelector.
std::string ReadOldSelector(const json::Cursor& status) {
  LabelSelector labels;
  Decode(status.Member("selector"), labels.match_labels);
  const json::Cursor text = status.Member("targetSelector");
  std::string target;
  if (text.Read(target) && !target.empty()) {
    const auto selector = ParseSelector(target);
    return selector.ok() ? selector->Print() : target;
  }
  const auto selector = ToSelector(labels);
  if (!selector.ok()) {
    status.Member("selector").Fail(selector.error().message);
    return {};
  }
  return selector->Print();
}

void Decode(const json::Cursor& in, Scale& out) {
  Decode(in.Member("metadata"), out.metadata);
  out.replicas_manager = LastManager(in.Member("metadata"), [](const json::Cursor& entry) {
    return entry.Member("fieldsV1").Member("f:spec").Member("f:replicas").present();
  });
  in.Member("spec").Member("replicas").Read(out.spec_replicas);
  const json::Cursor status = in.Member("status");
  status.Member("replicas").Read(out.status_replicas);
  if (IsOldScale(in.Member("apiVersion").Text())) {
    out.selector = ReadOldSelector(status);
  } else {
    status.Member("selector").Read(out.selector);
  }
}

void EncodeRequests(json::Writer& out, const ResourceList& requests) {
  out.Object("resources", [&] { EncodeField(out, "requests", requests); });
}

void Encode(json::Writer& out, const Container& container) {
  out.Object([&] {
    out.Field("name", container.name);
    if (!container.requests.empty()) {
      EncodeRequests(out, container.requests);
    }
    if (container.restart_always) {
      out.Field("restartPolicy", "Always");
    }
  });
}

bool IsResized(const std::vector<Container>& containers) {
  return std::ranges::any_of(containers, [](const Container& c) { return !c.has.empty(); });
}

void EncodeStatuses(json::Writer& out, const char* name, const std::vector<Container>& containers) {
  if (!IsResized(containers)) {
    return;
  }
  out.Array(name, [&] {
    for (const Container& container : containers) {
      out.Object([&] {
        out.Field("name", container.name);
        EncodeRequests(out, container.has);
      });
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
        EncodeRequests(out, pod.pod_requests);
      }
      EncodeField(out, "overhead", pod.overhead);
    });
    out.Object("status", [&] {
      EncodeField(out, "phase", pod.phase);
      EncodeField(out, "startTime", pod.start_time);
      if (pod.ready) {
        out.Array("conditions", [&] { Encode(out, *pod.ready); });
      }
      if (!pod.pod_has.empty()) {
        EncodeRequests(out, pod.pod_has);
      }
      EncodeStatuses(out, "containerStatuses", pod.containers);
      EncodeStatuses(out, "initContainerStatuses", pod.init_containers);
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
