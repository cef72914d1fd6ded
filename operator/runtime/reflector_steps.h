// In which order a reflector (reflector.h) calls the server for the objects of one kind, and what a
// failure changes about that: a function of the state and of the call's result, without I/O.
//
//   Stream ──all sent, then its end──▶ Watch ──end, or an error that passes──▶ Watch (same version)
//     │ ▲                                └──410, or an error that stays──▶ Stream
//     │ └──unreachable, throttled
//     └──anything else──▶ List ──last page──▶ Watch
//                           ├──unreachable at the first page──▶ Stream
//                           └──the kind may be absent, and is──▶ Stream, half a minute later
//
// A watch keeps its version if the server cannot be reached, throttles, or breaks the connection.
//
// A stream is one watch that begins with all objects (the server's watch-list), so that nobody
// needs the whole list as one text. If the server does not support it, the list is read in pages.
//
// Errors: none of its own; Advance takes those of the calls.
#pragma once

#include <chrono>
#include <string>
#include <variant>

#include "api/base/result.h"

namespace ballast::runtime {

// The next call is a watch that begins with all objects.
struct Streaming {
  int failures = 0;  // in a row
  friend bool operator==(const Streaming&, const Streaming&) = default;
};

// The next call reads the page at this token; the first page has none.
struct Listing {
  std::string continue_token;
  // After a 410 the list is read in one piece, so that a slow reader is not refused forever.
  bool whole = false;
  int pages = 0;  // that were read
  friend bool operator==(const Listing&, const Listing&) = default;
};

// The next call watches from this version on.
struct Watching {
  std::string resource_version;
  int failures = 0;  // in a row, sent as ERROR events
  friend bool operator==(const Watching&, const Watching&) = default;
};

using ReflectorState = std::variant<Streaming, Listing, Watching>;

// The result of reading a page.
struct PageEnd {
  std::string resource_version;
  std::string continue_token;  // empty: it was the last page
};

// How a watch ended.
struct WatchEnd {
  // The last one seen, or the one it began with. Empty: not all objects had been sent yet.
  std::string resource_version;
  int events = 0;  // bookmarks included
  std::chrono::nanoseconds lasted{0};
  Status status = Done{};
  bool told_error = false;  // the status comes from an ERROR event
};

// What to do next, and whether to wait before it.
struct Transition {
  ReflectorState state;
  bool back_off = false;
  std::chrono::milliseconds at_least{0};  // what the server asked for (Retry-After)
};

// A watch that ends sooner without an event counts as a failure; otherwise a server that closes at
// once would be asked in a hot loop.
inline constexpr std::chrono::seconds kShortWatch{1};
// How long after a kind was found absent the server is asked for it again.
inline constexpr std::chrono::seconds kAbsentPeriod{30};

Transition Advance(const Streaming& state, const WatchEnd& end);
Transition Advance(const Listing& state, const Result<PageEnd>& page);
Transition Advance(const Watching& state, const WatchEnd& end);

}  // namespace ballast::runtime
