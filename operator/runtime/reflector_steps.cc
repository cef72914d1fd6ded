#include "operator/runtime/reflector_steps.h"

#include <utility>

namespace ballast::runtime {
namespace {

// A stream that fails this often in a row may never succeed, and neither may a watch from its
// version if the server ends it with an ERROR event each time.
constexpr int kMaxFailures = 5;

Transition BackOff(ReflectorState state, const Error& error) {
  return {std::move(state), true, error.retry_after.value_or(std::chrono::milliseconds(0))};
}

}  // namespace

Transition Advance(const Streaming& state, const WatchEnd& end) {
  if (!end.resource_version.empty()) {
    return Advance(Watching{}, end);
  }
  if (end.status.ok()) {
    return {Listing{}};
  }
  const Error& error = end.status.error();
  switch (error.code) {
    case Code::kThrottled:
      return BackOff(state, error);
    case Code::kUnavailable:
    case Code::kUnauthorized:
      if (state.failures + 1 < kMaxFailures) {
        return BackOff(Streaming{state.failures + 1}, error);
      }
      return BackOff(Listing{}, error);
    default:  // kInvalid: the server has no streams. The list shows what else is wrong.
      return {Listing{}};
  }
}

Transition Advance(const Listing& state, const Result<PageEnd>& page) {
  if (page.ok()) {
    if (page->continue_token.empty()) {
      return {Watching{page->resource_version}};
    }
    return {Listing{page->continue_token, state.whole, state.pages + 1}};
  }
  if (page.error().code == Code::kGone) {
    return BackOff(Listing{.whole = true}, page.error());
  }
  if (page.error().code == Code::kUnavailable && state.continue_token.empty()) {
    return BackOff(Streaming{}, page.error());  // the next server that answers may have streams
  }
  if (page.error().code == Code::kInvalid || page.error().code == Code::kCorrupt) {
    return BackOff(Listing{}, page.error());  // a token would be of no more use
  }
  return BackOff(state, page.error());
}

Transition Advance(const Watching& state, const WatchEnd& end) {
  const Watching resumed{end.resource_version};
  if (end.status.ok()) {
    return {resumed, end.events == 0 && end.lasted < kShortWatch};
  }
  const Error& error = end.status.error();
  switch (error.code) {
    case Code::kThrottled:
      return BackOff(Watching{end.resource_version, state.failures}, error);
    case Code::kUnavailable:
    case Code::kTimeout:
    case Code::kUnauthorized:
    case Code::kForbidden: {
      const int before = end.events > 0 ? 0 : state.failures;
      const int failures = before + (end.told_error ? 1 : 0);
      if (failures < kMaxFailures) {
        return BackOff(Watching{end.resource_version, failures}, error);
      }
      return BackOff(Streaming{}, error);
    }
    default:  // kGone, and any other error that makes this watch useless
      return BackOff(Streaming{}, error);
  }
}

}  // namespace ballast::runtime
