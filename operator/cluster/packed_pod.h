// A compact form for the tens of thousands of pods in the cache: what the pods of one template have
// in common (labels, containers, owners) is stored once, the rest of each pod in one string.
//
// Thread-safety: a PackedPod is immutable. PodPacker: any thread.
// Errors: the reader returns the decoding error, with the pod's identity where that can be read.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

#include "api/kubernetes/workload.h"
#include "operator/cluster/sweeper.h"
#include "operator/runtime/object_reader.h"

namespace ballast::cluster {

class PackedPod {
 public:
  std::string_view namespace_() const { return Text(kNamespace); }
  std::string_view name() const { return Text(kName); }
  std::string_view uid() const { return Text(kUid); }
  std::string_view resource_version() const { return Text(kVersion); }
  bool ready() const { return Text(kReady) == "True"; }
  // The part shared with other pods; pods of one template have the same address here.
  const api::Pod* shared() const { return shared_.get(); }

  api::Pod Unpack() const;

 private:
  friend class PodPacker;
  enum TextField {
    kNamespace,
    kName,
    kUid,
    kVersion,
    kPhase,
    kReady,     // the status of its Ready condition
    kOwnLabel,  // the first of the labels whose value differs from pod to pod
    kFields = kOwnLabel + 3
  };

  bool HasOwnLabels() const;
  std::string_view Text(int field) const;
  void Append(int field, std::string_view text);

  std::shared_ptr<const api::Pod> shared_;
  std::string text_;                           // all fields, concatenated
  std::array<std::uint32_t, kFields> ends_{};  // of each field, in text_
  std::array<bool, kFields> present_{};
  // Seconds since the epoch: metav1.Time has no fractions.
  std::int64_t deletion_ = kNever;
  std::int64_t start_ = kNever;
  std::int64_t ready_since_ = kNever;

  static constexpr std::int64_t kNever = INT64_MIN;
};

// Whether this label's value differs between the pods of one template (an index, a pod name).
bool IsOwnLabel(std::string_view key);

class PodPacker {
 public:
  PackedPod Pack(api::Pod pod);
  // Number of shared parts kept, about one a template.
  std::size_t shared() const;

 private:
  std::shared_ptr<const api::Pod> Share(api::Pod pod);

  mutable std::mutex mutex_;  // guards: everything below
  std::unordered_map<std::string, std::weak_ptr<const api::Pod>> shared_;  // by their JSON
  Sweeper sweeper_;
};

// Reads pods for an informer. All informers of pods should share one `packer`.
runtime::ObjectReader<PackedPod> ReadPackedPods(std::shared_ptr<PodPacker> packer);

}  // namespace ballast::cluster
