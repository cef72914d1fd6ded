#include "operator/controllers/write_queue.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <utility>
#include <variant>

#include "operator/session/attempt.h"

namespace ballast::controllers {
namespace {

// So long that it only matters while the API server hardly answers.
constexpr std::chrono::minutes kLongestWaitOfStatus{1};

constexpr std::chrono::seconds kLookEvery{1};
// So long a scale-in leaves lanes to scale-outs, well before it expires.
constexpr std::chrono::seconds kScaleInYields{2};
// So many scales for each lane that begin within this time are a burst.
constexpr std::size_t kBurst = 2;
constexpr std::chrono::seconds kBurstTime{1};

// From 1 to 3 is more urgent than from 10 to 20; from 0, where nothing serves, is the most urgent.
double SurplusOf(const session::WriteScale& scale) {
  const double from = scale.change.from;
  const double to = scale.change.to;
  return from == 0 ? -std::numeric_limits<double>::infinity() : (from - to) / from;
}

bool IsStatus(const session::Request& request) {
  return std::holds_alternative<session::WriteStatus>(request);
}

}  // namespace

// By either clock: the steady one stands still while the machine sleeps.
std::optional<session::Answer> WriteQueue::Write::Expired(const process::Instant& now) const {
  const std::chrono::nanoseconds wall((now.wall - submitted.wall).nanoseconds);
  const auto waited = std::max<std::chrono::nanoseconds>(wall, now.steady - submitted.steady);
  if (waited <= (IsStatus(request) ? kLongestWaitOfStatus : session::kLongestWait)) {
    return std::nullopt;
  }
  return session::Refused(request, "the API server was too slow with more urgent writes",
                          now.steady);
}

bool WriteQueue::MoreUrgent::operator()(const Write& a, const Write& b) const {
  const auto* scale = std::get_if<session::WriteScale>(&a.request);
  const auto* other = std::get_if<session::WriteScale>(&b.request);
  return scale != nullptr && other != nullptr && SurplusOf(*scale) < SurplusOf(*other);
}

void WriteQueue::Submit(Write write) {
  const std::string namespace_ = write.of.namespace_;
  {
    const std::lock_guard lock(mutex_);
    const process::SteadyTime now = clock_.Steady();
    if (const auto* scale = std::get_if<session::WriteScale>(&write.request)) {
      scale_lanes_.Ask(namespace_, now);
      Scales& scales = SurplusOf(*scale) < 0 ? scale_outs_ : scale_ins_;
      scales.Push(namespace_, std::move(write));
    } else {
      status_lanes_.Ask(namespace_, now);
      statuses_.Push(namespace_, std::move(write));
    }
  }
  takeable_.notify_one();
}

void WriteQueue::Hurry(const api::ObjectReference& autoscaler) {
  {
    const std::lock_guard lock(mutex_);
    Write* const status = statuses_.Find(
        autoscaler.namespace_, [&](const Write& write) { return write.of == autoscaler; });
    if (status == nullptr) {
      return;
    }
    std::get<session::WriteStatus>(status->request).yields = {};
  }
  takeable_.notify_one();
}

runtime::SharedLanes& WriteQueue::LanesOf(const Write& write) {
  return IsStatus(write.request) ? status_lanes_ : scale_lanes_;
}

void WriteQueue::WaitForRoom() {
  std::unique_lock lock(mutex_);
  roomy_.wait(lock, [this] { return HasRoom(); });
}

std::size_t WriteQueue::CountPrompt(const Scales& scales) const {
  return scales.CountIf([this](const std::string& of) { return !scale_lanes_.IsSlow(of); });
}

bool WriteQueue::HasRoom() const {
  return ScalesWaiting() < limits_.scales_waiting || PromptScalesWaiting() < limits_.scales_waiting;
}

std::optional<WriteQueue::Write> WriteQueue::NextScale() {
  const process::Instant now = process::ReadBoth(clock_);
  scale_lanes_.Look(now.steady);
  const auto expired = [&](const Write& write) { return write.Expired(now).has_value(); };
  const auto may = [&](const std::string& namespace_) { return scale_lanes_.May(namespace_); };
  for (Scales* scales : {&scale_outs_, &scale_ins_}) {
    if (std::optional<Write> next = scales->Extract(expired)) {
      return next;
    }
  }
  if (std::optional<Write> next = scale_outs_.PopIf(may)) {
    return next;
  }
  if (CountPrompt(scale_outs_) == 0) {
    return scale_ins_.PopIf(may);
  }
  return scale_ins_.Extract([&](const Write& write) {
    return now.steady - write.submitted.steady >= kScaleInYields && may(write.of.namespace_);
  });
}

bool WriteQueue::IsBurst(process::SteadyTime now) const {
  const std::size_t lanes = scale_lanes_.lanes();
  const bool some_wait = PromptScalesWaiting() > 0;
  const bool is_full = scale_lanes_.held() == lanes && some_wait;
  const bool is_fast =
      recent_scales_.size() == kBurst * lanes && now - recent_scales_.front() <= kBurstTime;
  return is_full || (is_fast && (some_wait || scale_lanes_.held() > scale_lanes_.slow()));
}

std::optional<WriteQueue::Write> WriteQueue::NextStatus() {
  const process::Instant now = process::ReadBoth(clock_);
  scale_lanes_.Look(now.steady);
  status_lanes_.Look(now.steady);
  const auto expired = [&](const std::string& namespace_) {
    return statuses_.FirstOf(namespace_).Expired(now).has_value();
  };
  if (std::optional<Write> next = statuses_.PopIf(expired)) {
    return next;
  }
  const auto may = [this](const std::string& namespace_) { return status_lanes_.May(namespace_); };
  if (!IsBurst(now.steady)) {
    return statuses_.PopIf(may);
  }
  const bool is_only = status_lanes_.held() == status_lanes_.slow();
  return statuses_.Extract([&](const Write& write) {
    const Duration yields = std::get<session::WriteStatus>(write.request).yields;
    const auto waited = now.steady - write.submitted.steady;
    const bool is_due =
        yields == Duration() || (is_only && waited >= std::chrono::nanoseconds(yields.nanoseconds));
    return is_due && may(write.of.namespace_);
  });
}

std::optional<WriteQueue::Write> WriteQueue::TakeNext() {
  std::optional<Write> next = ScalesWaiting() > 0 ? NextScale() : std::nullopt;
  if (!next && !statuses_.empty()) {
    next = NextStatus();
  }
  if (next) {
    const process::Instant now = process::ReadBoth(clock_);
    next->lane = LanesOf(*next).Begin(next->of.namespace_, now.steady);
    if (!IsStatus(next->request) && !next->Expired(now)) {
      recent_scales_.push_back(now.steady);
      if (recent_scales_.size() > kBurst * scale_lanes_.lanes()) {
        recent_scales_.pop_front();
      }
    }
  }
  return next;
}

std::optional<WriteQueue::Write> WriteQueue::Take() {
  std::unique_lock lock(mutex_);
  std::optional<Write> write = TakeNext();
  while (!write && !(closed_ && IsIdle())) {
    // Those that may not begin expire meanwhile, or have yielded for long enough.
    const bool some_wait = SomeWait();
    clock_.WaitUntil(lock, takeable_,
                     some_wait ? clock_.Steady() + kLookEvery : process::SteadyTime::max());
    write = TakeNext();
    if (some_wait) {
      roomy_.notify_all();
    }
  }
  const bool some_wait = write && SomeWait();
  const bool roomy = write && HasRoom();
  lock.unlock();
  if (some_wait) {
    takeable_.notify_one();  // another is to look when they may begin, or expire
  }
  if (roomy) {
    roomy_.notify_all();
  }
  return write;
}

void WriteQueue::Done(const Write& write) {
  bool ends = false;
  bool roomy = false;
  {
    const std::lock_guard lock(mutex_);
    LanesOf(write).End(write.lane, write.ended, clock_.Steady());
    ends = closed_ && IsIdle();
    roomy = HasRoom();  // as it has if it is idle
  }
  ends ? takeable_.notify_all() : takeable_.notify_one();
  if (roomy) {
    roomy_.notify_all();
  }
}

void WriteQueue::Seal() {
  std::unique_lock lock(mutex_);
  roomy_.wait(lock, [this] { return IsIdle(); });
  sealed_ = true;
}

bool WriteQueue::sealed() const {
  const std::lock_guard lock(mutex_);
  return sealed_;
}

void WriteQueue::Close() {
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
  }
  takeable_.notify_all();
}

}  // namespace ballast::controllers
