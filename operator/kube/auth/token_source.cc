#include "operator/kube/auth/token_source.h"

#include <utility>

#include "operator/kube/headers.h"

namespace ballast::kube {
namespace {

constexpr std::chrono::seconds kTokenLifetime{60};

std::string Trim(const std::string& text) {
  constexpr const char* kSpace = " \t\r\n";
  const std::size_t first = text.find_first_not_of(kSpace);
  return first == std::string::npos ? ""
                                    : text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

}  // namespace

// Changes nothing unless it reads a usable token.
Status TokenSource::Read() {
  ASSIGN_OR_RETURN(const std::string text, token_.Read());
  std::string token = Trim(text);
  const std::string where = token_.file.empty() ? "the token" : token_.file;
  if (token.empty()) {
    return Error{Code::kInvalid, where + ": holds no token"};
  }
  if (!IsHeaderText(token)) {
    return Error{Code::kInvalid, where + ": " + kNotHeaderText};
  }
  current_ = std::move(token);
  read_again_ = clock_.Steady() + kTokenLifetime;
  return Done{};
}

Result<std::string> TokenSource::Get() {
  const std::lock_guard lock(mutex_);
  if (!token_.empty() && clock_.Steady() >= read_again_) {
    if (const Status read = Read(); !read.ok() && current_.empty()) {
      return read.error();
    }
  }
  return current_;
}

bool TokenSource::Renew(const std::string& used) {
  const std::lock_guard lock(mutex_);
  if (current_ != used) {
    return true;  // another thread has renewed it
  }
  return !token_.file.empty() && Read().ok() && current_ != used;
}

}  // namespace ballast::kube
