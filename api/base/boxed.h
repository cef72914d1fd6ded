// A value that is there or not, like std::optional, but on the heap: absent, it takes no more than
// a pointer. For large parts that most objects lack, in types of which there are thousands.
//
// Thread-safety: as T's.
// Errors: none; * and -> of an absent value are defects of the caller, as with std::optional.
#pragma once

#include <concepts>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

namespace ballast {

template <typename T>
class Boxed {
 public:
  using value_type = T;

  Boxed() = default;
  Boxed(std::nullopt_t) {}  // NOLINT(google-explicit-constructor): as std::optional's
  template <typename U = T>
  requires std::constructible_from<T, U> &&(!std::same_as<std::remove_cvref_t<U>, Boxed>)
      Boxed(U&& value)  // NOLINT(google-explicit-constructor): as std::optional's
      : value_(std::make_unique<T>(std::forward<U>(value))) {}
  Boxed(const Boxed& other) : value_(other ? std::make_unique<T>(*other) : nullptr) {}
  Boxed(Boxed&&) noexcept = default;
  Boxed& operator=(const Boxed& other) { return *this = Boxed(other); }
  Boxed& operator=(Boxed&&) noexcept = default;
  template <typename U = T>
  requires std::constructible_from<T, U> &&(!std::same_as<std::remove_cvref_t<U>, Boxed>)Boxed&
  operator=(U&& value) {
    value_ = std::make_unique<T>(std::forward<U>(value));
    return *this;
  }
  ~Boxed() = default;

  bool has_value() const { return value_ != nullptr; }
  explicit operator bool() const { return has_value(); }
  const T& operator*() const { return *value_; }
  T& operator*() { return *value_; }
  const T* operator->() const { return value_.get(); }
  T* operator->() { return value_.get(); }

  T& emplace() {
    value_ = std::make_unique<T>();
    return *value_;
  }
  void reset() { value_.reset(); }

 private:
  std::unique_ptr<T> value_;
};

}  // namespace ballast
