// Result<T>: a value, or an Error with a canonical Code that says what kind of failure it is and
// what to do about it.
//
// Every function of this project that can fail returns one. Exceptions of libraries are caught
// where the library is wrapped and never cross our own interfaces.
//
// Thread-safety: plain values; Result<T> is as thread-safe as T.
// Errors: value() of an error and error() of a value throw std::bad_variant_access: a defect of the
// caller.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace ballast {

// The kind of failure from the caller's point of view: it decides whether to retry.
enum class Code {
  kInvalid,       // the input is wrong; the same call fails again
  kNotFound,      // no such object
  kConflict,      // the object was changed in the meantime: read again
  kGone,          // the resource version is too old: list again
  kUnauthorized,  // the server does not know who we are (401)
  kForbidden,     // we may not do that (403)
  kThrottled,     // too many requests; see Error::retry_after
  kTimeout,       // no answer in time: the outcome of a write is unknown
  kUnavailable,   // cannot be reached, or failed on its side: retry later
  kNotSent,       // a write that never left this program: it has no effect
  kCorrupt,       // stored or received data is damaged
  kFull,          // no space left
  kInternal,      // a defect of this program
};

// The code's name as logs and metrics show it ("NotFound").
const char* Name(Code code);

struct Error {
  Code code = Code::kInternal;
  std::string message;  // for people; names the field or the object
  std::optional<std::chrono::milliseconds> retry_after =
      std::nullopt;  // if the other side asked for it
  // No answer came: the other side was not reached, broke off, or stayed silent.
  bool unanswered = false;

  // The same failure with the caller's context in front: `context + ": " + message`.
  Error In(const std::string& context) const {
    return {code, context + ": " + message, retry_after, unanswered};
  }
};

template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::move(value)) {}      // NOLINT: a value is a result
  Result(Error error) : state_(std::move(error)) {}  // NOLINT: an error is a result

  bool ok() const { return std::holds_alternative<T>(state_); }
  explicit operator bool() const { return ok(); }

  // Require ok().
  T& value() & { return std::get<T>(state_); }
  const T& value() const& { return std::get<T>(state_); }
  T&& value() && { return std::get<T>(std::move(state_)); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  // Requires !ok().
  const Error& error() const { return std::get<Error>(state_); }

 private:
  std::variant<T, Error> state_;
};

// Success without a value.
struct Done {};
using Status = Result<Done>;

}  // namespace ballast

#define BALLAST_CONCAT_(a, b) a##b
#define BALLAST_CONCAT(a, b) BALLAST_CONCAT_(a, b)

// TRY(expr): returns from the calling function with the error of `expr`, if it has one.
#define TRY(expr)                                     \
  do {                                                \
    if (auto try_result = (expr); !try_result.ok()) { \
      return try_result.error();                      \
    }                                                 \
  } while (false)

// ASSIGN_OR_RETURN(auto x, expr): the value of `expr`, or returns with its error.
#define ASSIGN_OR_RETURN(target, expr)                \
  auto BALLAST_CONCAT(result_, __LINE__) = (expr);    \
  if (!BALLAST_CONCAT(result_, __LINE__).ok()) {      \
    return BALLAST_CONCAT(result_, __LINE__).error(); \
  }                                                   \
  target = std::move(BALLAST_CONCAT(result_, __LINE__)).value()
