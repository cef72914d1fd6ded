#include "tests/simulation/disk.h"

#include <utility>
#include <variant>

#include "store/compress.h"
#include "tests/simulation/replica.h"
#include "tests/simulation/world.h"

namespace ballast::simulation {

class Disk::Connection final : public store::Backend {
 public:
  Connection(Disk& disk, Process& process) : disk_(disk), process_(process) {}

  Result<Opened> Open(const std::stop_token& stop) override {
    TRY(Access("open"));
    ASSIGN_OR_RETURN(Opened opened, disk_.platter_.Open(stop));
    disk_.AddSnapshots(opened.state);
    return opened;
  }

  Result<store::StoredState> Read() override {
    ASSIGN_OR_RETURN(store::StoredState state, disk_.platter_.Read());
    disk_.AddSnapshots(state);
    return state;
  }

  Result<Applied> Apply(const store::Batch& batch) override {
    World& world = disk_.world_;
    TRY(Access("commit"));
    if (process_.dead() && world.DiceOf(Fault::kKills).OneIn(2)) {
      return Gone();  // the process was killed before the disk had it
    }
    for (const store::Change& change : batch.changes) {
      disk_.Keep(change);
      world.checks().Recorded(disk_.number_, change);
    }
    return disk_.platter_.Apply(batch);
  }

  Result<bool> Thin(const store::Retention&, Time) override { return false; }

 private:
  static Error Gone() { return {Code::kUnavailable, "the process is dead"}; }

  Status Access(const std::string& phase) {
    World& world = disk_.world_;
    if (process_.dead()) {
      return Gone();
    }
    Dice& dice = world.DiceOf(Fault::kSlowDisk);
    Nanoseconds takes = dice.Between(kMillisecond, 5 * kMillisecond);
    if (world.Strikes(Fault::kSlowDisk, phase, 100)) {
      takes += dice.Between(kSecond / 2, (world.options().swarm.extreme ? 6 : 2) * kSecond);
      world.checks().MayLoseRecords();  // an intent may not be on disk in time
    }
    Fibers::Get().SleepUntil(world.now() + takes);
    if (world.now() < process_.disk_fails_until()) {
      world.Met(Fault::kFailingDisk, phase);
      world.checks().DiskFails(disk_.number_);
      return Error{world.DiceOf(Fault::kFailingDisk).OneIn(2) ? Code::kFull : Code::kUnavailable,
                   "the disk fails"};
    }
    return Done{};
  }

  Disk& disk_;
  Process& process_;
};

std::unique_ptr<store::Backend> Disk::Open(Process& process) {
  return std::make_unique<Connection>(*this, process);
}

void Disk::Keep(const store::Change& change) {
  if (const auto* added = std::get_if<store::DecisionAdded>(&change)) {
    if (added->fate == store::Fate::kIntended) {
      intents_[added->id] = added->documents.snapshot;
    }
  } else if (const auto* settled = std::get_if<store::DecisionSettled>(&change)) {
    intents_.erase(settled->id);
  }
}

void Disk::AddSnapshots(store::StoredState& state) const {
  for (store::OpenIntent& intent : state.intents) {
    if (const auto found = intents_.find(intent.id); found != intents_.end()) {
      intent.snapshot = store::Decompress(found->second).value();
    }
  }
}

}  // namespace ballast::simulation
