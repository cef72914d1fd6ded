#include "store/testing/picture.h"

#include <algorithm>
#include <map>
#include <utility>

#include "api/decision/snapshot_json.h"
#include "store/packing/compress.h"

namespace ballast::store::testing {
namespace {

std::string Number(std::int64_t number) { return " " + std::to_string(number); }

std::string Moment(Time time) { return Number(time.unix_nanoseconds()); }

std::string MemoryText(const MemoryImage& image) {
  std::string text = "evaluated" + Moment(image.evaluated) + " every" +
                     Number(image.period.nanoseconds) + "\nrecommended";
  for (const auto& [replicas, time] : image.recommendations) {
    text += Number(replicas) + Moment(time);
  }
  json::Writer as_is;
  Encode(as_is, image.as_is);
  return text + "\n" + as_is.Take() + (image.incomplete ? "\nincomplete\n" : "\n");
}

std::string LastText(const LastReplicas& last) {
  std::string text = last.replicas ? "replicas" + Number(*last.replicas) : "replicas unknown";
  if (last.write) {
    text += ", written" + Number(last.write->from) + Number(last.write->to) +
            Moment(last.write->time) + (last.write->ready ? " ready" : "");
  }
  if (last.generation) {
    text += ", generation" + Number(*last.generation);
  }
  return text + "\n";
}

}  // namespace

std::string PictureOf(StoredState state) {
  std::string text = "heartbeat" + Moment(state.heartbeat) + "\n";
  for (const OpenIntent& intent : state.intents) {
    text += "open " + intent.subject.uid + Number(intent.from) + Number(intent.to) +
            Moment(intent.time) + (intent.given_up ? " given up\n" : "\n");
  }
  std::ranges::sort(state.memories, {},
                    [](const LoadedMemory& memory) { return memory.subject.uid; });
  for (const LoadedMemory& memory : state.memories) {
    text += memory.subject.uid + "\n" + MemoryText(memory.image);
  }
  std::ranges::sort(state.specs, {}, [](const LoadedSpec& loaded) { return loaded.subject.uid; });
  for (const LoadedSpec& loaded : state.specs) {
    text += loaded.subject.uid + " asks for " + Decompress(loaded.spec).value() + "\n";
  }
  const std::map<std::string, LastReplicas> replicas(state.replicas.begin(), state.replicas.end());
  for (const auto& [uid, last] : replicas) {
    text += uid + " " + LastText(last);
  }
  const std::map<std::uint64_t, std::vector<JournalEntry>> unsaved(state.unsaved.begin(),
                                                                   state.unsaved.end());
  for (const auto& [who, entries] : unsaved) {
    text += "unsaved of" + Number(static_cast<std::int64_t>(who));
    for (const JournalEntry& entry : entries) {
      text += Moment(entry.point->time);
    }
    text += "\n";
  }
  return text;
}

std::string PictureWithoutHeartbeat(StoredState state) {
  state.heartbeat = Time(0, 0);
  for (LoadedMemory& memory : state.memories) {
    memory.image.evaluated = Time(0, 0);
    for (auto& [replicas, time] : memory.image.recommendations) {
      time = Time(0, 0);
    }
  }
  state.unsaved.clear();
  return PictureOf(std::move(state));
}

std::optional<std::size_t> PrefixOf(const std::vector<Batch>& batches, InMemoryBackend before,
                                    const StoredState& state) {
  const std::string picture = PictureWithoutHeartbeat(state);
  std::optional<std::size_t> found;
  for (std::size_t i = 0;; ++i) {
    if (PictureWithoutHeartbeat(before.Read().value()) == picture) {
      found = i;
    }
    if (i == batches.size()) {
      return found;
    }
    (void)before.Apply(batches[i]);
  }
}

}  // namespace ballast::store::testing
