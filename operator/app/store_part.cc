#include "operator/app/store_part.h"

#include <chrono>
#include <utility>

#include "operator/os/thread_name.h"
#include "operator/process/log.h"
#include "store/sqlite/sqlite_backend.h"

namespace ballast::app {
namespace {

// After kill -9 the former process may still be flushing to disk.
constexpr std::chrono::seconds kLockWait{10};

// How often the ledger is told how time passes.
constexpr std::chrono::minutes kTellTime{1};

void TellRestored(const std::string& path, const Result<store::Restored>& restored) {
  if (!restored.ok()) {
    log::Error("the copy that waits could not be restored; the store is as it was",
               {{"store", path}, {"error", restored.error().message}});
  } else if (restored->removed) {
    log::Warn("a copy of the store was restored; what it replaced did not fit and is removed",
              {{"store", path}});
  } else {
    log::Warn("a copy of the store was restored", {{"store", path}, {"former", restored->former}});
  }
}

}  // namespace

StorePart::StorePart(std::string path, const store::Process& process,
                     const store::Retention& retention, process::Clock& clock,
                     process::TurnPool* pool)
    : path_(std::move(path)),
      retention_(retention),
      clock_(clock),
      ledger_(store::MakeLedger(
          store::MakeSqliteBackend(
              path_,
              {.process = process,
               .lock_wait = {.limit = kLockWait,
                             .waiting =
                                 [this](const std::string& pid) {
                                   log::Warn(
                                       "another process has the store open: waiting for it to end",
                                       {{"store", path_}, {"pid", pid}});
                                 }},
               .restored =
                   [this](const Result<store::Restored>& restored) {
                     TellRestored(path_, restored);
                   }}),
          {.retention = retention,
           .on_writer_thread = [] { os::NameThisThread("store-writer"); }})),
      ageing_(
          "store-age", clock, [this](const std::stop_token&) { return TellTime(); }, pool) {}

process::Manager::Part StorePart::Part() {
  return {"store", [this](const std::stop_token& stop) { return Start(stop); },
          [this] { ageing_.Stop(); }};
}

Status StorePart::Start(const std::stop_token& stop) {
  const Status opened = ledger_->Start(stop);
  if (stop.stop_requested()) {
    return Done{};  // stopped before it was open: no failure
  }
  if (!opened.ok() && opened.error().code == Code::kConflict) {
    return opened;
  }
  started_ = true;
  const store::LedgerHealth health = ledger_->health();
  if (!opened.ok()) {
    log::Error("the store cannot be used; decisions are kept in memory only",
               {{"store", path_}, {"error", opened.error().message}});
  } else if (health.problem) {
    log::Error("the store cannot be written now; decisions are kept in memory until it can",
               {{"store", path_}, {"error", health.problem->message}});
  }
  if (!health.set_aside.empty()) {
    log::Warn("the damaged store was moved aside and a new one was created",
              {{"store", path_}, {"set_aside", health.set_aside}});
  }
  ageing_.Start();
  return Done{};
}

process::SteadyTime StorePart::TellTime() {
  const process::SteadyTime now = clock_.Steady();
  if (told_at_) {
    ledger_->Append(store::TimePassed{clock_.Now(), Duration{(now - *told_at_).count()}});
  }
  told_at_ = now;
  return now + kTellTime;
}

Status StorePart::CheckReady() const {
  return started_ ? Status(Done{}) : Error{Code::kUnavailable, "the store is being opened"};
}

// Read anew for each scrape.
void StorePart::AddMetrics(telemetry::Registry& registry) const {
  const auto gauge = [&](const std::string& name, const std::string& help) {
    return registry.Gauges("ballast_store_" + name, help).With({});
  };
  const auto healthy = gauge("healthy", "1 while records reach the disk, else 0.");
  const auto waiting = gauge("records_waiting", "Changes of the store that are not on disk yet.");
  const auto dropped = gauge("records_dropped", "Changes of the store given up since the start.");
  const auto replaced =
      gauge("replaced", "1 after a damaged database was set aside and a new one begun, else 0.");
  const auto begins =
      gauge("history_begin_timestamp_seconds",
            "Since when every evaluation of every namespace is in the store; 0 as long "
            "as none is.");
  gauge("history_max_age_seconds", "How long the history is kept.")
      .Set(static_cast<double>(retention_.age.nanoseconds) / 1e9);
  registry.BeforePrint([=, this] {
    const store::LedgerHealth health = ledger_->health();
    healthy.Set(health.problem ? 0 : 1);
    waiting.Set(static_cast<double>(health.waiting));
    dropped.Set(static_cast<double>(health.dropped));
    replaced.Set(health.set_aside.empty() ? 0 : 1);
    const Time begin = health.history_since.value_or(Time(0, 0));
    begins.Set(static_cast<double>(begin.unix_seconds()));
  });
}

}  // namespace ballast::app
