#include "store/in_memory/in_memory_backend.h"

#include <algorithm>
#include <unordered_map>
#include <utility>
#include <variant>

namespace ballast::store {

struct InMemoryBackend::InMemoryApplier {
  InMemoryBackend& store;

  void operator()(const DecisionAdded& added) const {
    store.decisions_[added.id] = {added.subject,
                                  added.time,
                                  added.timeline ? added.timeline->decided : added.time,
                                  added.current_replicas,
                                  added.desired_replicas,
                                  added.disposition,
                                  false,
                                  added.generation};
  }
  void operator()(const DecisionSettled& settled) const {
    SetDisposition(settled.id, settled.disposition);
  }
  void operator()(const DispositionCorrected& corrected) const {
    SetDisposition(corrected.id, corrected.disposition);
  }
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
  void operator()(const SpecReplaced& kept) const {
    store.specs_[kept.subject.uid] = {kept.subject, kept.spec};
    std::erase_if(store.specs_, [](const auto& one) { return one.second.spec.empty(); });
  }

  // History only: StoredState does not depend on these.
  void operator()(const ReasonAdded&) const {}
  void operator()(const RunClosed&) const {}
  void operator()(const RunReopened&) const {}
  void operator()(const WriteConfirmed&) const {}
  void operator()(const SeriesSaved&) const {}
  void operator()(const DelayAdded&) const {}
  void operator()(const ForeignChangeAdded&) const {}
  void operator()(const EditAdded&) const {}
  void operator()(const TermAdded&) const {}
  void operator()(const OpenRunsClosed&) const {}

  void SetDisposition(DecisionId id, Disposition disposition) const {
    if (const auto found = store.decisions_.find(id); found != store.decisions_.end()) {
      found->second.disposition = disposition;
    }
  }
};

Result<Backend::Opened> InMemoryBackend::Open(const std::stop_token& /*stop*/) {
  for (auto& [uid, memory] : memories_) {
    memory.image = AfterACrash(std::move(memory.image), heartbeat_);
  }
  ASSIGN_OR_RETURN(StoredState state, Read());
  return Opened{std::move(state), ""};
}

Result<StoredState> InMemoryBackend::Read() {
  StoredState state;
  state.heartbeat = heartbeat_;
  state.newest = decisions_.empty() ? 0 : decisions_.rbegin()->first;
  state.next_journal = next_journal_;
  const auto attempts = NewestAttempts();
  for (const auto& [id, decision] : decisions_) {
    const auto attempt = attempts.find(decision.subject.uid);
    if (decision.disposition == Disposition::kIntended ||
        (decision.disposition == Disposition::kUnknown && decision.time >= attempt->second)) {
      state.intents.push_back(OpenIntentOf(id, decision));
    }
    Follow(state.replicas[decision.subject.uid], id, decision);
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
std::map<std::string, Time> InMemoryBackend::NewestAttempts() const {
  std::map<std::string, Time> newest;  // by uid
  for (const auto& [id, decision] : decisions_) {
    if (decision.disposition == Disposition::kIntended ||
        decision.disposition == Disposition::kWritten ||
        decision.disposition == Disposition::kUnknown) {
      Time& time = newest.try_emplace(decision.subject.uid, decision.time).first->second;
      time = std::max(time, decision.time);
    }
  }
  return newest;
}

OpenIntent InMemoryBackend::OpenIntentOf(DecisionId id, const KeptDecision& decision) {
  return OpenIntent{.id = id,
                    .subject = decision.subject,
                    .time = decision.time,
                    .decided = decision.decided,
                    .from = decision.from,
                    .to = decision.to,
                    .given_up = decision.disposition == Disposition::kUnknown,
                    .snapshot = ""};
}

// The replicas after an autoscaler's next decision.
void InMemoryBackend::Follow(LastReplicas& last, DecisionId id, const KeptDecision& decision) {
  last.replicas.reset();
  last.generation = decision.generation;
  if (decision.disposition != Disposition::kIntended &&
      decision.disposition != Disposition::kUnknown) {
    last.replicas = Changed(decision.disposition) ? decision.to : decision.from;
  }
  if (decision.disposition == Disposition::kWritten) {
    last.write = ScaleWrite{id, decision.from, decision.to, decision.time, decision.ready};
  }
}

Result<Backend::Applied> InMemoryBackend::Apply(const Batch& batch) {
  for (const Change& change : batch.changes) {
    std::visit(InMemoryApplier{*this}, change);
  }
  for (const JournalEntry& entry : batch.notes.entries) {
    journal_.push_back(entry);
    next_journal_ = entry.number + 1;
  }
  if (const std::int64_t keep_from = batch.notes.keep_from; keep_from > 0) {
    std::erase_if(journal_, [&](const JournalEntry& entry) { return entry.number < keep_from; });
  }
  if (batch.heartbeat) {
    heartbeat_ = *batch.heartbeat;
  }
  return Applied{};
}

Result<Backend::Thinned> InMemoryBackend::Thin(const Retention& /*retention*/, Time /*now*/) {
  return Thinned{};
}

}  // namespace ballast::store
