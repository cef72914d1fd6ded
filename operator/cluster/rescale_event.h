// The Kubernetes event that a HorizontalPodAutoscaler's controller emits when it has scaled: it
// says to how many replicas, and why.
//
// Errors: none; decoding notes what does not fit as a problem of the Decoder.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "api/base/time.h"
#include "api/json/json.h"
#include "api/kubernetes/meta.h"
#include "operator/kube/resource.h"

namespace ballast::cluster {

struct RescaleEvent {
  api::ObjectKey hpa;
  std::string uid;      // of the HPA
  std::string message;  // "New size: 5; reason: cpu resource utilization ... above target"
  Time time;            // when it was last emitted
  bool own = false;     // emitted by Ballast, in mode manage
};

// How to watch these events, and no others.
extern const kube::Resource kRescaleEvents;
extern const char* const kRescaleEventSelector;  // a field selector

// The message is made printable.
RescaleEvent DecodeRescaleEvent(const json::Cursor& event);

// The newest event of another controller, emitted at `since` or later, about the HPA with that uid
// and that new size; null: there is none.
using RescaleEventPointer = std::shared_ptr<const RescaleEvent>;
RescaleEventPointer FindRescale(const std::vector<RescaleEventPointer>& events,
                                const std::string& uid, std::int32_t size, Time since);

}  // namespace ballast::cluster
