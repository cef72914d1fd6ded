#include "operator/runtime/reflector.h"

#include <algorithm>
#include <utility>

#include "api/base/printable.h"
#include "api/json/json.h"
#include "api/json/json_split.h"
#include "operator/kube/status_error.h"
#include "operator/kube/unserved.h"
#include "operator/process/guarded.h"
#include "operator/process/log.h"

namespace ballast::runtime {
namespace {

// The types of events, as in their lines.
constexpr std::string_view kAdded = R"("ADDED")";
constexpr std::string_view kModified = R"("MODIFIED")";
constexpr std::string_view kDeleted = R"("DELETED")";
constexpr std::string_view kBookmark = R"("BOOKMARK")";
constexpr std::string_view kError = R"("ERROR")";
// The annotation of the bookmark that ends a stream's initial events.
constexpr const char* kInitialEventsEnd = "k8s.io/initial-events-end";

// A part of a page or of a stream is parsed whole.
Status CheckSize(std::string_view part) {
  return part.size() > kube::kOneObject.bytes ? Status(kube::TooLarge(kube::kOneObject)) : Done{};
}

// Reads the object of an ERROR event, a Status.
Error ReadError(std::string_view object) {
  const auto document = json::Parse(object);
  if (!document.ok()) {
    return {Code::kCorrupt, "an ERROR event: " + document.error().message};
  }
  json::Decoder decoder(*document);
  return kube::ErrorFromStatus(decoder.root(), 500);
}

}  // namespace

struct Reflector::Call {
  kube::Request request;
  WatchEnd end;
  process::SteadyTime began;
  std::stop_source watch;
  kube::LineSink sink;
  std::optional<std::stop_callback<std::function<void()>>> pass_on;
  std::optional<Status> failed;               // instead of `stream`
  std::unique_ptr<kube::BegunStream> stream;  // last: it uses the others
};

Reflector::Reflector(kube::Transport& transport, process::Clock& clock, WatchSource source,
                     WatchTarget& target, std::function<void()> wake)
    : transport_(transport),
      clock_(clock),
      source_(std::move(source)),
      target_(target),
      wake_(std::move(wake)),
      backoff_(clock, source_.backoff) {}

Reflector::~Reflector() = default;

void Reflector::Stop() { call_ = nullptr; }

process::SteadyTime Reflector::Turn(const std::stop_token& stop) {
  if (clock_.Steady() < due_ && !LooksAtOnce()) {
    return due_;  // woken by a watch whose end was known already
  }
  {
    const std::lock_guard lock(mutex_);
    started_ = true;
    waits_ = false;
  }
  auto step = std::visit([&](const auto& now) { return Do(now, stop); }, state_);
  if (!step) {
    return process::SteadyTime::max();
  }
  state_ = std::move(step->state);
  if (WantsReread()) {
    state_ = Streaming{};
  }
  due_ = process::SteadyTime::min();
  if (step->back_off) {
    const auto wait = std::max<std::chrono::nanoseconds>(backoff_.Next(), step->at_least);
    const std::lock_guard lock(mutex_);
    waits_ = true;
    due_ = clock_.Steady() + wait;
  }
  return LooksAtOnce() ? process::SteadyTime::min() : due_;
}

telemetry::WatchDebugState Reflector::DebugState() const {
  const std::lock_guard lock(mutex_);
  return {.resource = source_.resource.FullName(),
          .namespace_ = source_.namespace_,
          .state = !started_   ? "not started"
                   : absent_   ? "not served"
                   : waits_    ? "backing off"
                   : complete_ ? "watching"
                               : "reading everything",
          .heard_at = heard_at_,
          .last_error = last_error_};
}

void Reflector::Failed(std::string_view message, const Error& error) {
  log::Warn(log::About{source_.resource.FullName() + " " + source_.namespace_, Name(error.code)},
            message,
            {{"resource", source_.resource.plural},
             {"namespace", source_.namespace_},
             {"code", Name(error.code)},
             {"error", error.message}});
  const process::SteadyTime now = clock_.Steady();
  const std::lock_guard lock(mutex_);
  last_error_ = {now, Name(error.code), Printable(error.message)};
}

std::optional<process::SteadyTime> Reflector::LastHeard() const {
  const std::lock_guard lock(mutex_);
  return heard_at_;
}

std::optional<process::SteadyTime> Reflector::LastRead() const {
  const std::lock_guard lock(mutex_);
  return read_at_;
}

bool Reflector::Reread() {
  {
    const process::SteadyTime now = clock_.Steady();
    const std::lock_guard lock(mutex_);
    if (!complete_ || reread_ || (reread_at_ && now - *reread_at_ < kRereadPeriod)) {
      return false;
    }
    reread_at_ = now;
  }
  log::Info(log::About{source_.resource.FullName() + " " + source_.namespace_},
            "everything is listed again: the watch is behind, or has been silent for long",
            {{"resource", source_.resource.plural}, {"namespace", source_.namespace_}});
  ReadAnew();
  return true;
}

void Reflector::ReadAnew() {
  std::stop_source watch(std::nostopstate);
  {
    const std::lock_guard lock(mutex_);
    reread_ = true;
    watch = watch_;
  }
  watch.request_stop();
  if (LooksAtOnce()) {
    wake_();
  }
}

bool Reflector::LooksAtOnce() const {
  const std::lock_guard lock(mutex_);
  return absent_ && reread_;
}

bool Reflector::WantsReread() const {
  const std::lock_guard lock(mutex_);
  return reread_;
}

void Reflector::BeginReading() {
  {
    const std::lock_guard lock(mutex_);
    complete_ = false;
    reread_ = false;
  }
  target_.OnInit();
}

// Sets the time first: whoever sees that the target has everything also sees the time; and whoever
// sees that this watches, that the target has everything.
void Reflector::EndReading() {
  {
    const process::SteadyTime now = clock_.Steady();
    const std::lock_guard lock(mutex_);
    read_at_ = now;
    heard_at_ = now;
    absent_ = false;
    missed_ = false;
  }
  target_.OnInitDone();
  const std::lock_guard lock(mutex_);
  complete_ = true;
}

bool Reflector::IsAbsent(const Error& error) const {
  if (!source_.may_be_absent || error.code != Code::kForbidden) {
    return source_.may_be_absent && error.code == Code::kNotFound;
  }
  const Result<bool> unserved = process::Guarded(
      [&]() -> Result<bool> { return kube::IsUnserved(transport_, source_.resource); });
  return unserved.ok() && *unserved;
}

bool Reflector::MissesFirst() {
  const std::lock_guard lock(mutex_);
  const bool first = read_at_ && !absent_ && !missed_;
  missed_ = missed_ || first;
  return first;
}

void Reflector::Absent() {
  bool news = false;
  {
    const std::lock_guard lock(mutex_);
    news = !absent_;
  }
  if (news) {
    log::Info("the server does not serve a kind that it need not; it is looked for again and again",
              {{"resource", source_.resource.FullName()}});
  }
  target_.OnInit();  // and forgets what the pages before had
  EndReading();
  const std::lock_guard lock(mutex_);
  absent_ = true;
}

void Reflector::Heard() {
  const process::SteadyTime now = clock_.Steady();
  const std::lock_guard lock(mutex_);
  heard_at_ = now;
}

// The watch ends at once if everything is to be read again.
std::stop_source Reflector::BeginWatch() {
  const std::lock_guard lock(mutex_);
  watch_ = std::stop_source();
  if (reread_) {
    watch_.request_stop();
  }
  return watch_;
}

kube::Request Reflector::BaseRequest() const {
  kube::Request request{.path = kube::CollectionPath(source_.resource, source_.namespace_)};
  if (!source_.label_selector.empty()) {
    request.query.emplace_back("labelSelector", source_.label_selector);
  }
  if (!source_.field_selector.empty()) {
    request.query.emplace_back("fieldSelector", source_.field_selector);
  }
  return request;
}

std::optional<Transition> Reflector::Do(const Listing& state, const std::stop_token&) {
  if (state.continue_token.empty()) {
    BeginReading();
  }
  const Result<PageEnd> page = process::Guarded([&] { return ReadPage(state); });
  if (!page.ok() && IsAbsent(page.error())) {
    if (!MissesFirst()) {
      Absent();
    }
    return Transition{Streaming{}, true, kAbsentPeriod};
  }
  if (!page.ok()) {
    Failed("cannot list", page.error());
  }
  return Advance(state, page);
}

Result<PageEnd> Reflector::ReadPage(const Listing& state) {
  if (state.pages == kube::kMostPages) {
    return kube::TooManyPages();
  }
  kube::Request request = BaseRequest();
  request.timeout = source_.list_timeout;
  request.limit = kube::kOnePage;
  if (!state.whole) {
    request.query.emplace_back("limit", std::to_string(source_.page_limit));
  }
  if (!state.continue_token.empty()) {
    request.query.emplace_back("continue", state.continue_token);
  }
  ASSIGN_OR_RETURN(const kube::Response response, transport_.Do(request));
  auto end = TakePage(response.body);
  if (!end.ok()) {
    return Error{Code::kCorrupt, end.error().message};
  }
  return end;
}

Result<PageEnd> Reflector::TakePage(std::string_view body) {
  ASSIGN_OR_RETURN(const auto members, json::SplitObject(body));
  const std::string_view metadata = json::Find(members, "metadata");
  TRY(CheckSize(metadata));
  ASSIGN_OR_RETURN(const json::Document document, json::Parse(metadata));
  json::Decoder decoder(document);
  PageEnd end;
  decoder.root().Required("resourceVersion").Read(end.resource_version);
  decoder.root().Member("continue").Read(end.continue_token);
  TRY(decoder.status());
  if (const std::string_view items = json::Find(members, "items");
      !items.empty() && items != "null") {
    ASSIGN_OR_RETURN(const auto objects, json::SplitArray(items));
    for (const std::string_view object : objects) {
      TRY(CheckSize(object));
      TRY(target_.OnInitApply(object));
    }
  }
  if (end.continue_token.empty()) {
    EndReading();
  }
  return end;
}

std::optional<Transition> Reflector::Do(const Streaming& state, const std::stop_token& stop) {
  if (call_ == nullptr) {
    BeginReading();
  }
  const auto end = Watch("", stop);
  return end ? std::optional(Advance(state, *end)) : std::nullopt;
}

std::optional<Transition> Reflector::Do(const Watching& state, const std::stop_token& stop) {
  const auto end = Watch(state.resource_version, stop);
  return end ? std::optional(Advance(state, *end)) : std::nullopt;
}

std::chrono::milliseconds Reflector::LeftOf(process::SteadyTime deadline) const {
  return std::chrono::duration_cast<std::chrono::milliseconds>(deadline - clock_.Steady());
}

std::optional<WatchEnd> Reflector::Watch(const std::string& from, const std::stop_token& stop) {
  if (call_ == nullptr) {
    BeginCall(from, stop);
  }
  std::optional<Status> status = call_->failed;
  if (!status) {
    const Status asked = process::Guarded([&]() -> Status {
      status = call_->stream->End();
      return Done{};
    });
    if (!asked.ok()) {
      status = asked;
    }
  }
  if (!status) {
    return std::nullopt;
  }
  call_->stream.reset();
  WatchEnd end = std::move(call_->end);
  const bool stopped = call_->watch.stop_requested();
  end.status = *status;
  // A watch that was stopped on purpose does not count as too short.
  end.lasted = stopped ? kShortWatch : clock_.Steady() - call_->began;
  call_ = nullptr;
  if (!end.status.ok() && !stopped && !IsAbsent(end.status.error())) {
    const bool no_streams = from.empty() && end.status.error().code == Code::kInvalid;
    Failed(no_streams ? "the server streams no lists; they are read in pages" : "a watch failed",
           end.status.error());
  }
  return end;
}

void Reflector::BeginCall(const std::string& from, const std::stop_token& stop) {
  // Random, so that the watches of a restarted fleet do not end together.
  const auto timeout =
      std::chrono::duration_cast<std::chrono::seconds>(source_.watch_timeout * (1 + random_()));

  call_ = std::make_unique<Call>();
  Call& call = *call_;
  call.request = BaseRequest();
  call.request.timeout =
      from.empty() ? std::min(source_.stream_timeout, source_.idle_timeout) : source_.idle_timeout;
  call.request.query.emplace_back("watch", "true");
  call.request.query.emplace_back("allowWatchBookmarks", "true");
  call.request.query.emplace_back("timeoutSeconds", std::to_string(timeout.count()));
  if (from.empty()) {
    call.request.query.emplace_back("sendInitialEvents", "true");
    call.request.query.emplace_back("resourceVersionMatch", "NotOlderThan");
  } else {
    call.request.query.emplace_back("resourceVersion", from);
  }

  call.end.resource_version = from;
  call.began = clock_.Steady();
  call.watch = BeginWatch();
  call.pass_on.emplace(stop, [&call] { call.watch.request_stop(); });
  call.sink = [this, &call](std::string_view line) { return OnLine(line, call); };
  const Status begun = process::Guarded([&]() -> Status {
    call.stream = transport_.Begin(call.request, call.sink, call.watch.get_token(), wake_);
    return Done{};
  });
  if (!begun.ok()) {
    call.failed = begun;
  }
}

Status Reflector::OnLine(std::string_view line, Call& call) {
  TRY(ReadEvent(line, call.end));
  if (!call.end.resource_version.empty()) {
    Heard();
  }
  const auto left = call.end.resource_version.empty() ? LeftOf(call.began + source_.stream_timeout)
                                                      : std::chrono::milliseconds::max();
  if (left.count() <= 0) {
    return Error{Code::kTimeout, "the initial events did not come to their end"};
  }
  call.request.timeout = std::min(source_.idle_timeout, left);
  return Done{};
}

Status Reflector::ReadEvent(std::string_view line, WatchEnd& progress) {
  const auto corrupt = [](const Error& error) {
    return Error{Code::kCorrupt, "a watch event: " + error.message};
  };
  const auto members = json::SplitObject(line);
  if (!members.ok()) {
    return corrupt(members.error());
  }
  const std::string_view type = json::Find(*members, "type");
  const std::string_view object = json::Find(*members, "object");
  if (const Status fits = CheckSize(object); !fits.ok()) {
    return corrupt(fits.error());
  }
  if (type == kError) {
    progress.told_error = true;
    return ReadError(object);
  }
  if (type == kBookmark) {
    const Status read = ReadBookmark(object, progress);
    return read.ok() ? read : corrupt(read.error());
  }
  if (type != kAdded && type != kModified && type != kDeleted) {
    return corrupt({Code::kCorrupt, "unknown type " + std::string(type)});
  }
  // Initial events come in no order: only the bookmark after them has a version to continue from.
  const bool initial = progress.resource_version.empty();
  auto version = type == kDeleted
                     ? (initial ? target_.OnInitDelete(object) : target_.OnDelete(object))
                     : (initial ? target_.OnInitApply(object) : target_.OnApply(object));
  if (!version.ok()) {
    return corrupt(version.error());
  }
  ++progress.events;
  if (!initial) {
    progress.resource_version = std::move(version).value();
  }
  return Done{};
}

Status Reflector::ReadBookmark(std::string_view object, WatchEnd& progress) {
  ASSIGN_OR_RETURN(const json::Document document, json::Parse(object));
  json::Decoder decoder(document);
  const json::Cursor metadata = decoder.root().Required("metadata");
  std::string version;
  metadata.Required("resourceVersion").Read(version);
  TRY(decoder.status());
  ++progress.events;
  const bool initial = progress.resource_version.empty();
  if (initial && metadata.Member("annotations").Member(kInitialEventsEnd).Text() != "true") {
    return Done{};
  }
  progress.resource_version = std::move(version);
  if (initial) {
    EndReading();
  }
  return Done{};
}

}  // namespace ballast::runtime
