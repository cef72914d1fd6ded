#include "tests/faults/link.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "tests/faults/metric_model.h"
#include "tests/faults/replica.h"
#include "tests/faults/world.h"
#include "tests/support/fake_transport.h"

namespace ballast::faults {
namespace {

constexpr Nanoseconds kLongestArrival = 4 * kSecond;
constexpr Nanoseconds kBookmarks = 60 * kSecond;
constexpr const char* kGone =
    R"({"type":"ERROR","object":{"kind":"Status","code":410,"reason":"Expired","message":"too old resource version"}})";

bool IsWrite(const kube::Request& request) { return request.method != kube::Method::kGet; }

// What the operator is at with that request.
std::string PhaseOf(const kube::Request& request) {
  const auto has = [&](const char* part) { return request.path.find(part) != std::string::npos; };
  if (has("/leases")) {
    return "lease";
  }
  if (AsksForMetrics(request)) {
    return "metrics";
  }
  if (request.path.ends_with("/scale")) {
    return IsWrite(request) ? "write scale" : "read scale";
  }
  if (has("/events")) {
    return "event";
  }
  if (has("/configmaps")) {
    return IsWrite(request) ? "write memory" : "read memory";
  }
  if (has("/autoscalepolicies/") || has("/horizontalpodautoscalers/")) {
    return IsWrite(request) ? "write status" : "read memory";
  }
  if (has("/secrets/") || has("webhookconfigurations/")) {
    return IsWrite(request) ? "write certificates" : "read certificates";
  }
  return "other";
}

// Whoever carries a request may send it twice. Its caller has the answer to the first one.
void MayComeAgain(World& world, const kube::Request& request, const std::string& phase,
                  Nanoseconds left) {
  if (!world.Strikes(Fault::kDoubledRequests, phase, 15)) {
    return;
  }
  const Nanoseconds later = world.DiceOf(Fault::kDoubledRequests).Between(0, left);
  Fibers::Get().At(Fibers::Get().now() + later,
                   [&world, request] { world.server().HandleOnceMore(request, "ballast"); });
}

// What comes instead of the answer to a call that was carried out.
Result<kube::Response> Garbled(Result<kube::Response> answer, Dice& dice) {
  if (!answer.ok()) {
    return answer;
  }
  switch (dice.Below(3)) {
    case 0:
      return Error{Code::kUnavailable, "HTTP 503"};
    case 1:
      return Error{Code::kTimeout, "HTTP 504"};
    default:
      answer->body.resize(answer->body.size() / 2);
      return answer;
  }
}

// The answer to a call, wherever it is.
struct Call {
  std::optional<Result<kube::Response>> answer;
  Nanoseconds handled = 0;
};

// The answer reaches the caller.
void Deliver(const std::shared_ptr<Call>& call, Result<kube::Response> answer) {
  Fibers::Get().At(Fibers::Get().now() + 2 * kMillisecond, [call, answer = std::move(answer)] {
    call->answer = answer;
    Fibers::Get().Wake(call.get());
  });
}

bool IsList(const kube::Request& request) {
  return !IsWrite(request) && !AsksForMetrics(request) && request.path.starts_with("/api") &&
         ApiServer::Parse(request.path).key.name.empty();
}

Error NotServed() { return {Code::kForbidden, "watches of this kind are not allowed at present"}; }

}  // namespace

Nanoseconds Link::Latency(const std::string& phase) {
  Dice& dice = world_.DiceOf(Fault::kSlowCalls);
  Nanoseconds latency = dice.Between(kMillisecond, 10 * kMillisecond);
  if (world_.Strikes(Fault::kSlowCalls, phase, 25)) {
    latency += dice.Between(kSecond / 2, (world_.options().swarm.extreme ? 4 : 2) * kSecond);
  }
  if (phase == "metrics" && world_.Strikes(Fault::kSlowMetrics, phase, 8)) {
    latency += dice.Between(kSecond, (world_.options().swarm.extreme ? 8 : 4) * kSecond);
  }
  return latency;
}

bool Link::Ending() const { return process_.dead() || stop_.stop_requested(); }

Result<kube::Response> Link::Do(const kube::Request& request) {
  const std::string phase = PhaseOf(request);
  const auto number = process_.Begin(phase);
  Result<kube::Response> response = Send(request, phase);
  process_.End(number);
  return response;
}

Result<kube::Response> Link::Send(const kube::Request& request, const std::string& phase) {
  Fibers& fibers = Fibers::Get();
  const bool write = IsWrite(request);
  const Nanoseconds now = fibers.now();
  Nanoseconds deadline = now + request.timeout.count() * kMillisecond;
  const auto end_by = [&](process::SteadyTime time) {
    if (time != process::SteadyTime::max()) {
      const Nanoseconds left =
          time.time_since_epoch().count() - process_.machine().Steady(fibers.now());
      deadline = std::min(deadline, fibers.now() + process_.machine().InWorld(left));
    }
  };
  end_by(request.deadline);
  const auto unreachable = [&] {
    return Error{.code = write ? Code::kNotSent : Code::kUnavailable,
                 .message = "the server cannot be reached",
                 .unanswered = true};
  };
  if (Ending()) {
    return unreachable();
  }
  if (deadline <= now) {
    return Error{write ? Code::kNotSent : Code::kTimeout, "there is no time left for it"};
  }
  if (process_.partitioned()) {
    fibers.SleepUntil(std::min(deadline, now + 3 * kSecond));
    return unreachable();
  }
  fibers.SleepUntil(now + kMillisecond);  // connects
  if (Ending()) {
    return unreachable();
  }
  if (write && before_write_) {
    const auto leave = before_write_();
    if (!leave.ok()) {
      return leave.error();
    }
    end_by(*leave);
    // Here a process may be stopped, so the real connection looks at its deadline once more.
    if (world_.Strikes(Fault::kPauses, phase, 200)) {
      world_.Pause(process_, world_.DiceOf(Fault::kPauses).Between(kSecond, 25 * kSecond));
    }
    fibers.SleepUntil(fibers.now() + kMillisecond);
    if (Ending() || fibers.now() >= deadline) {
      return Error{Code::kNotSent, "there is no time left to send it"};
    }
  }
  const Nanoseconds sent = fibers.now();
  if (phase == "metrics") {
    world_.Asks(process_, request);
  }
  if (write && phase != "lease") {
    world_.checks().Sends(process_.identity(), phase);
  }
  const Nanoseconds left = deadline - fibers.now();
  const auto call = std::make_shared<Call>();
  const bool lost = world_.Strikes(Fault::kLostRequests, phase, 30);
  const bool answer_lost = world_.Strikes(Fault::kLostAnswers, phase, 30);
  if (lost || answer_lost) {
    world_.CallFails(request, phase);
  }
  if ((lost || answer_lost) && phase == "write scale") {
    world_.Trace(process_.identity() + " gets no answer to its write of the scale of " +
                 ApiServer::Parse(request.path).key.name);
  }
  if (!lost) {
    const Nanoseconds arrives = fibers.now() + std::min({Latency(phase), kLongestArrival, left});
    // The rest of a long latency is spent on the server.
    Nanoseconds done = arrives + std::min(Latency(phase), left * 2 / 3);
    if (answer_lost && write) {
      // Whoever has given it up may find it applied later.
      done = std::max(done,
                      fibers.now() + world_.DiceOf(Fault::kLostAnswers).Between(0, left * 5 / 4));
    }
    fibers.At(done, [&world = world_, request, phase, call, answer_lost, sent, left, write,
                     by = Checks::Sender{process_.identity(), process_.disk()}] {
      if (write && phase != "lease") {
        world.checks().Arrives(by, phase, sent);
      }
      if (IsList(request) &&
          world.StateOfWatch(ApiServer::Parse(request.path).kind) != WatchState::kWorks) {
        return Deliver(call, NotServed());
      }
      const bool refused = world.Strikes(Fault::kErrors, phase, 20);
      Result<kube::Response> answer = refused ? Error{Code::kThrottled, "too many requests"}
                                              : world.server().Handle(request, "ballast");
      if (write && answer.ok()) {
        MayComeAgain(world, request, phase, left);
      }
      const bool garbled = world.Strikes(Fault::kGarbledAnswers, phase, 30);
      if (garbled) {
        answer = Garbled(std::move(answer), world.DiceOf(Fault::kGarbledAnswers));
      }
      if (refused || garbled) {
        world.CallFails(request, phase);
      }
      call->handled = world.now();
      if (!answer_lost) {
        Deliver(call, std::move(answer));
      }
    });
  }
  while (!call->answer && fibers.now() < deadline && !Ending()) {
    fibers.Wait(call.get(), std::min(deadline, fibers.now() + kSecond));
  }
  if (!call->answer) {
    return Error{.code = Code::kTimeout, .message = "no answer", .unanswered = true};
  }
  if (phase == "metrics" && call->answer->ok()) {
    world_.Delivered(process_, request, call->handled);
  }
  // What it is about to write may be overtaken.
  if (phase == "read certificates" && world_.Strikes(Fault::kPauses, phase, 400)) {
    world_.Pause(process_, world_.DiceOf(Fault::kPauses).Between(kSecond, 25 * kSecond));
    fibers.SleepUntil(fibers.now() + kMillisecond);
  }
  return *call->answer;
}

Status Link::Stream(const kube::Request& request, const kube::LineSink& sink,
                    std::stop_token stop) {
  // Its address is what the fiber waits for.
  const auto key = std::make_unique<char>();
  const std::stop_callback wake(stop, [&] { Fibers::Get().Wake(key.get()); });
  const std::string kind = ApiServer::Parse(request.path).kind;
  world_.server().Listen(kind, key.get());
  const Status end = Follow(request, sink, stop, key.get());
  world_.server().Unlisten(kind, key.get());
  return end;
}

// Nothing comes any more, until the caller loses its patience.
Status Link::Hang(const kube::Request& request, const std::stop_token& stop, const void* key) {
  Fibers& fibers = Fibers::Get();
  const Nanoseconds deadline = fibers.now() + request.timeout.count() * kMillisecond;
  while (fibers.now() < deadline && !stop.stop_requested() && !Ending()) {
    fibers.Wait(key, std::min(deadline, fibers.now() + kSecond));
  }
  return Error{Code::kTimeout, "the server was silent"};
}

Status Link::Follow(const kube::Request& request, const kube::LineSink& sink,
                    const std::stop_token& stop, const void* key) {
  Fibers& fibers = Fibers::Get();
  const auto unreachable = [] { return Error{Code::kUnavailable, "the connection broke"}; };
  if (Ending()) {
    return unreachable();
  }
  fibers.SleepUntil(fibers.now() + Latency("watch"));
  if (process_.partitioned() || Ending()) {
    return unreachable();
  }
  ApiServer& server = world_.server();
  const std::string kind = ApiServer::Parse(request.path).kind;
  if (world_.StateOfWatch(kind) == WatchState::kRefused) {
    return NotServed();
  }
  std::uint64_t at = 0;
  std::vector<ApiServer::Line> lines;
  if (support::QueryOf(request, "sendInitialEvents") == "true") {
    if (!server.streams_lists) {
      return Error{Code::kInvalid, "sendInitialEvents is forbidden"};
    }
    lines = server.All(kind, at);
    lines.push_back(std::make_shared<const std::string>(ApiServer::Bookmark(at, true)));
  } else {
    at = std::stoull(support::QueryOf(request, "resourceVersion"));
  }
  const Nanoseconds ends =
      fibers.now() + std::stoll(support::QueryOf(request, "timeoutSeconds")) * kSecond;
  Nanoseconds bookmark = fibers.now() + kBookmarks;
  while (!stop.stop_requested()) {
    if (Ending() || process_.partitioned() ||
        (!lines.empty() && world_.Strikes(Fault::kCutWatches, "watch", 60))) {
      return unreachable();
    }
    switch (world_.StateOfWatch(kind)) {
      case WatchState::kWorks:
        break;
      case WatchState::kRefused:
        return unreachable();
      case WatchState::kHangs:
        return Hang(request, stop, key);
    }
    if (!lines.empty() && world_.Strikes(Fault::kStalledWatches, "watch", 200)) {
      const Nanoseconds until =
          fibers.now() + world_.DiceOf(Fault::kStalledWatches).Between(20 * kSecond, 150 * kSecond);
      world_.checks().Disturb(until + 60 * kSecond);
      const Nanoseconds deadline = fibers.now() + request.timeout.count() * kMillisecond;
      while (fibers.now() < std::min(until, deadline) && !stop.stop_requested() && !Ending()) {
        fibers.Wait(key, std::min({until, deadline, fibers.now() + kSecond}));
      }
      if (fibers.now() >= deadline && fibers.now() < until) {
        return Error{Code::kTimeout, "the server was silent"};
      }
    }
    for (const ApiServer::Line& line : lines) {
      TRY(sink(*line));
    }
    lines.clear();
    if (fibers.now() >= ends) {
      return Done{};
    }
    auto more = server.Since(kind, at);
    if (!more.ok()) {
      return sink(kGone);
    }
    lines = std::move(more).value();
    if (lines.empty() && fibers.now() >= bookmark) {
      lines.push_back(std::make_shared<const std::string>(ApiServer::Bookmark(at, false)));
      bookmark = fibers.now() + kBookmarks;
    }
    if (lines.empty()) {
      fibers.Wait(key, std::min(ends, bookmark));
    } else if (world_.Strikes(Fault::kLateWatches, "watch", 10)) {
      fibers.SleepUntil(fibers.now() +
                        world_.DiceOf(Fault::kLateWatches)
                            .Between(kSecond, (world_.options().swarm.extreme ? 15 : 4) * kSecond));
    } else {
      fibers.SleepUntil(fibers.now() + 2 * kMillisecond);
    }
  }
  return Done{};
}

}  // namespace ballast::faults
