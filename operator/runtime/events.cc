#include "operator/runtime/events.h"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <utility>

#include "api/json/json.h"
#include "operator/os/thread_name.h"
#include "operator/runtime/log.h"

namespace ballast::runtime {
namespace {

constexpr std::chrono::seconds kRequestTimeout{5};
constexpr std::chrono::seconds kRetryAfter{10};
constexpr int kTries = 12;
constexpr std::chrono::seconds kFarewell{2};  // for all that is still to be told at a stop
constexpr std::chrono::minutes kSeriesEnds{6};
constexpr std::chrono::minutes kSeriesRefresh{5};
constexpr std::chrono::minutes kLookOver{1};
constexpr double kBurst = 25;
constexpr std::chrono::minutes kRefill{5};
constexpr std::size_t kMaxNote = 1024;
constexpr std::size_t kMaxObjectName = 253;

const kube::Resource kEvents{
    .group = "events.k8s.io", .version = "v1", .plural = "events", .kind = "Event"};

// At most `limit` bytes, not cut inside a character.
std::string_view Cut(std::string_view text, std::size_t limit) {
  if (text.size() <= limit) {
    return text;
  }
  while (limit > 0 && (static_cast<unsigned char>(text[limit]) & 0xc0) == 0x80) {
    --limit;
  }
  return text.substr(0, limit);
}

std::string UniqueName(const std::string& regarding, Time now) {
  char suffix[24];
  std::snprintf(suffix, sizeof suffix, ".%016llx",
                static_cast<unsigned long long>(now.unix_nanoseconds()));
  return std::string(Cut(regarding, kMaxObjectName - 17)) + suffix;
}

bool IsWorthRetrying(const Error& error) {
  return error.code == Code::kUnavailable || error.code == Code::kTimeout ||
         error.code == Code::kNotSent || error.code == Code::kThrottled;
}

}  // namespace

EventRecorder::EventRecorder(kube::Transport& transport, Clock& clock, EventRecorderOptions options)
    : client_(transport, kRequestTimeout),
      clock_(clock),
      options_(std::move(options)),
      thread_([this](const std::stop_token& stop) { Run(stop); }) {}

EventRecorder::~EventRecorder() { Stop(); }

void EventRecorder::Stop() {
  thread_ = {};
  const std::lock_guard lock(mutex_);
  stopped_ = true;
}

void EventRecorder::Record(Event event) {
  event.note = Cut(event.note, kMaxNote);
  const std::lock_guard lock(mutex_);
  if (stopped_ || queue_.size() >= options_.queue) {
    Drop(1);
    return;
  }
  queue_.push_back(std::move(event));
  wake_.notify_all();
}

std::uint64_t EventRecorder::dropped() const {
  const std::lock_guard lock(mutex_);
  return dropped_;
}

void EventRecorder::Drop(std::size_t count) {
  dropped_ += count;
  options_.dropped_total.Add(static_cast<double>(count));
}

void EventRecorder::Run(const std::stop_token& stop) {
  os::NameThisThread("events");
  while (true) {
    std::optional<Event> event = Next(stop);
    if (!stop.stop_requested()) {
      EndSeries();
    }
    if (event) {
      SendOrDrop({std::move(*event)}, stop);
    } else if (stop.stop_requested()) {
      break;
    }
  }
  for (auto& [event, series] : series_) {
    if (IsTooLate(stop) || !Tell(series).ok()) {
      break;
    }
  }
}

// Of what is done after a stop was requested.
bool EventRecorder::IsTooLate(const std::stop_token& stop) {
  if (stop.stop_requested() && !farewell_ends_) {
    farewell_ends_ = clock_.Steady() + kFarewell;
  }
  return farewell_ends_ && clock_.Steady() >= *farewell_ends_;
}

std::optional<Event> EventRecorder::Next(const std::stop_token& stop) {
  const std::stop_callback on_stop(stop, [this] {
    const std::lock_guard lock(mutex_);
    wake_.notify_all();
  });
  std::unique_lock lock(mutex_);
  const SteadyTime deadline = series_.empty() ? SteadyTime::max() : look_over_at_;
  while (queue_.empty() && !stop.stop_requested() && clock_.Steady() < deadline) {
    clock_.WaitUntil(lock, wake_, deadline);
  }
  if (queue_.empty()) {
    return std::nullopt;
  }
  Event event = std::move(queue_.front());
  queue_.pop_front();
  return event;
}

void EventRecorder::SendOrDrop(Draft draft, const std::stop_token& stop) {
  const Event& event = draft.event;
  Status status = IsTooLate(stop) ? Error{Code::kTimeout, "the program ends"} : TrySend(draft);
  for (int tries = 1;
       !status.ok() && IsWorthRetrying(status.error()) && tries < kTries && !stop.stop_requested();
       ++tries) {
    SleepFor(clock_, kRetryAfter, stop);
    status = TrySend(draft);
  }
  if (status.ok()) {
    return;
  }
  const std::string cause = event.reason + " " + Name(status.error().code);
  log::Warn(log::About{event.regarding.namespace_ + "/" + event.regarding.name, cause},
            "an event was not recorded",
            {{"object", event.regarding.name},
             {"namespace", event.regarding.namespace_},
             {"reason", event.reason},
             {"error", status.error().message}});
  const std::lock_guard lock(mutex_);
  Drop(1);
  if (stop.stop_requested()) {
    Drop(queue_.size());
    queue_.clear();
  }
}

// A defect that one event meets is the end of it alone.
Status EventRecorder::TrySend(Draft& draft) {
  try {
    return Send(draft);
  } catch (const std::exception& defect) {
    return Error{Code::kInternal, defect.what()};
  }
}

Status EventRecorder::Send(Draft& draft) {
  const auto known = series_.find(draft.event);
  if (known == series_.end()) {
    return Create(draft);
  }
  Series& series = known->second;
  ++series.count;
  series.last_time = clock_.Now();
  series.last_seen = clock_.Steady();
  if (series.count > 2 && series.last_seen - series.last_sent < kSeriesRefresh) {
    return Done{};
  }
  if (const Status told = Tell(series); told.ok() || told.error().code != Code::kNotFound) {
    return Done{};  // what was not told now is part of the next count
  }
  series_.erase(known);  // somebody deleted the event
  return Create(draft);
}

Status EventRecorder::Create(Draft& draft) {
  const Event& event = draft.event;
  const bool again = !draft.object.name.empty();
  if (!again) {
    if (!TakeAllowance(event.regarding)) {
      return Error{Code::kFull, "too many events of one object"};
    }
    draft.time = clock_.Now();
    draft.object = {event.regarding.namespace_.empty() ? "default" : event.regarding.namespace_,
                    UniqueName(event.regarding.name, draft.time)};
  }
  const Status created = Post(draft);
  // A try that nobody answered may have made it.
  if (!created.ok() && !(again && created.error().code == Code::kConflict)) {
    return created;
  }
  if (series_.empty()) {
    look_over_at_ = clock_.Steady() + kLookOver;
  }
  series_[event] = {.object = draft.object,
                    .last_time = draft.time,
                    .last_seen = clock_.Steady(),
                    .last_sent = clock_.Steady()};
  return Done{};
}

Status EventRecorder::Post(const Draft& draft) {
  const Event& event = draft.event;
  json::Writer out;
  out.Object([&] {
    out.Field("apiVersion", kEvents.ApiVersion());
    out.Field("kind", kEvents.kind);
    out.Object("metadata", [&] {
      out.Field("name", draft.object.name);
      out.Field("namespace", draft.object.namespace_);
    });
    out.Field("eventTime", PrintMicro(draft.time));
    out.Field("reportingController", options_.controller);
    out.Field("reportingInstance", Cut(options_.instance, 128));
    out.Field("action", event.action);
    out.Field("reason", event.reason);
    out.Field("type", event.type);
    out.Field("note", event.note);
    out.Object("regarding", [&] {
      out.Field("apiVersion", event.regarding.api_version);
      out.Field("kind", event.regarding.kind);
      out.Field("namespace", event.regarding.namespace_);
      out.Field("name", event.regarding.name);
      out.Field("uid", event.regarding.uid);
    });
  });
  TRY(client_.Create(kEvents, draft.object.namespace_, out.Take()));
  return Done{};
}

// Raises the count that the API server has.
Status EventRecorder::Tell(Series& series) {
  if (series.told == series.count) {
    return Done{};
  }
  json::Writer out;
  out.Object([&] {
    out.Object("series", [&] {
      out.Field("count", series.count);
      out.Field("lastObservedTime", PrintMicro(series.last_time));
    });
  });
  TRY(client_.PatchObject(kEvents, series.object, "", kube::Patch::kMerge, out.Take()));
  series.told = series.count;
  series.last_sent = clock_.Steady();
  return Done{};
}

bool EventRecorder::TakeAllowance(const ObjectReference& regarding) {
  const SteadyTime now = clock_.Steady();
  Allowance& allowance = allowances_.try_emplace(regarding, Allowance{kBurst, now}).first->second;
  const std::chrono::duration<double> since = now - allowance.at;
  allowance.events = std::min(kBurst, allowance.events + since / kRefill);
  allowance.at = now;
  if (allowance.events < 1) {
    return false;
  }
  allowance.events -= 1;
  return true;
}

void EventRecorder::EndSeries() {
  const SteadyTime now = clock_.Steady();
  if (now < look_over_at_) {
    return;
  }
  look_over_at_ = now + kLookOver;
  for (auto at = series_.begin(); at != series_.end();) {
    if (now - at->second.last_seen <= kSeriesEnds) {
      ++at;
    } else {
      static_cast<void>(Tell(at->second));  // best effort, as all of this
      at = series_.erase(at);
    }
  }
  std::erase_if(allowances_, [&](const auto& entry) {
    return now - entry.second.at > kRefill * static_cast<int>(kBurst);
  });
}

}  // namespace ballast::runtime
