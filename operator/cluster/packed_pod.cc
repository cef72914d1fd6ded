#include "operator/cluster/packed_pod.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>

#include "api/json/json_writer.h"
#include "api/kubernetes/pod_reader.h"
#include "api/kubernetes/selector.h"

namespace ballast::cluster {
namespace {

constexpr std::array<std::string_view, 3> kOwnLabels = {"apps.kubernetes.io/pod-index",
                                                        "batch.kubernetes.io/job-completion-index",
                                                        "statefulset.kubernetes.io/pod-name"};

std::int64_t Seconds(const std::optional<Time>& time, std::int64_t never) {
  return time ? time->unix_seconds() : never;
}

}  // namespace

bool IsOwnLabel(std::string_view key) {
  return std::find(kOwnLabels.begin(), kOwnLabels.end(), key) != kOwnLabels.end();
}

bool PackedPod::HasOwnLabels() const {
  return std::any_of(present_.begin() + kOwnLabel, present_.end(), std::identity());
}

std::string_view PackedPod::Text(int field) const {
  const auto index = static_cast<std::size_t>(field);
  const std::size_t begin = index == 0 ? 0 : ends_[index - 1];
  return std::string_view(text_).substr(begin, ends_[index] - begin);
}

void PackedPod::Append(int field, std::string_view text) {
  text_ += text;
  ends_[static_cast<std::size_t>(field)] = static_cast<std::uint32_t>(text_.size());
}

api::Pod PackedPod::Unpack() const {
  const auto time = [](std::int64_t seconds) {
    return seconds == kNever ? std::nullopt : std::optional(Time(seconds, 0));
  };
  api::Pod pod = *shared_;
  pod.metadata.namespace_ = Text(kNamespace);
  pod.metadata.name = Text(kName);
  pod.metadata.uid = Text(kUid);
  pod.metadata.resource_version = Text(kVersion);
  pod.metadata.deletion_timestamp = time(deletion_);
  pod.phase = Text(kPhase);
  pod.start_time = time(start_);
  if (present_[kReady]) {
    pod.ready = api::Condition{.type = "Ready", .status = std::string(Text(kReady))};
    pod.ready->last_transition_time = time(ready_since_);
  }
  if (HasOwnLabels()) {
    api::Labels labels = *pod.metadata.labels;
    for (std::size_t i = 0; i < kOwnLabels.size(); ++i) {
      if (present_[kOwnLabel + i]) {
        labels.emplace(kOwnLabels[i], Text(kOwnLabel + static_cast<int>(i)));
      }
    }
    pod.metadata.labels = std::move(labels);
  }
  return pod;
}

PackedPod PodPacker::Pack(api::Pod pod) {
  PackedPod packed;
  const auto move = [&packed](int field, std::string& text) {
    packed.Append(field, text);
    text.clear();
  };
  move(PackedPod::kNamespace, pod.metadata.namespace_);
  move(PackedPod::kName, pod.metadata.name);
  move(PackedPod::kUid, pod.metadata.uid);
  move(PackedPod::kVersion, pod.metadata.resource_version);
  move(PackedPod::kPhase, pod.phase);
  packed.present_[PackedPod::kReady] = pod.ready.has_value();
  packed.Append(PackedPod::kReady, pod.ready ? pod.ready->status : "");
  const bool own = std::ranges::any_of(*pod.metadata.labels,
                                       [](const auto& label) { return IsOwnLabel(label.first); });
  api::Labels labels = own ? *pod.metadata.labels : api::Labels();
  for (std::size_t i = 0; i < kOwnLabels.size(); ++i) {
    const auto label = labels.extract(std::string(kOwnLabels[i]));
    packed.present_[PackedPod::kOwnLabel + i] = !label.empty();
    packed.Append(PackedPod::kOwnLabel + static_cast<int>(i), label ? label.mapped() : "");
  }
  if (own) {
    pod.metadata.labels = std::move(labels);
  }
  packed.text_.shrink_to_fit();
  packed.deletion_ = Seconds(pod.metadata.deletion_timestamp, PackedPod::kNever);
  packed.start_ = Seconds(pod.start_time, PackedPod::kNever);
  if (pod.ready) {
    packed.ready_since_ = Seconds(pod.ready->last_transition_time, PackedPod::kNever);
  }
  pod.metadata.creation_timestamp.reset();  // unused
  pod.metadata.deletion_timestamp.reset();
  pod.start_time.reset();
  pod.ready.reset();
  packed.shared_ = Share(std::move(pod));
  return packed;
}

std::shared_ptr<const api::Pod> PodPacker::Share(api::Pod pod) {
  json::Writer writer;
  Encode(writer, pod);
  std::string text = writer.Take();
  const std::lock_guard lock(mutex_);
  std::weak_ptr<const api::Pod>& known = shared_[std::move(text)];
  if (auto same = known.lock()) {
    return same;
  }
  // Not make_shared: with the control block apart, the pod's memory is freed with its last user
  // instead of with the weak_ptr, which stays until the next sweep.
  std::shared_ptr<const api::Pod> made(new api::Pod(std::move(pod)));
  known = made;
  sweeper_.Sweep([](const auto& entry) { return entry.second.expired(); }, shared_);
  return made;
}

std::size_t PodPacker::shared() const {
  const std::lock_guard lock(mutex_);
  return shared_.size();
}

runtime::ObjectReader<PackedPod> ReadPackedPods(std::shared_ptr<PodPacker> packer) {
  return [packer =
              std::move(packer)](std::string_view text) -> Result<runtime::ReadObject<PackedPod>> {
    Result<api::Pod> pod = api::ReadPod(text);
    if (!pod.ok()) {
      // Keep the identity, if there is one, so that the informer can name the pod.
      const Error problem = pod.error();
      const auto none = [&problem](const json::Cursor& object) {
        object.Fail(problem.message);
        return PackedPod();
      };
      return runtime::ByCursor<PackedPod>(none)(text);
    }
    const api::ObjectMeta& meta = pod->metadata;
    if (meta.name.empty() || meta.resource_version.empty()) {
      return Error{Code::kInvalid, "metadata: name and resourceVersion are required"};
    }
    runtime::ObjectIdentity id{{meta.namespace_, meta.name}, meta.uid, meta.resource_version};
    return runtime::ReadObject<PackedPod>{std::move(id), packer->Pack(std::move(pod).value())};
  };
}

}  // namespace ballast::cluster
