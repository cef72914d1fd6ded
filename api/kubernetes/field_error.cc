#include "api/kubernetes/field_error.h"

#include <utility>

#include "api/base/utf8.h"

namespace ballast::api {
namespace {

constexpr std::size_t kMaxField = 512;
constexpr std::size_t kMaxMessage = 1024;

}  // namespace

FieldErrors::FieldErrors(std::initializer_list<FieldError> errors) {
  for (const FieldError& error : errors) {
    Add(error.field, error.message, error.later);
  }
}

void FieldErrors::Add(std::string field, std::string message, Later later) {
  if (kept_.size() < kMost) {
    kept_.push_back(
        {Shorten(std::move(field), kMaxField), Shorten(std::move(message), kMaxMessage), later});
  } else {
    ++more_;
  }
}

void FieldErrors::Add(const FieldErrors& others) {
  for (const FieldError& error : others) {
    Add(error.field, error.message, error.later);
  }
  more_ += others.more_;
}

std::string Print(const FieldError& error) {
  return error.field.empty() ? error.message : error.field + ": " + error.message;
}

}  // namespace ballast::api
