// A Kubernetes Event (events.k8s.io/v1): its contents, and the calls that create and update it.
//
// Thread-safety: plain values, pure functions; Send: as the client.
// Errors: Send returns the client's.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <variant>

#include "api/base/result.h"
#include "api/base/time.h"
#include "api/kubernetes/meta.h"
#include "operator/kube/client.h"

namespace ballast::runtime {

// The object that the event is about (v1 ObjectReference, without resourceVersion, with which no
// event would repeat another).
struct InvolvedObject {
  std::string api_version;
  std::string kind;
  std::string namespace_;  // empty for cluster scope: the event goes to "default"
  std::string name;
  std::string uid;
  friend auto operator<=>(const InvolvedObject&, const InvolvedObject&) = default;
};

struct ClusterEvent {
  InvolvedObject regarding;
  std::string type = "Normal";                        // or "Warning"
  std::string reason;                                 // CamelCase, at most 128 bytes
  std::string action;                                 // what was done or tried: "Rescale"
  std::string note;                                   // for people; at most 1024 bytes, see CutNote
  std::string controller = "ballast.dev/autoscaler";  // reportingController
  friend auto operator<=>(const ClusterEvent&, const ClusterEvent&) = default;
};

// Creates the Event object.
struct PostEvent {
  ClusterEvent event;
  api::ObjectKey object;
  Time time;
};

// Raises the count of the Event object's series.
struct RaiseCount {
  api::ObjectKey object;
  std::int32_t count = 0;
  Time last_time;
};

using EventRequest = std::variant<PostEvent, RaiseCount>;

// `instance`: reportingInstance, the name of the process that reports; cut at 128 bytes.
Status Send(kube::Client& client, const std::string& instance, const EventRequest& request);

// A key for the Event object: the name of `regarding`, shortened if need be, and the time in
// nanoseconds, which distinguishes it from all made at other times.
api::ObjectKey NameEvent(const InvolvedObject& regarding, Time now);

// The event with its note cut to the length that the API accepts.
ClusterEvent CutNote(ClusterEvent event);

}  // namespace ballast::runtime
