// A container that its copies share: to copy it costs a pointer, whatever it has. It is replaced as
// a whole, never changed. For what many values have in common, such as the labels of pods.
//
// Thread-safety: as a std::shared_ptr's; what is shared is constant.
#pragma once

#include <initializer_list>
#include <memory>
#include <utility>

namespace ballast {

template <typename T>
class Shared {
 public:
  Shared() = default;  // empty
  Shared(T value)      // NOLINT(google-explicit-constructor): it stands for a T
      : value_(value.empty() ? nullptr : std::make_shared<const T>(std::move(value))) {}
  Shared(std::initializer_list<typename T::value_type> elements) : Shared(T(elements)) {}

  const T& operator*() const { return value_ == nullptr ? Nothing() : *value_; }
  const T* operator->() const { return &**this; }
  operator const T&() const { return **this; }  // NOLINT(google-explicit-constructor): the same

  auto begin() const { return (**this).begin(); }
  auto end() const { return (**this).end(); }
  bool empty() const { return value_ == nullptr; }

  friend bool operator==(const Shared& a, const Shared& b) {
    return a.value_ == b.value_ || *a == *b;
  }

 private:
  static const T& Nothing() {
    static const T nothing;
    return nothing;
  }

  std::shared_ptr<const T> value_;  // null: empty
};

}  // namespace ballast
