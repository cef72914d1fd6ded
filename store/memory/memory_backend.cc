#include "store/memory/memory_backend.h"

#include <algorithm>
#include <unordered_map>
#include <utility>
#include <variant>

namespace ballast::store {

struct MemoryBackend::Maker {
  MemoryBackend& store;

  void operator()(const DecisionAdded& added) const {
    store.decisions_[added.id] = {added.subject,
                                  added.time,
                                  added.timeline ? added.timeline->decided : added.time,
                                  added.current_replicas,
                                  added.desired_replicas,
                                  added.fate,
                                  false,
                                  added.generation};
  }
  void operator()(const DecisionSettled& settled) const { SetFate(settled.id, settled.fate); }
  void operator()(const FateCorrected& corrected) const { SetFate(corrected.id, corrected.fate); }
  void operator()(const PodsGotReady& ready) const {
    if (const auto found = store.decisions_.find(ready.id); found != store.decisions_.end()) {
      found->second.ready = true;
    }
  }
  void operator()(const MemoryChanged& changed) const {
    store.memories_[changed.subject.uid] = {changed.subject, changed.to};
  }
  void operator()(const MemoryReplaced& replaced) const {
    store.memories_[replaced.subject.uid] = {replaced.subject, replaced.image};
  }
  void operator()(const MemoryErased& erased) const { store.memories_.erase(erased.subject.uid); }
  void operator()(const SpecKept& kept) const {
    store.specs_[kept.subject.uid] = {kept.subject, kept.spec};
    std::erase_if(store.specs_, [](const auto& one) { return one.second.spec.empty(); });
  }

  // History only: StoredState does not depend on these.
  void operator()(const ReasonAdded&) const {}
  void operator()(const RunClosed&) const {}
  void operator()(const WriteConfirmed&) const {}
  void operator()(const SeriesSaved&) const {}
  void operator()(const DelayNoted&) const {}
  void operator()(const ReplicasChanged&) const {}
  void operator()(const FieldChanged&) const {}
  void operator()(const TermBegun&) const {}
  void operator()(const OpenRunsClosed&) const {}

  void SetFate(DecisionId id, Fate fate) const {
    if (const auto found = store.decisions_.find(id); found != store.decisions_.end()) {
      found->second.fate = fate;
    }
  }
};

Result<Backend::Opened> MemoryBackend::Open(const std::stop_token& /*stop*/) {
  for (auto& [uid, memory] : memories_) {
    memory.image = AfterACrash(std::move(memory.image), heartbeat_);
  }
  ASSIGN_OR_RETURN(StoredState state, Read());
  return Opened{std::move(state), ""};
}

Result<StoredState> MemoryBackend::Read() {
  StoredState state;
  state.heartbeat = heartbeat_;
  state.newest = decisions_.empty() ? 0 : decisions_.rbegin()->first;
  state.next_journal = next_journal_;
  for (const auto& [id, decision] : decisions_) {
    if (auto intent = OpenIntentOf(id, decision)) {
      state.intents.push_back(*std::move(intent));
    }
    state.replicas.try_emplace(decision.subject.uid, LastOf(decision.subject.uid));
  }
  for (const JournalEntry& entry : journal_) {
    auto& unsaved = state.unsaved[entry.who];
    entry.point ? unsaved.push_back(entry) : unsaved.clear();
  }
  std::erase_if(state.unsaved, [](const auto& unsaved) { return unsaved.second.empty(); });
  for (const auto& [uid, memory] : memories_) {
    state.memories.push_back({memory.subject, AfterACrash(memory.image, heartbeat_)});
  }
  for (const auto& [uid, spec] : specs_) {
    state.specs.push_back(spec);
  }
  TrustJournal(state);
  return state;
}

// As BALLAST_OPEN_ATTEMPT (sqlite/decisions.h): of the attempts that were given up as unknown only
// an autoscaler's newest; what a later attempt has followed can no longer be found out.
std::optional<OpenIntent> MemoryBackend::OpenIntentOf(DecisionId id,
                                                      const Decision& decision) const {
  const auto is_later_attempt = [&](const auto& other) {
    return other.second.subject.uid == decision.subject.uid && other.second.time > decision.time &&
           (other.second.fate == Fate::kIntended || other.second.fate == Fate::kWritten ||
            other.second.fate == Fate::kUnknown);
  };
  const bool given_up = decision.fate == Fate::kUnknown;
  if (decision.fate != Fate::kIntended &&
      !(given_up && std::ranges::none_of(decisions_, is_later_attempt))) {
    return std::nullopt;
  }
  return OpenIntent{.id = id,
                    .subject = decision.subject,
                    .time = decision.time,
                    .decided = decision.decided,
                    .from = decision.from,
                    .to = decision.to,
                    .given_up = given_up,
                    .snapshot = ""};
}

LastReplicas MemoryBackend::LastOf(const std::string& uid) const {
  LastReplicas last;
  for (const auto& [id, decision] : decisions_) {
    if (decision.subject.uid != uid) {
      continue;
    }
    last.replicas.reset();
    last.generation = decision.generation;
    if (decision.fate != Fate::kIntended && decision.fate != Fate::kUnknown) {
      last.replicas = Changed(decision.fate) ? decision.to : decision.from;
    }
    if (decision.fate == Fate::kWritten) {
      last.write = ScaleWrite{id, decision.from, decision.to, decision.time, decision.ready};
    }
  }
  return last;
}

Result<Backend::Applied> MemoryBackend::Apply(const Batch& batch) {
  for (const Change& change : batch.changes) {
    std::visit(Maker{*this}, change);
  }
  for (const JournalEntry& entry : batch.notes.entries) {
    journal_.push_back(entry);
    next_journal_ = entry.number + 1;
  }
  std::erase_if(journal_,
                [&](const JournalEntry& entry) { return entry.number < batch.notes.keep_from; });
  if (batch.heartbeat) {
    heartbeat_ = *batch.heartbeat;
  }
  return Applied{};
}

Result<bool> MemoryBackend::Thin(const Retention& /*retention*/, Time /*now*/) { return false; }

}  // namespace ballast::store
