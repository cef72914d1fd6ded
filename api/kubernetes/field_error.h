// FieldErrors: what is wrong with the fields of an object.
//
// A hostile object can have as many errors as bytes, and long texts in each. So only the first
// fifty are kept, shortened to 512 bytes of path and 1,024 of message; the rest are counted.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <string>
#include <vector>

namespace ballast::api {

// Whether a later version of Kubernetes may accept the value: one that it adds to an enumeration,
// or one within a bound that it widens. A contradiction stays wrong.
enum class Later { kStaysWrong, kMayBeRight };

struct FieldError {
  std::string field;    // "spec.metrics[0].type"; empty: the object as a whole
  std::string message;  // what is wrong and how to fix it
  Later later = Later::kStaysWrong;
};

class FieldErrors {
 public:
  static constexpr std::size_t kMost = 50;

  FieldErrors() = default;
  FieldErrors(std::initializer_list<FieldError> errors);

  void Add(std::string field, std::string message, Later later = Later::kStaysWrong);
  void Add(const FieldErrors& others);

  bool empty() const { return kept_.empty(); }
  std::size_t size() const { return kept_.size() + more_; }
  // How many errors were counted but not kept.
  std::size_t more() const { return more_; }
  // The errors that are kept.
  auto begin() const { return kept_.begin(); }
  auto end() const { return kept_.end(); }
  const FieldError& front() const { return kept_.front(); }
  const FieldError& operator[](std::size_t i) const { return kept_[i]; }

 private:
  std::vector<FieldError> kept_;
  std::size_t more_ = 0;
};

// "spec.maxReplicas: must be greater than 0"
std::string Print(const FieldError& error);

// What is wrong with a text that is none of the choices, of which there are two at least:
// "must be All, ScaleUp or ScaleDown, is "ScaleUpp"; did you mean ScaleUp?"
std::string NoChoice(const std::string& text, const std::vector<std::string>& choices);

}  // namespace ballast::api
