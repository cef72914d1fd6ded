// A Kubernetes Event (events.k8s.io/v1): what is said of an object, and the calls that say it.
//
// Thread-safety: plain values, pure functions; Send as the client.
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

// What the event is about (v1 ObjectReference, without the resourceVersion, which would make each
// event a new one).
struct ObjectReference {
  std::string api_version;
  std::string kind;
  std::string namespace_;  // empty for cluster scope: the event goes to "default"
  std::string name;
  std::string uid;
  friend auto operator<=>(const ObjectReference&, const ObjectReference&) = default;
};

struct Event {
  ObjectReference regarding;
  std::string type = "Normal";  // or "Warning"
  std::string reason;           // CamelCase, at most 128 bytes
  std::string action;           // what was done or tried: "Rescale"
  std::string note;             // for people; cut at 1024 bytes
  friend auto operator<=>(const Event&, const Event&) = default;
};

// Who says so.
struct EventReporter {
  std::string controller = "ballast.dev/autoscaler";  // reportingController
  std::string instance = "ballast";  // reportingInstance: the pod's name; cut at 128
};

// Makes the Event object.
struct PostEvent {
  Event event;
  api::ObjectKey object;
  Time time;
};

// The Event object stands for so many by now.
struct RaiseCount {
  api::ObjectKey object;
  std::int32_t count = 0;
  Time last_time;
};

using EventRequest = std::variant<PostEvent, RaiseCount>;

Status Send(kube::Client& client, const EventReporter& reporter, const EventRequest& request);

// A key for the Event object, which no other has that was made at another time.
api::ObjectKey NameEvent(const ObjectReference& regarding, Time now);

// With its note as long as the API takes it.
Event CutNote(Event event);

}  // namespace ballast::runtime
