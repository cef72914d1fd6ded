// A model of kube-apiserver: objects of any kind with resource versions, conflicts, merge and JSON
// patches, the scale and status subresources, and watches with a history that can expire.
//
// It is reached through links (link.h), which have the latencies and the faults; here everything
// happens at one instant. It keeps no Event objects: nobody reads the operator's own.
//
// Thread-safety: one thread.
// Errors: Handle returns what a Transport does for kube-apiserver's answers.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/base/result.h"
#include "api/kubernetes/meta.h"
#include "operator/kube/transport.h"
#include "tests/faults/fibers.h"
#include "tests/faults/json_value.h"

namespace ballast::faults {

inline constexpr const char* kPolicies = "autoscalepolicies.ballast.dev";
inline constexpr const char* kHpas = "horizontalpodautoscalers.autoscaling";
inline constexpr const char* kOverrides = "autoscaleoverrides.ballast.dev";
inline constexpr const char* kConfigMaps = "configmaps";
inline constexpr const char* kEvents = "events";
inline constexpr const char* kDeployments = "deployments.apps";
inline constexpr const char* kReplicaSets = "replicasets.apps";
inline constexpr const char* kPods = "pods";
inline constexpr const char* kSecrets = "secrets";
inline constexpr const char* kMutating =
    "mutatingwebhookconfigurations.admissionregistration.k8s.io";
inline constexpr const char* kValidating =
    "validatingwebhookconfigurations.admissionregistration.k8s.io";
inline constexpr const char* kLeases = "leases.coordination.k8s.io";

// Instead of a manager: a copy of a write that was applied before.
inline constexpr const char* kOnceMore = "a copy of an earlier write";

// A change of replicas that was applied.
struct ScaleWrite {
  std::string by;  // "ballast" or another manager, or kOnceMore
  api::ObjectKey target;
  std::string uid;
  std::int64_t from = 0;
  std::int64_t to = 0;
};

class ApiServer {
 public:
  // Called after each change of replicas, and after each change of a Lease.
  std::function<void(const ScaleWrite&)> on_scale = [](const ScaleWrite&) {};
  std::function<void(const JsonValue& lease)> on_lease = [](const JsonValue&) {};
  // Called when a patch of replicas is refused because of one of its tests, and before the status
  // of an object is patched.
  std::function<void(const api::ObjectKey& target, const std::string& patch)> on_refused =
      [](const api::ObjectKey&, const std::string&) {};
  std::function<void(const api::ObjectKey&, const JsonValue& before, const JsonValue& patch)>
      on_status = [](const api::ObjectKey&, const JsonValue&, const JsonValue&) {};
  // Called after a change of the status of an HPA, and of a ConfigMap (`before` may be null).
  std::function<void(const api::ObjectKey&, const JsonValue& before, const JsonValue& after,
                     const std::string& manager)>
      on_hpa_status = [](const auto&, const auto&, const auto&, const auto&) {};
  std::function<void(const JsonValue& before, const JsonValue& after)> on_config_map =
      [](const auto&, const auto&) {};
  // Answers requests of the metrics APIs.
  std::function<Result<kube::Response>(const kube::Request&)> metrics;
  bool streams_lists = true;  // whether a watch may begin with all objects
  // At most so many objects are in a page of a list; and whether the next page is lost meanwhile.
  std::size_t page_size = std::numeric_limits<std::size_t>::max();
  std::function<bool(const std::string& kind)> loses_page = [](const std::string&) {
    return false;
  };

  Result<kube::Response> Handle(const kube::Request& request, const std::string& manager);
  // The request comes a second time; nobody waits for the answer.
  void HandleOnceMore(const kube::Request& request, const std::string& manager);

  // For the models of controllers and people. Put creates the object, or replaces it; it gets a
  // uid if it is new, a new version, and a new generation if its spec has changed.
  const JsonValue* Get(const std::string& kind, const api::ObjectKey& key) const;
  void Put(const std::string& kind, const api::ObjectKey& key, JsonValue object);
  void Delete(const std::string& kind, const api::ObjectKey& key);
  // Replaces the status of an HPA. kConflict: it has another version.
  Status WriteHpaStatus(const api::ObjectKey& key, const std::string& version, JsonValue status,
                        const std::string& manager);
  void Scale(const api::ObjectKey& target, std::int64_t replicas, const std::string& manager);

  // What a watch of the kind sends after `at`, which is moved on. kGone: `at` has expired.
  using Line = std::shared_ptr<const std::string>;
  Result<std::vector<Line>> Since(const std::string& kind, std::uint64_t& at) const;
  // All objects as ADDED events, and the version that they are of.
  std::vector<Line> All(const std::string& kind, std::uint64_t& at) const;
  static std::string Bookmark(std::uint64_t at, bool ends_beginning);
  // The fiber to be woken when something changes (fibers.h).
  void Listen(const std::string& kind, const void* key) { kinds_[kind].listeners.push_back(key); }
  void Unlisten(const std::string& kind, const void* key) {
    std::erase(kinds_[kind].listeners, key);
  }
  // Those that follow watches of the kind look what there is.
  void WakeWatches(const std::string& kind);
  // Forgets the history of the kind: watches that are behind must begin anew.
  void Expire(const std::string& kind);
  std::uint64_t version() const { return version_; }

  // "pods", "deployments.apps", and what follows it in the path.
  struct Path {
    std::string kind;
    api::ObjectKey key;
    std::string subresource;
  };
  static Path Parse(const std::string& path);

 private:
  struct Object {
    JsonValue value;
    std::string text;  // the value's
  };
  struct Change {
    std::uint64_t version;
    Line line;
  };
  struct Kind {
    std::map<api::ObjectKey, Object> objects;
    std::deque<Change> history;
    std::uint64_t forgotten = 0;         // changes up to this version
    std::vector<const void*> listeners;  // in the order in which they came
  };

  const Object* Find(const std::string& kind, const api::ObjectKey& key) const;
  Result<kube::Response> Patch(const Path& path, const kube::Request& request,
                               const std::string& manager);
  Result<kube::Response> Create(const Path& path, const kube::Request& request);
  Result<std::string> Read(const Path& path) const;
  Result<kube::Response> List(const std::string& kind, const kube::Request& request);
  // `hpa`'s managedFields after a write of the status, or of all but the status.
  JsonValue Managed(const JsonValue& hpa, const std::string& manager,
                    const std::string& subresource);
  static JsonValue ScaleOf(const JsonValue& object);
  void Append(Kind& kind, const char* type, const std::string& text);

  // A list that is read in pages: its objects as they were when it began.
  struct Listing {
    std::uint64_t version;
    Nanoseconds began;
    std::map<api::ObjectKey, std::string> left;
  };

  bool once_more_ = false;  // what is handled now is a copy
  std::uint64_t version_ = 1000;
  std::uint64_t made_ = 0;
  std::map<std::string, Kind> kinds_;
  // When each manager wrote each subresource of the HPA with that uid.
  std::map<std::string, std::map<std::pair<std::string, std::string>, std::string>> managers_;
  std::map<std::string, Listing> listings_;  // by the token that continues them
};

}  // namespace ballast::faults
