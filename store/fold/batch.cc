#include "store/fold/batch.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace ballast::store {
namespace {

std::string Number(std::int64_t number) { return " " + std::to_string(number); }

struct ChangePrinter {
  std::string operator()(const DecisionAdded& added) const {
    return "DecisionAdded" + Number(added.id) + " " + added.subject.key.Print() +
           Number(added.current_replicas) + " ->" + Number(added.desired_replicas) + " " +
           Name(added.disposition);
  }
  std::string operator()(const ReasonAdded& added) const {
    return "ReasonAdded" + Number(added.run) + " " + added.reason;
  }
  std::string operator()(const RunClosed& closed) const {
    return "RunClosed" + Number(closed.id) + Number(closed.evaluations);
  }
  std::string operator()(const RunReopened& reopened) const {
    return "RunReopened" + Number(reopened.id);
  }
  std::string operator()(const DecisionSettled& settled) const {
    return "DecisionSettled" + Number(settled.id) + " " + Name(settled.disposition);
  }
  std::string operator()(const DispositionCorrected& corrected) const {
    return "DispositionCorrected" + Number(corrected.id) + " " + Name(corrected.disposition);
  }
  std::string operator()(const WriteConfirmed& confirmed) const {
    return "WriteConfirmed" + Number(confirmed.id);
  }
  std::string operator()(const PodsGotReady& ready) const {
    return "PodsGotReady" + Number(ready.id);
  }
  std::string operator()(const MemoryChanged& changed) const {
    return "MemoryChanged " + changed.subject.key.Print() + (changed.to.live ? " live" : " exact");
  }
  std::string operator()(const MemoryReplaced& replaced) const {
    return "MemoryReplaced " + replaced.subject.key.Print();
  }
  std::string operator()(const MemoryErased& erased) const {
    return "MemoryErased " + erased.subject.key.Print();
  }
  std::string operator()(const SeriesSaved& saved) const {
    return "SeriesSaved " + saved.subject.key.Print() + Number(saved.evaluations);
  }
  std::string operator()(const DelayAdded& noted) const {
    return "DelayAdded " + noted.subject.key.Print();
  }
  std::string operator()(const ForeignChangeAdded& changed) const {
    return "ForeignChangeAdded " + changed.subject.key.Print() + Number(changed.change.from) +
           " ->" + Number(changed.change.to);
  }
  std::string operator()(const EditAdded& changed) const {
    return "EditAdded " + changed.subject.key.Print() + " " + changed.edit.field;
  }
  std::string operator()(const SpecReplaced& kept) const {
    return "SpecReplaced " + kept.subject.key.Print() + (kept.spec.empty() ? " erased" : "");
  }
  std::string operator()(const TermAdded& begun) const { return "TermAdded " + begun.leader; }
  std::string operator()(const OpenRunsClosed&) const { return "OpenRunsClosed"; }
};

std::size_t SizeOf(const PackedDocuments& documents) {
  return documents.snapshot.size() + documents.conclusion.size();
}

// Of the texts that may be long.
struct Sizer {
  std::size_t operator()(const DecisionAdded& added) const {
    return SizeOf(added.documents) + added.message.size();
  }
  std::size_t operator()(const ReasonAdded& added) const {
    return SizeOf(added.documents) + added.message.size();
  }
  std::size_t operator()(const DecisionSettled& settled) const { return settled.conclusion.size(); }
  std::size_t operator()(const SeriesSaved& saved) const { return saved.data.size(); }
  std::size_t operator()(const SpecReplaced& kept) const { return kept.spec.size(); }
  template <typename Short>
  std::size_t operator()(const Short& /*change*/) const {
    return 0;
  }
};

struct Eraser {
  bool operator()(DecisionAdded& added) const { return Erase(added.documents); }
  bool operator()(ReasonAdded& added) const { return Erase(added.documents); }
  bool operator()(DecisionSettled& settled) const {
    return !std::exchange(settled.conclusion, {}).empty();
  }
  template <typename Other>
  bool operator()(Other& /*change*/) const {
    return false;
  }

  static bool Erase(PackedDocuments& documents) { return SizeOf(std::exchange(documents, {})) > 0; }
};

}  // namespace

std::size_t SizeOf(const Change& change) { return sizeof(change) + std::visit(Sizer{}, change); }

bool EraseDocuments(Change& change) { return std::visit(Eraser{}, change); }

void Batch::Append(Batch later) {
  std::ranges::move(later.changes, std::back_inserter(changes));
  notes.Append(std::move(later.notes));
  if (later.heartbeat) {
    heartbeat = later.heartbeat;
  }
}

std::string Print(const Change& change) { return std::visit(ChangePrinter{}, change); }

}  // namespace ballast::store
