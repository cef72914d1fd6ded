#include "store/fold/batch.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace ballast::store {
namespace {

std::string Number(std::int64_t number) { return " " + std::to_string(number); }

struct Printer {
  std::string operator()(const DecisionAdded& added) const {
    return "DecisionAdded" + Number(added.id) + " " + added.subject.key.Print() +
           Number(added.current_replicas) + " ->" + Number(added.desired_replicas) + " " +
           Name(added.fate);
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
    return "DecisionSettled" + Number(settled.id) + " " + Name(settled.fate);
  }
  std::string operator()(const FateCorrected& corrected) const {
    return "FateCorrected" + Number(corrected.id) + " " + Name(corrected.fate);
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

}  // namespace

void Batch::Append(Batch later) {
  std::ranges::move(later.changes, std::back_inserter(changes));
  notes.Append(std::move(later.notes));
  if (later.heartbeat) {
    heartbeat = later.heartbeat;
  }
}

std::string Print(const Change& change) { return std::visit(Printer{}, change); }

}  // namespace ballast::store
