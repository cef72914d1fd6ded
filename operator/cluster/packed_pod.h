// Pods as the cache keeps tens of thousands of them: what pods of one template have in common
// (labels, containers, owners) is held once, the rest of a pod packed into one piece.
//
// Thread-safety: a PackedPod never changes; a PodPacker may be used by many threads.
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
  // What it shares with others: a pod without what is its own. One template, one address.
  const api::Pod* shared() const { return shared_.get(); }

  api::Pod Unpack() const;

 private:
  friend class PodPacker;
  enum Field {
    kNamespace,
    kName,
    kUid,
    kVersion,
    kPhase,
    kReady,     // the status of its Ready condition
    kOwnLabel,  // the first of those that each pod of a template has its own of
    kFields = kOwnLabel + 3
  };

  std::string_view Text(int field) const;
  void Append(int field, std::string_view text);

  std::shared_ptr<const api::Pod> shared_;
  std::string text_;                           // the fields, one behind the other
  std::array<std::uint32_t, kFields> ends_{};  // in text_
  std::array<bool, kFields> present_{};
  // Whole seconds since 1970, as the API has them.
  std::int64_t deletion_ = kNever;
  std::int64_t start_ = kNever;
  std::int64_t ready_since_ = kNever;

  static constexpr std::int64_t kNever = INT64_MIN;
};

// Whether each pod of a template has a value of its own for that label.
bool IsOwnLabel(std::string_view key);

class PodPacker {
 public:
  PackedPod Pack(api::Pod pod);
  // How many templates are held.
  std::size_t shared() const;

 private:
  std::shared_ptr<const api::Pod> Share(api::Pod pod);

  mutable std::mutex mutex_;  // guards: everything below
  std::unordered_map<std::string, std::weak_ptr<const api::Pod>> shared_;  // by what they are
  Sweeper sweeper_;
};

// Reads pods for an informer. `packer` is shared by all of them.
runtime::ObjectReader<PackedPod> ReadPackedPods(std::shared_ptr<PodPacker> packer);

}  // namespace ballast::cluster
