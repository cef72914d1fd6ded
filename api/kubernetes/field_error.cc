#include "api/kubernetes/field_error.h"

#include <utility>

#include "api/base/near_names.h"
#include "api/base/utf8.h"
#include "api/kubernetes/label_syntax.h"

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

std::string NoChoice(const std::string& text, const std::vector<std::string>& choices) {
  std::string listed = choices.front();
  for (std::size_t i = 1; i < choices.size(); ++i) {
    listed += (i + 1 < choices.size() ? ", " : " or ") + choices[i];
  }
  return "must be " + listed + ", is " + Quote(text) + DidYouMean(text, choices);
}

}  // namespace ballast::api
