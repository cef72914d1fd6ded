// Follows the objects of one kind, as client-go's Reflector does: first all objects, then their
// changes, and all objects again if the server can no longer continue from the last version.
//
// Turn() makes one call and returns when the next one is due by Advance() (reflector_steps.h). A
// watch may go on after Turn() has returned (kube::Transport::Begin).
//
// Thread-safety: Turn and Stop: one at a time. The target is called by one thread at a time: in
// Turn() and, while a watch goes on, on the transport's threads. The rest: any thread.
// Errors: none returned; every failure is logged and tried again.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "api/base/result.h"
#include "operator/kube/resource.h"
#include "operator/kube/transport.h"
#include "operator/os/random.h"
#include "operator/process/backoff.h"
#include "operator/process/clock.h"
#include "operator/runtime/reflector_steps.h"
#include "operator/telemetry/debug_state.h"

namespace ballast::runtime {

// What to follow.
struct WatchSource {
  kube::Resource resource;
  std::string namespace_;  // empty: all
  std::string label_selector;
  std::string field_selector;
  int page_limit = 500;
  // A server that sends nothing for this long is considered dead. Bookmarks come about every
  // minute.
  std::chrono::milliseconds idle_timeout{100'000};
  // If a stream has not sent all objects by then, they are listed instead.
  std::chrono::milliseconds stream_timeout{60'000};
  std::chrono::milliseconds list_timeout{30'000};  // for each page
  // The server is asked to end a watch after this, multiplied by a random factor from 1 to 2.
  std::chrono::seconds watch_timeout{300};
  // Of a kind that the server need not serve: while it does not, there are no objects.
  bool may_be_absent = false;
  process::BackoffOptions backoff;
};

// Receives what the reflector reads, each object as its JSON text. Returns the object's resource
// version, or an error if it cannot be read, which ends the list or watch. All objects come as
// Init, before they are requested, then InitApply (if one comes twice, the last counts) and
// InitDelete, then InitDone; ignore what came after an Init if another Init follows without
// InitDone.
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

class Reflector {
 public:
  // Reread() has everything read again at most once in this time.
  static constexpr std::chrono::seconds kRereadPeriod{30};

  // The references must outlive the reflector. `wake` is called from any thread when a watch that
  // goes on needs a turn; the reflector must not be destroyed or stopped in it.
  Reflector(kube::Transport& transport, process::Clock& clock, WatchSource source,
            WatchTarget& target, std::function<void()> wake);
  ~Reflector();

  // Makes one call: a page of a list, or a whole watch, which ends soon after `stop` is requested.
  // Returns when the next turn is due; SteadyTime::max(): when `wake` is called.
  process::SteadyTime Turn(const std::stop_token& stop);

  // Ends the watch that goes on, if there is one. Returns once the target is not called any more.
  void Stop();

  // When the server last sent the end of the initial objects or, after it, an event or a bookmark;
  // nullopt: not yet.
  std::optional<process::SteadyTime> LastHeard() const;
  // When all objects were last read.
  std::optional<process::SteadyTime> LastRead() const;

  // What the reflector does now, and its last error.
  telemetry::WatchDebugState DebugState() const;

  // Ends the watch and reads everything again. Returns false, and does nothing, if it did so within
  // kRereadPeriod or if everything is being read anyway.
  bool Reread();
  // Ends the watch, or whatever is being read, and reads everything again in any case.
  void ReadAnew();

 private:
  // A watch under way.
  struct Call;

  // nullopt: a watch goes on.
  std::optional<Transition> Do(const Streaming& state, const std::stop_token& stop);
  std::optional<Transition> Do(const Listing& state, const std::stop_token& stop);
  std::optional<Transition> Do(const Watching& state, const std::stop_token& stop);
  // Watches from the version `from` on, unless it does already; if `from` is empty, begins with all
  // objects. nullopt: the watch goes on.
  std::optional<WatchEnd> Watch(const std::string& from, const std::stop_token& stop);
  void BeginCall(const std::string& from, const std::stop_token& stop);
  Status OnLine(std::string_view line, Call& call);
  std::chrono::milliseconds LeftOf(process::SteadyTime deadline) const;
  Result<PageEnd> ReadPage(const Listing& state);
  Result<PageEnd> TakePage(std::string_view body);
  Status ReadEvent(std::string_view line, WatchEnd& progress);
  Status ReadBookmark(std::string_view object, WatchEnd& progress);
  kube::Request BaseRequest() const;
  void BeginReading();  // of all objects
  void EndReading();
  // Whether the error says that the server does not serve the kind, and need not. To an account
  // without the right to it the list is forbidden all the same: then discovery tells.
  bool IsAbsent(const Error& error) const;
  // Whether a kind that was served is absent for the first time. Its objects stay until it is found
  // absent again: a proxy before the API server may answer 404 for a moment.
  bool MissesFirst();
  // There are no objects, since the server does not serve the kind.
  void Absent();
  void Heard();
  std::stop_source BeginWatch();
  bool WantsReread() const;
  // Whether a kind that was absent is to be looked for before its time: a new leader waits for it.
  bool LooksAtOnce() const;
  void Failed(std::string_view message, const Error& error);

  kube::Transport& transport_;
  process::Clock& clock_;
  const WatchSource source_;
  WatchTarget& target_;
  const std::function<void()> wake_;
  const std::function<double()> random_ = os::SystemRandom();
  ReflectorState state_;  // used by Turn() only, as are the next three
  process::Backoff backoff_;
  process::SteadyTime due_ = process::SteadyTime::min();  // of the next call

  mutable std::mutex mutex_;  // guards: the rest
  std::optional<process::SteadyTime> heard_at_;
  std::optional<process::SteadyTime> read_at_;
  bool complete_ = false;  // all objects have been read, and a watch continues
  bool absent_ = false;    // the server does not serve the kind
  bool missed_ = false;    // it did, and was found absent once since
  bool reread_ = false;    // all objects are to be read again
  bool started_ = false;
  bool waits_ = false;  // before the next call
  std::optional<telemetry::LastError> last_error_;
  std::optional<process::SteadyTime> reread_at_;
  std::stop_source watch_;

  // Null: there is no watch under way. Last: it calls the others; used by Turn() and Stop() only.
  std::unique_ptr<Call> call_;
};

}  // namespace ballast::runtime
