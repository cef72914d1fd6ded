#include "api/kubernetes/pod_reader.h"

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "api/base/utf8.h"
#include "api/json/rapidjson.h"
#include "api/kubernetes/pod_resize.h"
#include "api/kubernetes/selector.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#include <rapidjson/memorystream.h>
#pragma GCC diagnostic pop

namespace ballast::api {
namespace {

// Where in a pod the reader is: the objects and arrays that hold something Ballast needs.
enum class At {
  kElsewhere,  // nothing below it is needed
  kOutside,    // before and after the pod
  kPod,
  kMetadata,
  kLabels,
  kOwners,
  kOwner,
  kSpec,
  kContainers,
  kInitContainers,
  kContainer,
  kContainerResources,
  kPodResources,
  kRequests,  // a ResourceList, wherever it belongs
  kStatus,
  kConditions,
  kCondition,
  kContainerStatuses,
  kContainerStatus,
  kContainerStatusResources,
  kContainerHas,  // a ResourceList of what a container has, or the pod
  kPodStatusResources,
  kPodHas,
};

struct PathStep {
  At from;
  std::string_view key;  // empty: an array element, or the pod itself
  At to;
  bool array = false;
};

constexpr PathStep kSteps[] = {
    {At::kOutside, "", At::kPod},
    {At::kPod, "metadata", At::kMetadata},
    {At::kMetadata, "labels", At::kLabels},
    {At::kMetadata, "ownerReferences", At::kOwners, true},
    {At::kOwners, "", At::kOwner},
    {At::kPod, "spec", At::kSpec},
    {At::kSpec, "containers", At::kContainers, true},
    {At::kSpec, "initContainers", At::kInitContainers, true},
    {At::kContainers, "", At::kContainer},
    {At::kInitContainers, "", At::kContainer},
    {At::kContainer, "resources", At::kContainerResources},
    {At::kContainerResources, "requests", At::kRequests},
    {At::kSpec, "resources", At::kPodResources},
    {At::kPodResources, "requests", At::kRequests},
    {At::kSpec, "overhead", At::kRequests},
    {At::kPod, "status", At::kStatus},
    {At::kStatus, "conditions", At::kConditions, true},
    {At::kConditions, "", At::kCondition},
    {At::kStatus, "resources", At::kPodStatusResources},
    {At::kPodStatusResources, "requests", At::kPodHas},
    {At::kStatus, "allocatedResources", At::kPodHas},
    {At::kStatus, "containerStatuses", At::kContainerStatuses, true},
    {At::kStatus, "initContainerStatuses", At::kContainerStatuses, true},
    {At::kContainerStatuses, "", At::kContainerStatus},
    {At::kContainerStatus, "resources", At::kContainerStatusResources},
    {At::kContainerStatusResources, "requests", At::kContainerHas},
    {At::kContainerStatus, "allocatedResources", At::kContainerHas},
};

// A JSON scalar as it is written.
struct Scalar {
  enum class ScalarType { kText, kNumber, kBool } type;
  std::string_view text;
};

class Handler : public rapidjson::BaseReaderHandler<rapidjson::UTF8<>, Handler> {
 public:
  bool Null() { return true; }  // counts as absent
  bool Bool(bool value) { return Take({Scalar::ScalarType::kBool, value ? "true" : "false"}); }
  bool RawNumber(const char* text, rapidjson::SizeType size, bool) {
    return Take({Scalar::ScalarType::kNumber, {text, size}});
  }
  bool String(const char* text, rapidjson::SizeType size, bool) {
    return Take({Scalar::ScalarType::kText, {text, size}});
  }
  bool Key(const char* text, rapidjson::SizeType size, bool) {
    key_.assign(text, size);
    return true;
  }
  bool StartObject() { return Enter(false); }
  bool StartArray() { return Enter(true); }
  bool EndObject(rapidjson::SizeType) { return Leave(); }
  bool EndArray(rapidjson::SizeType) { return Leave(); }

  Pod TakePod() {
    pod_.metadata.labels = std::move(labels_);
    pod_.metadata.owner_references = std::move(owners_);
    pod_.containers = std::move(containers_);
    pod_.init_containers = std::move(init_containers_);
    Apply(std::move(resize_), pod_);
    return std::move(pod_);
  }
  const std::string& problem() const { return problem_; }

 private:
  struct Frame {
    At at;
    std::string key;  // under which its parent has it
    int elements = 0;
  };

  bool Enter(bool array) {
    if (frames_.size() > static_cast<std::size_t>(json::kMaxDepth)) {
      problem_ = "nested deeper than " + std::to_string(json::kMaxDepth) + " levels";
      return false;
    }
    Frame& parent = frames_.back();
    const bool element = IsArray(parent.at) || parent.at == At::kOutside;
    const std::string_view key = element ? std::string_view() : key_;
    parent.elements += element ? 1 : 0;
    At next = At::kElsewhere;
    for (const PathStep& step : kSteps) {
      if (step.from == parent.at && step.key == key) {
        if (step.array != array) {
          return Fail(step.array ? "expected an array, got an object"
                                 : "expected an object, got an array");
        }
        next = step.to;
      }
    }
    if (next == At::kElsewhere && IsLeaf(parent.at, key)) {
      return Fail(array ? "expected a scalar, got an array" : "expected a scalar, got an object");
    }
    Begin(parent.at, next);
    frames_.push_back({next, next == At::kElsewhere ? std::string() : std::string(key)});
    return true;
  }

  // Creates what the values to come belong to, before anything below `next` is read.
  void Begin(At parent, At next) {
    switch (next) {
      case At::kOwner:
        owners_.emplace_back();
        break;
      case At::kContainer:
        container_ = &(parent == At::kContainers ? containers_ : init_containers_).emplace_back();
        break;
      case At::kPodResources:
        pod_.has_pod_resources = true;
        break;
      case At::kRequests:
        requests_ = parent == At::kContainerResources ? &container_->requests
                    : parent == At::kPodResources     ? &pod_.pod_requests
                                                      : &pod_.overhead;
        break;
      case At::kCondition:
        condition_ = {};
        break;
      case At::kContainerStatus:
        resize_.containers.emplace_back();
        break;
      default:
        break;
    }
  }

  bool Leave() {
    if (frames_.back().at == At::kCondition) {
      resize_.Note(condition_.type, condition_.status);
      if (condition_.type == "Ready" && !pod_.ready) {
        pod_.ready = std::move(condition_);
      }
    }
    frames_.pop_back();
    return true;
  }

  bool Take(const Scalar& value) {
    Frame& frame = frames_.back();
    if (IsArray(frame.at) || frame.at == At::kOutside) {
      key_.clear();
      ++frame.elements;
      return Fail("expected an object");
    }
    if (frame.at == At::kElsewhere) {
      return true;
    }
    for (const PathStep& step : kSteps) {
      if (step.from == frame.at && step.key == key_) {
        return Fail(step.array ? "expected an array" : "expected an object");
      }
    }
    return Keep(frame.at, value);
  }

  bool Keep(At at, const Scalar& value) {
    switch (at) {
      case At::kMetadata:
        return Metadata(value);
      case At::kLabels:
        return Text(value, labels_[key_]);
      case At::kOwner:
        return Owner(owners_.back(), value);
      case At::kContainer:
        if (key_ == "name") {
          return Text(value, container_->name);
        }
        if (key_ == "restartPolicy") {
          container_->restart_always = value.text == "Always";
        }
        return true;
      case At::kRequests:
        return Amount(value, (*requests_)[key_]);
      case At::kContainerStatus:
        return key_ == "name" ? Text(value, resize_.containers.back().name) : true;
      case At::kContainerHas:
        return Has(value, resize_.containers.back().resources);
      case At::kPodHas:
        return Has(value, resize_.pod);
      case At::kStatus:
        if (key_ == "resize") {
          resize_.unfinished |= !value.text.empty();
        }
        return key_ == "phase"                ? Text(value, pod_.phase)
               : key_ == "startTime"          ? Moment(value, pod_.start_time)
               : key_ == "observedGeneration" ? Whole(value, resize_.observed_generation.emplace())
                                              : true;
      case At::kCondition:
        return key_ == "type"                 ? Text(value, condition_.type)
               : key_ == "status"             ? Text(value, condition_.status)
               : key_ == "lastTransitionTime" ? Moment(value, condition_.last_transition_time)
                                              : true;
      default:
        return true;
    }
  }

  bool Metadata(const Scalar& value) {
    ObjectMeta& meta = pod_.metadata;
    return key_ == "name"                ? Text(value, meta.name)
           : key_ == "namespace"         ? Text(value, meta.namespace_)
           : key_ == "uid"               ? Text(value, meta.uid)
           : key_ == "resourceVersion"   ? Text(value, meta.resource_version)
           : key_ == "creationTimestamp" ? Moment(value, meta.creation_timestamp)
           : key_ == "deletionTimestamp" ? Moment(value, meta.deletion_timestamp)
           : key_ == "generation"        ? Whole(value, resize_.generation)
                                         : true;
  }

  bool Owner(OwnerReference& owner, const Scalar& value) {
    if (key_ == "controller") {
      owner.controller = value.text == "true";
      return value.type == Scalar::ScalarType::kBool || Fail("expected a boolean");
    }
    return key_ == "apiVersion" ? Text(value, owner.api_version)
           : key_ == "kind"     ? Text(value, owner.kind)
           : key_ == "name"     ? Text(value, owner.name)
           : key_ == "uid"      ? Text(value, owner.uid)
                                : true;
  }

  bool Text(const Scalar& value, std::string& out) {
    out = value.text;
    return value.type == Scalar::ScalarType::kText || Fail("expected a string");
  }

  bool Whole(const Scalar& value, std::int64_t& out) {
    const char* const end = value.text.data() + value.text.size();
    const auto [at, problem] = std::from_chars(value.text.data(), end, out);
    return (value.type == Scalar::ScalarType::kNumber && at == end && problem == std::errc()) ||
           Fail("expected an integer");
  }

  bool Moment(const Scalar& value, std::optional<Time>& out) {
    const auto time = ParseTime(value.text);
    if (value.type != Scalar::ScalarType::kText || !time.ok()) {
      return Fail(time.ok() ? "expected a string" : time.error().message);
    }
    out = *time;
    return true;
  }

  bool Amount(const Scalar& value, Quantity& out) {
    if (value.type == Scalar::ScalarType::kBool) {
      return Fail("expected a quantity like \"250m\"");
    }
    auto quantity = ParseQuantity(value.text);
    if (!quantity.ok()) {
      return Fail(quantity.error().message);
    }
    out = std::move(quantity).value();
    return true;
  }

  bool Has(const Scalar& value, ResourceList& has) {
    Quantity amount;
    if (!Amount(value, amount)) {
      return false;
    }
    LimitTo(amount, key_, has);
    return true;
  }

  static bool IsArray(At at) {
    return at == At::kOwners || at == At::kContainers || at == At::kInitContainers ||
           at == At::kConditions || at == At::kContainerStatuses;
  }

  // Whether a scalar is expected there.
  static bool IsLeaf(At at, std::string_view key) {
    switch (at) {
      case At::kLabels:
      case At::kRequests:
      case At::kContainerHas:
      case At::kPodHas:
        return true;
      case At::kMetadata:
        return key == "name" || key == "namespace" || key == "uid" || key == "resourceVersion" ||
               key == "creationTimestamp" || key == "deletionTimestamp" || key == "generation";
      case At::kOwner:
        return key == "apiVersion" || key == "kind" || key == "name" || key == "uid" ||
               key == "controller";
      case At::kContainer:
      case At::kContainerStatus:
        return key == "name";
      case At::kStatus:
        return key == "phase" || key == "startTime" || key == "observedGeneration";
      case At::kCondition:
        return key == "type" || key == "status" || key == "lastTransitionTime";
      default:
        return false;
    }
  }

  // Only a problem needs a path, so it is put together here.
  bool Fail(const std::string& what) {
    std::string path;
    for (std::size_t i = 1; i <= frames_.size(); ++i) {
      const bool last = i == frames_.size();
      const std::string& key = last ? key_ : frames_[i].key;
      if (const Frame& parent = frames_[i - 1]; IsArray(parent.at)) {
        path += "[" + std::to_string(parent.elements - 1) + "]";
      } else if (!key.empty()) {
        path += (path.empty() ? "" : ".") + key;
      }
    }
    problem_ = path.empty() ? what : path + ": " + what;
    return false;
  }

  // What pods share is put into the pod as a whole.
  Labels labels_;
  std::vector<OwnerReference> owners_;
  std::vector<Container> containers_;
  std::vector<Container> init_containers_;
  Pod pod_;
  std::vector<Frame> frames_{{At::kOutside, ""}};
  std::string key_;                 // of the value to come
  Container* container_ = nullptr;  // the one being read
  ResourceList* requests_ = nullptr;
  Condition condition_;
  PodResize resize_;
  std::string problem_;
};

Status Parse(std::string_view json, Handler& handler) {
  rapidjson::MemoryStream stream(json.data(), json.size());
  rapidjson::Reader reader;
  const auto result = reader.Parse<rapidjson::kParseNumbersAsStringsFlag>(stream, handler);
  if (!handler.problem().empty()) {
    return Error{Code::kInvalid, handler.problem()};
  }
  if (result.IsError()) {
    return Error{Code::kInvalid, "not JSON: at byte " + std::to_string(result.Offset()) + ": " +
                                     rapidjson::GetParseError_En(result.Code())};
  }
  return Done{};
}

}  // namespace

Result<Pod> ReadPod(std::string_view json) {
  if (const std::size_t bad = FindInvalidUtf8(json); bad != json.size()) {
    return Error{Code::kInvalid, "not JSON: at byte " + std::to_string(bad) + ": invalid encoding"};
  }
  Handler handler;
  TRY(Parse(json, handler));
  return handler.TakePod();
}

}  // namespace ballast::api
