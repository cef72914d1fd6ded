#include "tests/faults/disk.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <variant>

#include "operator/process/clock.h"
#include "store/packing/compress.h"
#include "store/testing/picture.h"
#include "tests/faults/replica.h"
#include "tests/faults/world.h"

namespace ballast::faults {
namespace {

using store::testing::Failing;
using store::testing::FailingVfs;

// The file has the samples of several metrics in an order of its own.
store::StoredState Sorted(store::StoredState state) {
  for (store::LoadedMemory& memory : state.memories) {
    std::ranges::sort(memory.image.as_is.used_samples, {},
                      [](const auto& used) { return used.metric; });
  }
  return state;
}

bool IsSame(const store::StoredState& state, const store::StoredState& other) {
  using store::testing::PictureWithoutHeartbeat;
  return state.newest == other.newest &&
         PictureWithoutHeartbeat(Sorted(state)) == PictureWithoutHeartbeat(Sorted(other));
}

}  // namespace

class Disk::Connection final : public store::Backend {
 public:
  Connection(Disk& disk, Process& process) : disk_(disk), process_(process) {
    if (disk.file_ != nullptr && !process.dead()) {
      file_ = disk.file_->Open({.started = process::SystemClock().Now()},
                               [this](const FailingVfs::Call& call) { return Judge(call); });
    }
  }
  ~Connection() override {
    const InSqlite in;
    file_.reset();
  }

  Result<Opened> Open(const std::stop_token& stop) override {
    TRY(Access("open"));
    std::optional<Opened> found;
    if (file_ != nullptr) {
      ASSIGN_OR_RETURN(found, Ask([&] { return file_->Open(stop); }));
      disk_.Compare(found->state);
      if (!found->set_aside.empty()) {
        disk_.world_.checks().Fail("disk", "a sound file was set aside: " + found->set_aside);
      }
    }
    ASSIGN_OR_RETURN(Opened opened, disk_.platter_.Open(stop));
    disk_.AddSnapshots(opened.state);
    disk_.world_.answers()
        .ArchiveOf(disk_.number_)
        .Opened(process_.identity(), {.started = process::SystemClock().Now()});
    return found ? *std::move(found) : std::move(opened);
  }

  Result<store::StoredState> Read() override {
    if (file_ != nullptr) {
      return Ask([&] { return file_->Read(); });
    }
    ASSIGN_OR_RETURN(store::StoredState state, disk_.platter_.Read());
    disk_.AddSnapshots(state);
    return state;
  }

  Result<Applied> Apply(const store::Batch& batch) override {
    if (process_.dead()) {
      return Gone();
    }
    disk_.under_way_ = &batch;
    Status committed = Access("commit");
    if (committed.ok() && file_ != nullptr) {
      committed = CommitInFile(batch);
    }
    if (process_.dead()) {
      return Gone();  // Cut() has decided what became of it
    }
    disk_.under_way_ = nullptr;
    TRY(committed);
    disk_.attempts_.clear();
    return disk_.Commit(batch);
  }

  Result<Thinned> Thin(const store::Retention&, Time) override { return Thinned{}; }

 private:
  static Error Gone() { return {Code::kUnavailable, "the process is dead"}; }

  Status Access(const std::string& phase) {
    if (process_.dead()) {
      return Gone();
    }
    const auto number = process_.Begin(phase);
    const Status used = Use(phase);
    process_.End(number);
    return used;
  }

  Status Use(const std::string& phase) {
    World& world = disk_.world_;
    Dice& dice = world.DiceOf(Fault::kSlowDisk);
    Nanoseconds takes = dice.Between(kMillisecond, 5 * kMillisecond);
    if (world.Strikes(Fault::kSlowDisk, phase, 100)) {
      takes += dice.Between(kSecond / 2, (world.options().swarm.extreme ? 6 : 2) * kSecond);
      // An intent may not be on disk in time.
      world.checks().MayLoseRecords(disk_.number_, world.now() + takes + kSecond);
    }
    Fibers::Get().SleepUntil(world.now() + takes);
    if (process_.dead()) {
      return Gone();
    }
    if (file_ == nullptr && world.now() < disk_.fails_until_) {
      world.Met(Fault::kFailingDisk, phase);
      world.checks().DiskFails(disk_.number_);
      return Error{world.DiceOf(Fault::kFailingDisk).OneIn(2) ? Code::kFull : Code::kUnavailable,
                   "the disk fails"};
    }
    return Done{};
  }

  // Has the file asked.
  template <typename Call>
  auto Ask(const Call& call) -> decltype(call()) {
    const auto number = process_.Begin("file");
    auto answer = [&] {
      const InSqlite in;
      return call();
    }();
    process_.End(number);
    if (process_.dead()) {
      return Gone();
    }
    if (!answer.ok()) {
      disk_.world_.checks().DiskFails(disk_.number_);
    }
    return answer;
  }

  Status CommitInFile(const store::Batch& batch) {
    disk_.attempts_.push_back(batch);
    ASSIGN_OR_RETURN(const Applied applied, Ask([&] { return file_->Apply(batch); }));
    if (!applied.set_aside.empty()) {
      disk_.world_.checks().Fail("disk", "a sound file was set aside: " + applied.set_aside);
    }
    if (const std::int64_t orphans = disk_.CountOrphans(batch); applied.dropped > orphans) {
      disk_.world_.checks().Fail(
          "disk", std::to_string(applied.dropped) + " changes were left out, of which " +
                      std::to_string(orphans) + " belong to decisions that are not there");
    }
    return Done{};
  }

  // How a call of SQLite fails. Those that write take time, in which the process may be killed.
  std::optional<Failing> Judge(const FailingVfs::Call& call) {
    World& world = disk_.world_;
    Dice& dice = world.DiceOf(Fault::kSqlite);
    if (!process_.dead() && (call.syncs || (call.takes_space && dice.OneIn(8)))) {
      if (call.syncs && disk_.at_next_sync_) {
        Fibers::Get().At(world.now(), std::exchange(disk_.at_next_sync_, nullptr));
      }
      const Nanoseconds longest = (dice.OneIn(10) ? 300 : 5) * kMillisecond;
      Fibers::Get().SleepUntil(world.now() + dice.Between(kMillisecond, longest));
    }
    if (process_.dead()) {
      return Failing::kDevice;
    }
    if (world.now() < disk_.fails_until_) {
      world.Met(Fault::kFailingDisk, "file");
      return !disk_.is_full_    ? std::optional(Failing::kDevice)
             : call.takes_space ? std::optional(Failing::kSpace)
                                : std::nullopt;
    }
    return world.Strikes(Fault::kFailingDisk, "file", 8000) ? std::optional(Failing::kDevice)
                                                            : std::nullopt;
  }

  Disk& disk_;
  Process& process_;
  std::unique_ptr<store::Backend> file_;  // null: there is none
};

Disk::Disk(World& world, int number) : world_(world), number_(number) {
  if (world.options().swarm.Has(Fault::kSqlite)) {
    file_ = std::make_unique<LedgerFile>(number, world.DiceOf(Fault::kPowerCuts));
  }
}

std::unique_ptr<store::Backend> Disk::Open(Process& process) {
  return std::make_unique<Connection>(*this, process);
}

void Disk::FailUntil(Nanoseconds until) {
  fails_until_ = std::max(fails_until_, until);
  is_full_ = file_ != nullptr && world_.DiceOf(Fault::kSqlite).OneIn(2);
}

void Disk::Cut() {
  const store::Batch* const batch = std::exchange(under_way_, nullptr);
  if (file_ != nullptr) {
    const InSqlite in;
    world_.Met(loses_power_ ? Fault::kPowerCuts : Fault::kSqlite,
               attempts_.empty() ? "idle" : "commit");
    file_->Cut(std::exchange(loses_power_, false));
    Compare(file_->Read());
    return;
  }
  if (batch != nullptr && world_.now() >= fails_until_ && world_.DiceOf(Fault::kKills).OneIn(2)) {
    Commit(*batch).value();
  }
}

// What is in the file is what was committed, and maybe one of the attempts to commit more.
void Disk::Compare(const Result<store::StoredState>& found) {
  // A file whose making was interrupted has nothing.
  const store::StoredState state = found.ok() ? *found : store::StoredState();
  const std::vector<store::Batch> attempts = std::exchange(attempts_, {});
  if (IsSame(state, platter_.Read().value())) {
    return;
  }
  for (const store::Batch& batch : attempts) {
    store::InMemoryBackend after = platter_;
    (void)after.Apply(batch);
    if (IsSame(state, after.Read().value())) {
      (void)Commit(batch);
      return;
    }
  }
  world_.checks().Fail("disk",
                       "the file of replica " + std::to_string(number_) +
                           " has neither what was committed nor what was tried last: " +
                           (found.ok() ? "" : found.error().message) +
                           store::testing::PictureWithoutHeartbeat(state) + "instead of " +
                           store::testing::PictureWithoutHeartbeat(platter_.Read().value()));
}

Result<store::Backend::Applied> Disk::Commit(const store::Batch& batch) {
  for (const store::Change& change : batch.changes) {
    Keep(change);
    world_.checks().Recorded(number_, change);
  }
  world_.answers().ArchiveOf(number_).Committed(batch);
  return platter_.Apply(batch);
}

std::int64_t Disk::CountOrphans(const store::Batch& batch) const {
  std::set<store::DecisionId> added;
  std::int64_t orphans = 0;
  for (const store::Change& change : batch.changes) {
    std::optional<store::DecisionId> of;
    if (const auto* decision = std::get_if<store::DecisionAdded>(&change)) {
      added.insert(decision->id);
    } else if (const auto* reason = std::get_if<store::ReasonAdded>(&change)) {
      of = reason->run;
    } else if (const auto* closed = std::get_if<store::RunClosed>(&change)) {
      of = closed->id;
    } else if (const auto* settled = std::get_if<store::DecisionSettled>(&change)) {
      of = settled->id;
    }
    orphans += of && !added.contains(*of) && !decisions_.contains(*of) ? 1 : 0;
  }
  return orphans;
}

void Disk::Keep(const store::Change& change) {
  if (const auto* added = std::get_if<store::DecisionAdded>(&change)) {
    decisions_.insert(added->id);
    if (added->disposition == store::Disposition::kIntended) {
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

}  // namespace ballast::faults
