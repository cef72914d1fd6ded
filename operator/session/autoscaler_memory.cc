#include "operator/session/autoscaler_memory.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <optional>
#include <string>
#include <variant>

#include "api/autoscaling/condition_types.h"
#include "api/base/invariant.h"
#include "operator/engine/conditions.h"
#include "operator/engine/memory/memory_mirror.h"
#include "operator/engine/stabilization.h"
#include "operator/process/log.h"

namespace ballast::session {
namespace {

// Slewing makes the wall clock drift from the steady clock; a greater difference is a jump.
constexpr Duration kClockTolerance = Duration::Seconds(2);

// Why the spec that the watch has may be older than one that another leader acted upon.
std::optional<engine::Refusal> WhyOld(const api::Autoscaler& autoscaler,
                                      const Result<StoredAutoscaler>& stored) {
  if (stored.ok() && stored->generation > autoscaler.metadata.generation) {
    return engine::Refusal{.cause = "the watch does not have its newest spec yet"};
  }
  // A right that is missing will not come by waiting.
  if (!stored.ok() && autoscaler.is_policy() && stored.error().code != Code::kForbidden) {
    return engine::Refusal{.cause = "it cannot be read", .error = stored.error().message};
  }
  return std::nullopt;
}

// Evaluations that were passed over for so long are as if they were late. After its window, by
// either clock, a policy would decide by nothing but the present.
Duration LongestPass(const api::Autoscaler& autoscaler, const SessionOptions& options) {
  Duration longest = options.max_view_age;
  if (autoscaler.is_policy()) {
    const engine::Settings settings{.downscale_stabilization = options.downscale_stabilization};
    const Duration window = engine::WindowsOf(autoscaler.spec, settings).down;
    longest = std::min(longest, {window.nanoseconds - kClockTolerance.nanoseconds});
  }
  return std::max(longest, engine::LongestGap(options.PeriodOf(autoscaler)));
}

}  // namespace

AutoscalerMemory::AutoscalerMemory(const api::Autoscaler& autoscaler,
                                   const std::optional<store::RecalledState>& known,
                                   const Attempts& left_over, const process::Instant& now,
                                   const SessionOptions& options) {
  if (known) {
    memory_ = known->memory;
    last_evaluation_ = known->last_evaluation;
    own_zero_ = known->last_write && known->last_write->to == 0 && known->replicas == 0;
    fresh_ = now.wall - known->last_evaluation <= engine::LongestGap(options.PeriodOf(autoscaler));
    // The process before this one could not store all that it did, or did not know it.
    lacks_records_ =
        known->incomplete || engine::IsTrue(autoscaler.status.conditions, api::kHistoryDegraded);
    behind_ = !fresh_ || lacks_records_ || options.others_lead;
  }
  for (std::size_t i = 0; i < left_over.size(); ++i) {
    const Attempt& attempt = left_over[i];
    const bool is_newer = !last_evaluation_ || *last_evaluation_ <= attempt.snapshot->now;
    if (is_newer) {
      memory_ = attempt.decision.memory;  // as it was in the process that made the attempt
      last_evaluation_ = attempt.snapshot->now;
    }
  }
  if (known && autoscaler.is_policy() && known->memory.recommendations.empty()) {
    BreakOff(engine::Break::kYielded);  // an evaluation since would have left one
  }
  // What follows is late since then, not since the start.
  const Time last = std::min(last_evaluation_.value_or(now.wall), now.wall);
  last_ = {last, now.steady - std::chrono::nanoseconds((now.wall - last).nanoseconds)};
}

Past AutoscalerMemory::Recall(const api::Autoscaler& autoscaler, const Attempts& attempts,
                              const process::Instant& now, const SessionOptions& options,
                              const Stored& stored) {
  has_scale_ = false;
  lacks_records_ = lacks_records_ && !complete();
  Past past;
  const Duration wall = now.wall - last_.wall;
  const std::chrono::nanoseconds steady = now.steady - last_.steady;
  clock_jumped_ |= std::abs(wall.nanoseconds - steady.count()) > kClockTolerance.nanoseconds;
  if (clock_jumped_) {
    Forget(engine::Break::kDoubt);
  }
  interrupted_ |= options.longest_stall(last_.steady).count() >
                  engine::LongestGap(options.PeriodOf(autoscaler)).nanoseconds;
  interrupted_ |= passed_ && IsLongAgo(now.steady, LongestPass(autoscaler, options));
  if (!attempts.empty()) {
    const Attempt& attempt = attempts.newest();
    past.unsettled_write = {attempt.snapshot->now, attempt.change.from, attempt.change.to};
  }
  if (behind_) {
    CatchUp(autoscaler, now, options, stored, past);
  }
  Tell(past);
  return past;
}

void AutoscalerMemory::Tell(Past& past) {
  if (!continues_) {
    Forget(broken_off_->how);
  }
  past.memory = memory_;
  past.last_evaluation = continues_ ? last_evaluation_ : std::nullopt;
  past.clock_jumped = clock_jumped_;
  past.interrupted = interrupted_;
  past.own_zero = own_zero_;
}

void AutoscalerMemory::CatchUp(const api::Autoscaler& autoscaler, const process::Instant& now,
                               const SessionOptions& options, const Stored& read, Past& past) {
  if (!options.ModeOf(autoscaler).reports) {  // there is no status memory
    interrupted_ = last_evaluation_.has_value();
    behind_ = false;
    return;
  }
  INVARIANT(read.has_value());
  const Result<StoredAutoscaler>& stored = *read;
  if (options.others_lead) {
    past.waits = WhyOld(autoscaler, stored);
    if (past.waits) {
      fresh_ = fresh_ && !IsLongAgo(now.steady, engine::LongestGap(options.PeriodOf(autoscaler)));
      return;
    }
  }
  const auto remembered = stored.ok() ? stored->memory : stored.error();
  if (stored.ok()) {
    past.stored_version = stored->version;
  }
  if (!remembered.ok()) {
    const std::string name = autoscaler.Print();
    log::Warn(log::About{name, Name(remembered.error().code)},
              "the memory on the API server cannot be read; nothing is scaled in for one window",
              {{"autoscaler", name}, {"error", remembered.error().message}});
    Forget(engine::Break::kDoubt);
    interrupted_ = true;
  } else {
    past.stored_writer = remembered->writer;
    Adopt(autoscaler, *remembered, options);
  }
  behind_ = !stored.ok();
}

// Recommendations made after the status memory was written are unknown, and those of another leader
// whose status has not arrived.
void AutoscalerMemory::Adopt(const api::Autoscaler& autoscaler, const StatusMemory& remembered,
                             const SessionOptions& options) {
  const bool another_wrote = remembered.writer != options.writer;
  const bool others_led = another_wrote || options.leadership->others_have_led();
  if (fresh_ && !lacks_records_ && !others_led) {
    return;
  }
  // The store has it as of every evaluation, the status only of now and then.
  const bool own = !another_wrote && last_evaluation_ && !lacks_records_;
  if (autoscaler.is_policy() && engine::AreOfTwoTargets(memory_, remembered.memory)) {
    if (!own) {  // this one was not evaluated meanwhile
      BreakOff(engine::Break::kYielded);
    }
    of_another_ = remembered.memory;
  } else {
    engine::Restore(memory_, remembered.memory, own);
  }
  if (others_led && !another_wrote) {
    Forget(engine::Break::kDoubt);
  }
  interrupted_ = true;
}

void AutoscalerMemory::Gathered(const process::Instant& now, std::optional<std::int32_t> replicas) {
  last_evaluation_ = now.wall;
  last_ = now;
  passed_ = false;
  has_scale_ = replicas.has_value();
  doubts_zero_ = doubts_zero_ && replicas != 0;
  own_zero_ = own_zero_ && replicas.value_or(0) == 0;
}

void AutoscalerMemory::Concluded(engine::Memory memory) {
  memory_ = std::move(memory);
  if (has_scale_) {
    clock_jumped_ = false;
    interrupted_ = false;
    continues_ = continues_ || !memory_.recommendations.empty();
  } else if (!continues_) {  // it may be an attempt of before
    Forget(broken_off_->how);
  }
}

void AutoscalerMemory::BreakOff(engine::Break how) {
  const engine::Break before = continues_ ? how : broken_off_->how;
  broken_off_ = {std::max(how, before), last_evaluation_};
  continues_ = false;
  has_scale_ = false;
  Forget(how);
}

void AutoscalerMemory::Forget(engine::Break how) {
  engine::Forget(how, memory_);
  if (of_another_) {
    engine::Forget(std::min(how, engine::Break::kYielded), *of_another_);
  }
}

bool AutoscalerMemory::MeetTarget(const std::string& uid, Past& past) {
  auto of_another = std::exchange(of_another_, std::nullopt);
  if (memory_.target == uid) {
    return false;  // the other one is gone
  }
  own_zero_ = false;
  if (of_another && of_another->target == uid) {
    memory_ = *std::move(of_another);
    last_evaluation_.reset();  // here there was none of it
    interrupted_ = true;       // the status has no present recommendation
    if (!continues_) {
      broken_off_->how = engine::Break::kYielded;  // what is forgotten once more is of this one
    }
  } else {
    BreakOff(engine::Break::kOtherTarget);
  }
  Tell(past);
  return true;
}

void AutoscalerMemory::ConcludedLate(const Attempt& attempt, const engine::Outcome& outcome) {
  std::optional<engine::Break> since;
  if (attempt.snapshot->autoscaler.is_policy() &&
      engine::AreOfTwoTargets(memory_, attempt.decision.memory)) {
    since = engine::Break::kOtherTarget;
  } else if (broken_off_ && attempt.snapshot->now <= broken_off_->last) {
    since = broken_off_->how;
  }
  engine::CountLateAttempt(memory_, *attempt.snapshot, attempt.decision, outcome, since);
}

}  // namespace ballast::session
