#include "operator/cluster/rescale_event.h"

#include <algorithm>
#include <optional>

#include "api/base/printable.h"
#include "api/kubernetes/codec.h"
#include "operator/kube/transport.h"

namespace ballast::cluster {

const kube::Resource kRescaleEvents{.version = "v1", .plural = "events", .kind = "Event"};
const char* const kRescaleEventSelector =
    "involvedObject.kind=HorizontalPodAutoscaler,reason=SuccessfulRescale";

// Controllers use one of two APIs for events: one has lastTimestamp, the other eventTime and, for
// repeated events, series.lastObservedTime.
RescaleEvent DecodeRescaleEvent(const json::Cursor& event) {
  RescaleEvent decoded;
  const json::Cursor hpa = event.Member("involvedObject");
  hpa.Member("namespace").Read(decoded.hpa.namespace_);
  hpa.Member("name").Read(decoded.hpa.name);
  hpa.Member("uid").Read(decoded.uid);
  const auto emitter =
      api::LastManager(event.Member("metadata"), [](const json::Cursor&) { return true; });
  decoded.own = emitter && emitter->manager == api::kFieldManager;
  decoded.message = Printable(event.Member("message").Text());
  for (const json::Cursor& at : {event.Member("lastTimestamp"), event.Member("eventTime"),
                                 event.Member("series").Member("lastObservedTime")}) {
    std::optional<Time> time;
    api::Decode(at, time);
    decoded.time = std::max(decoded.time, time.value_or(decoded.time));
  }
  return decoded;
}

RescaleEventPointer FindRescale(const std::vector<RescaleEventPointer>& events,
                                const std::string& uid, std::int32_t size, Time since) {
  const std::string new_size = "New size: " + std::to_string(size) + ";";
  RescaleEventPointer newest;
  for (const auto& event : events) {
    // client-go writes "(combined from similar events): " before the message after ten of them.
    if (!event->own && event->uid == uid && event->time >= since &&
        event->message.find(new_size) != std::string::npos &&
        (newest == nullptr || event->time > newest->time)) {
      newest = event;
    }
  }
  return newest;
}

}  // namespace ballast::cluster
