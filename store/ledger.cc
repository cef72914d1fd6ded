#include "store/ledger.h"

#include <mutex>
#include <utility>
#include <variant>

#include "api/decision/decision_json.h"
#include "api/decision/snapshot.h"
#include "api/decision/snapshot_json.h"
#include "api/json/json_writer.h"
#include "store/backend.h"
#include "store/fold/ledger_state.h"
#include "store/packing/compress.h"
#include "store/writer/writer.h"

namespace ballast::store {
namespace {

// How often the heartbeat and the journal are written while nothing else is.
constexpr std::chrono::milliseconds kHeartbeat{1'000};

// Empty: it is too long to be kept.
std::string Pack(json::Writer& writer) {
  auto packed = Compress(writer.Take());
  return packed.ok() ? std::move(packed).value() : "";
}

std::string Pack(const engine::Snapshot* snapshot) {
  if (snapshot == nullptr) {
    return "";
  }
  json::Writer writer;
  engine::Encode(writer, *snapshot);
  return Pack(writer);
}

std::string Pack(const engine::Conclusion* conclusion) {
  if (conclusion == nullptr) {
    return "";
  }
  json::Writer writer;
  engine::Encode(writer, "", *conclusion);
  return Pack(writer);
}

PackedDocuments PackBoth(const Evaluated& evaluated) {
  return {Pack(evaluated.evaluation.snapshot), Pack(evaluated.conclusion)};
}

// A LedgerState, and a back end that a Writer keeps up to date with it; without a back end, in
// memory only.
class KeptLedger final : public Ledger {
 public:
  KeptLedger(std::unique_ptr<Backend> backend, const LedgerOptions& options)
      : options_(options), backend_(std::move(backend)) {}
  ~KeptLedger() override;

  Status Start(const std::stop_token& stop) override;
  std::vector<OpenIntent> OpenIntents() const override;
  std::optional<RecalledState> Recall(const std::string& uid, Time now) const override;
  std::string SpecOf(const std::string& uid) const override;
  bool KeepsDocuments(const EvaluationRecord& evaluation) const override;
  void Append(const Record& record) override;
  Appended AppendDurably(const Intended& intended) override;
  Status Flush() override;
  LedgerHealth health() const override;

 private:
  // Absent: they are not kept.
  std::optional<PackedDocuments> DocumentsOf(const Record& record) const;
  Batch Adopt(StoredState stored);
  void BeginWriting(const std::optional<Error>& closed, Batch resumed);
  Result<LedgerWriter::Hooks::Joined> OpenLate();
  LedgerWriter::Ticket Add(Batch batch);

  const LedgerOptions options_;
  const std::unique_ptr<Backend> backend_;
  // Used by Start, then by the writer's thread only:
  bool read_ = false;        // what the store had at the start is known
  std::stop_source ending_;  // requested by the destructor, so that opening late is short

  mutable std::mutex mutex_;  // guards: all below; taken before the writer's own
  Error no_store_{Code::kUnavailable, "the store is not open yet"};  // why there is no writer
  LedgerState state_;
  std::string set_aside_;                 // at the start
  std::unique_ptr<LedgerWriter> writer_;  // null: no store; never replaced
};

// ---- Beginning and end

Status KeptLedger::Start(const std::stop_token& stop) {
  auto opened = backend_->Open(stop);
  if (opened.ok()) {
    {
      const std::lock_guard lock(mutex_);
      set_aside_ = opened->set_aside;
    }
    BeginWriting(std::nullopt, Adopt(std::move(opened->state)));
    return Done{};
  }
  const Error problem = opened.error();
  const bool passes = problem.code == Code::kFull || problem.code == Code::kUnavailable;
  if (!passes || stop.stop_requested()) {
    const std::lock_guard lock(mutex_);
    no_store_ = problem;
    return problem;
  }
  auto stored = backend_->Read();
  BeginWriting(problem, stored.ok() ? Adopt(std::move(stored).value()) : Batch{});
  return Done{};
}

Batch KeptLedger::Adopt(StoredState stored) {
  const std::lock_guard lock(mutex_);
  read_ = true;
  return state_.Adopt(std::move(stored));
}

void KeptLedger::BeginWriting(const std::optional<Error>& closed, Batch resumed) {
  const auto locked = [this](auto call) {
    return [this, call] {
      const std::lock_guard lock(mutex_);
      return (state_.*call)();
    };
  };
  const std::lock_guard lock(mutex_);
  writer_ = std::make_unique<LedgerWriter>(
      *backend_, closed, options_.retention,
      LedgerWriter::Hooks{.start = options_.on_writer_thread,
                          .begin =
                              [this](LedgerWriter& writer) {
                                // Under the lock, so that the writer gets
                                // batches in the fold's order.
                                const std::lock_guard fold(mutex_);
                                writer.AddQuietly(state_.Beat());
                              },
                          .everything = locked(&LedgerState::Everything),
                          .open = [this] { return OpenLate(); },
                          .now = locked(&LedgerState::aged)},
      CommitPace{options_.commit_delay, kHeartbeat, options_.retry_delay, options_.max_changes,
                 options_.max_bytes});
  if (!resumed.empty()) {
    Add(std::move(resumed));
  }
}

// Opens a store that could not be opened at the start.
Result<LedgerWriter::Hooks::Joined> KeptLedger::OpenLate() {
  ASSIGN_OR_RETURN(Backend::Opened opened, backend_->Open(ending_.get_token()));
  LedgerWriter::Hooks::Joined joined{{}, std::move(opened.set_aside)};
  if (!read_) {
    const std::lock_guard lock(mutex_);
    joined.batch = state_.Join(std::move(opened.state));
    read_ = true;
  }
  return joined;
}

KeptLedger::~KeptLedger() {
  if (!writer_) {
    return;
  }
  {
    const std::lock_guard lock(mutex_);
    Add(state_.End());
  }
  ending_.request_stop();
  writer_.reset();
}

// ---- Recording

void KeptLedger::Append(const Record& record) {
  // Without the lock, since this takes longer than all the rest.
  std::optional<PackedDocuments> documents = DocumentsOf(record);

  const std::lock_guard lock(mutex_);
  const auto* evaluated = std::get_if<Evaluated>(&record);
  if (evaluated != nullptr && writer_ && !documents &&
      state_.WantsDocuments(evaluated->evaluation)) {
    documents = PackBoth(*evaluated);  // the run has ended meanwhile
  }
  Add(state_.Apply(record, std::move(documents).value_or(PackedDocuments())));
}

std::optional<PackedDocuments> KeptLedger::DocumentsOf(const Record& record) const {
  if (const auto* concluded = std::get_if<Concluded>(&record)) {
    return PackedDocuments{"", Pack(concluded->conclusion)};
  }
  if (const auto* intended = std::get_if<Intended>(&record)) {
    return PackedDocuments{Pack(intended->evaluation.snapshot), ""};
  }
  const auto* evaluated = std::get_if<Evaluated>(&record);
  if (evaluated == nullptr || !KeepsDocuments(evaluated->evaluation)) {
    return std::nullopt;
  }
  return PackBoth(*evaluated);
}

bool KeptLedger::KeepsDocuments(const EvaluationRecord& evaluation) const {
  const std::lock_guard lock(mutex_);
  return writer_ && state_.WantsDocuments(evaluation);
}

Ledger::Appended KeptLedger::AppendDurably(const Intended& intended) {
  PackedDocuments documents = DocumentsOf(intended).value_or(PackedDocuments());
  DecisionId id = 0;
  LedgerWriter::Ticket ticket = 0;
  {
    const std::lock_guard lock(mutex_);
    Batch batch = state_.Apply(intended, std::move(documents));
    id = state_.newest();
    ticket = Add(std::move(batch));
    if (!writer_) {
      return {id, no_store_};
    }
  }
  return {id, writer_->Wait(ticket, options_.intent_timeout)};
}

LedgerWriter::Ticket KeptLedger::Add(Batch batch) {
  return writer_ ? writer_->Add(std::move(batch)) : 0;
}

// ---- Reading

std::vector<OpenIntent> KeptLedger::OpenIntents() const {
  const std::lock_guard lock(mutex_);
  return state_.open_intents();
}

std::optional<RecalledState> KeptLedger::Recall(const std::string& uid, Time now) const {
  const std::lock_guard lock(mutex_);
  return state_.Recall(uid, now);
}

std::string KeptLedger::SpecOf(const std::string& uid) const {
  std::unique_lock lock(mutex_);
  const std::string packed = state_.SpecOf(uid);
  lock.unlock();
  if (packed.empty()) {
    return "";
  }
  auto spec = Decompress(packed);
  return spec.ok() ? *std::move(spec) : "";
}

Status KeptLedger::Flush() {
  return writer_ ? writer_->Flush(options_.intent_timeout) : Status(no_store_);
}

LedgerHealth KeptLedger::health() const {
  const std::lock_guard lock(mutex_);
  const auto state = writer_ ? writer_->state() : LedgerWriter::WriterState{.problem = no_store_};
  return {state.problem, state.waiting, state.dropped,
          state.set_aside.empty() ? set_aside_ : state.set_aside, state.history_since};
}

}  // namespace

std::unique_ptr<Ledger> MakeLedger(std::unique_ptr<Backend> backend, const LedgerOptions& options) {
  return std::make_unique<KeptLedger>(std::move(backend), options);
}

}  // namespace ballast::store
