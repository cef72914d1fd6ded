#include "operator/kube/token_source.h"

namespace ballast::kube {
namespace {

constexpr std::chrono::seconds kLifetime{60};

std::string Trim(const std::string& text) {
  constexpr const char* kSpace = " \t\r\n";
  const std::size_t first = text.find_first_not_of(kSpace);
  return first == std::string::npos ? ""
                                    : text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

}  // namespace

Status TokenSource::Read() {
  ASSIGN_OR_RETURN(const std::string text, token_.Read());
  current_ = Trim(text);
  if (current_.empty()) {
    return Error{Code::kInvalid, token_.file + ": holds no token"};
  }
  read_again_ = now_() + kLifetime;
  return Done{};
}

Result<std::string> TokenSource::Get() {
  const std::lock_guard lock(mutex_);
  if (token_.empty()) {
    return std::string();
  }
  if (now_() >= read_again_) {
    const std::string former = current_;
    if (const Status status = Read(); !status.ok()) {
      if (former.empty()) {
        return status.error();
      }
      current_ = former;
    }
  }
  return current_;
}

bool TokenSource::Renew(const std::string& used) {
  const std::lock_guard lock(mutex_);
  const std::string former = current_;
  if (former != used) {
    return true;  // another thread was quicker
  }
  if (token_.file.empty() || !Read().ok()) {
    current_ = former;
    return false;
  }
  return current_ != used;
}

}  // namespace ballast::kube
