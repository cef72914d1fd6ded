// Follows the objects of one kind: list, then watch, then watch again from where it stopped, and
// list again when the server no longer knows that point. What client-go calls a Reflector.
//
//   List ──last page──▶ Watch ──end, or an error that passes──▶ Watch (same point)
//     ▲                   └──410, or an error that stays──▶ List
//
// The rules are Advance(), a function of the state and of what came of it, without I/O. Run() does
// the calls, waits between them as Advance() says, and never gives up: every failure is logged and
// tried again. Thread-safety: Run() on one thread; it calls the target on that thread.
#pragma once

#include <chrono>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <variant>

#include "api/json.h"
#include "api/meta.h"
#include "api/result.h"
#include "operator/kube/resource.h"
#include "operator/kube/transport.h"
#include "operator/runtime/backoff.h"
#include "operator/runtime/clock.h"

namespace ballast::runtime {

// What to follow.
struct WatchSource {
  kube::Resource resource;
  std::string namespace_;  // empty: all
  std::string label_selector;
  std::string field_selector;
  int page_limit = 500;
  // A server that sends nothing for so long is taken for dead. Bookmarks come about every minute.
  std::chrono::milliseconds idle_timeout{150'000};
  std::chrono::milliseconds list_timeout{60'000};  // for each page
  // The server is asked to end a watch after 1 to 2 times this.
  std::chrono::seconds watch_timeout{300};
  BackoffOptions backoff;
};

// Which object, and which version of it.
struct ObjectIdentity {
  api::ObjectKey key;
  std::string uid;
  std::string resource_version;
};

// Gets what the reflector sees. A list is delivered as Init, InitApply..., InitDone; an Init
// without InitDone was cut off and counts for nothing.
class WatchTarget {
 public:
  virtual ~WatchTarget() = default;
  virtual void OnInit() = 0;
  virtual void OnInitApply(const ObjectIdentity& id, const json::Cursor& object) = 0;
  virtual void OnInitDone() = 0;
  virtual void OnApply(const ObjectIdentity& id, const json::Cursor& object) = 0;
  virtual void OnDelete(const ObjectIdentity& id) = 0;
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
  int failures = 0;  // in a row
  friend bool operator==(const Watching&, const Watching&) = default;
};

using ReflectorState = std::variant<Listing, Watching>;

// What a page of a list was.
struct PageEnd {
  std::string resource_version;
  std::string continue_token;  // empty: it was the last
};

// How a watch ended.
struct WatchEnd {
  std::string resource_version;  // the last one seen, or the one it began with
  int events = 0;                // bookmarks included
  std::chrono::nanoseconds lasted{0};
  Status status = Done{};
};

// What to do next, and whether to wait before it.
struct Step {
  ReflectorState state;
  bool back_off = false;
  std::chrono::milliseconds at_least{0};  // what the server asked for (Retry-After)
};

Step Advance(const Listing& state, const Result<PageEnd>& page);
Step Advance(const Watching& state, const WatchEnd& end);

class Reflector {
 public:
  // All must outlive this.
  Reflector(kube::Transport& transport, Clock& clock, WatchSource source, WatchTarget& target);

  // Until `stop` is requested.
  void Run(const std::stop_token& stop);

 private:
  Step Do(const Listing& state, const std::stop_token& stop);
  Step Do(const Watching& state, const std::stop_token& stop);
  Result<PageEnd> ReadPage(const Listing& state);
  Status ReadEvent(std::string_view line, WatchEnd& progress);
  kube::Request BaseRequest() const;

  kube::Transport& transport_;
  Clock& clock_;
  const WatchSource source_;
  WatchTarget& target_;
};

}  // namespace ballast::runtime
