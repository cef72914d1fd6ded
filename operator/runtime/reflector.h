// Follows the objects of one kind: everything there is, then what happens to it, and everything
// again when the server no longer knows where we were. What client-go calls a Reflector.
//
//   Stream ──all told, then its end──▶ Watch ──end, or an error that passes──▶ Watch (same point)
//     │ ▲                                └──410, or an error that stays──▶ Stream
//     │ └──unreachable, throttled
//     └──anything else──▶ List ──last page──▶ Watch
//                           └──unreachable──▶ Stream
//
// That a server cannot be reached, throttles, or breaks off never costs a watch its point.
//
// A stream is one watch that begins with all objects (the server's watch-list), so that neither
// side ever holds a list. Where the server has none, the list is read in pages.
//
// The rules are Advance(), a function of the state and of the call's result, without I/O. Turn()
// does one call and says when the next is due, as Advance() has it; it never gives up: every
// failure is logged and tried again. Thread-safety: Turn() on one thread; it calls the target on
// that thread. The rest from any.
#pragma once

#include <chrono>
#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <variant>

#include "api/base/result.h"
#include "operator/kube/resource.h"
#include "operator/kube/transport.h"
#include "operator/os/random.h"
#include "operator/runtime/backoff.h"
#include "operator/runtime/clock.h"
#include "operator/telemetry/inside.h"

namespace ballast::runtime {

// What to follow.
struct WatchSource {
  kube::Resource resource;
  std::string namespace_;  // empty: all
  std::string label_selector;
  std::string field_selector;
  int page_limit = 500;
  // A server that sends nothing for so long is taken for dead. Bookmarks come about every minute.
  std::chrono::milliseconds idle_timeout{100'000};
  // A stream that has not told everything by then is given up for a list.
  std::chrono::milliseconds stream_timeout{60'000};
  std::chrono::milliseconds list_timeout{30'000};  // for each page
  // The server is asked to end a watch after 1 to 2 times this.
  std::chrono::seconds watch_timeout{300};
  BackoffOptions backoff;
};

// Gets what the reflector sees, each object as its JSON text, and returns the object's resource
// version, or why it cannot be made out (which ends the list or watch). Everything there is comes
// as Init, then InitApply (of one object the last counts) and InitDelete, then InitDone; an Init
// without InitDone was cut off and counts for nothing.
class WatchTarget {
 public:
  virtual ~WatchTarget() = default;
  virtual void OnInit() = 0;
  virtual Result<std::string> OnInitApply(std::string_view object) = 0;
  virtual Result<std::string> OnInitDelete(std::string_view object) = 0;
  virtual void OnInitDone() = 0;
  virtual Result<std::string> OnApply(std::string_view object) = 0;
  virtual Result<std::string> OnDelete(std::string_view object) = 0;
};

// Next: a watch that begins with all objects.
struct Streaming {
  int failures = 0;  // in a row
  friend bool operator==(const Streaming&, const Streaming&) = default;
};

// Next: read the page at this token. The first page has none.
struct Listing {
  std::string continue_token;
  // After 410 in a later page the list is read whole, so that a slow reader is not refused for
  // ever.
  bool whole = false;
  friend bool operator==(const Listing&, const Listing&) = default;
};

// Next: watch from this version on.
struct Watching {
  std::string resource_version;
  int failures = 0;  // in a row, told by the server after the watch had begun
  friend bool operator==(const Watching&, const Watching&) = default;
};

using ReflectorState = std::variant<Streaming, Listing, Watching>;

// What a page of a list was.
struct PageEnd {
  std::string resource_version;
  std::string continue_token;  // empty: it was the last
};

// How a watch ended.
struct WatchEnd {
  // The last one seen, or the one it began with. Empty: not all objects had been told yet.
  std::string resource_version;
  int events = 0;  // bookmarks included
  std::chrono::nanoseconds lasted{0};
  Status status = Done{};
  bool told_error = false;  // by an ERROR event
};

// What to do next, and whether to wait before it.
struct Step {
  ReflectorState state;
  bool back_off = false;
  std::chrono::milliseconds at_least{0};  // what the server asked for (Retry-After)
};

Step Advance(const Streaming& state, const WatchEnd& end);
Step Advance(const Listing& state, const Result<PageEnd>& page);
Step Advance(const Watching& state, const WatchEnd& end);

class Reflector {
 public:
  // Everything is read again at most so often.
  static constexpr std::chrono::seconds kRereadPeriod{30};

  // All must outlive this.
  Reflector(kube::Transport& transport, Clock& clock, WatchSource source, WatchTarget& target);

  // One call: a page of a list, or a whole watch, which ends soon after `stop` is requested. When
  // the next turn is due.
  SteadyTime Turn(const std::stop_token& stop);

  // When the server last told anything that the target has: everything, an event or a bookmark.
  // nullopt: nothing so far.
  std::optional<SteadyTime> LastHeard() const;
  // When everything was last told, in one piece.
  std::optional<SteadyTime> LastRead() const;

  // What it does now, and the last error.
  telemetry::WatchInside Inside() const;

  // Drops the watch and reads everything again. False: that was done too short a time ago, or
  // everything is being read as it is.
  bool Reread();

 private:
  Step Do(const Streaming& state, const std::stop_token& stop);
  Step Do(const Listing& state, const std::stop_token& stop);
  Step Do(const Watching& state, const std::stop_token& stop);
  // Begins at `from`; empty: with all objects.
  WatchEnd Watch(const std::string& from, const std::stop_token& stop);
  std::chrono::milliseconds LeftOf(SteadyTime deadline) const;
  Result<PageEnd> ReadPage(const Listing& state);
  Result<PageEnd> TakePage(std::string_view body, bool first);
  Status ReadEvent(std::string_view line, WatchEnd& progress);
  Status ReadBookmark(std::string_view object, WatchEnd& progress);
  kube::Request BaseRequest() const;
  void BeginReading();  // everything there is
  void EndReading();
  void Heard();
  std::stop_source BeginWatch();
  bool WantsReread() const;
  void Failed(std::string_view message, const Error& error);

  kube::Transport& transport_;
  Clock& clock_;
  const WatchSource source_;
  WatchTarget& target_;
  const std::function<double()> random_ = os::SystemRandom();
  ReflectorState state_;  // the turns' own, as backoff_
  Backoff backoff_;

  mutable std::mutex mutex_;  // guards: the rest
  std::optional<SteadyTime> heard_at_;
  std::optional<SteadyTime> read_at_;
  bool complete_ = false;  // everything has been told, and a watch goes on from there
  bool reread_ = false;    // it is to be told again
  bool started_ = false;
  bool waits_ = false;  // before the next call
  std::optional<telemetry::LastError> last_error_;
  std::optional<SteadyTime> reread_at_;
  std::stop_source watch_;
};

}  // namespace ballast::runtime
