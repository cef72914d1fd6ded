// How much of what is kept in memory is whose: each namespace may have all of a limit while others
// leave it, else an equal share of it, and all together twice as much. So one that keeps much takes
// no room from those that keep little. (Only where many have come one after another, each of which
// took the share of fewer, is there none until the first of them keep less.)
//
// Thread-safety: any thread. It must outlive its Shares.
#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

namespace ballast::sources {

class KeptBytes {
 public:
  explicit KeptBytes(std::size_t most) : most_(most) {}

  // Some bytes that are kept as long as it lives.
  class Share {
   public:
    Share(Share&& other) noexcept : of_(std::exchange(other.of_, nullptr)), bytes_(other.bytes_) {
      whose_.swap(other.whose_);
    }
    Share& operator=(Share&&) = delete;
    ~Share() {
      if (of_ != nullptr) {
        of_->Return(whose_, bytes_);
      }
    }

   private:
    friend KeptBytes;
    Share(KeptBytes& of, std::string whose, std::size_t bytes)
        : of_(&of), whose_(std::move(whose)), bytes_(bytes) {}

    KeptBytes* of_;
    std::string whose_;
    std::size_t bytes_;
  };

  // nullopt: the namespace has its share already, and others the rest; or they have all.
  std::optional<Share> Take(const std::string& namespace_, std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    const auto found = kept_.find(namespace_);
    const std::size_t own = found == kept_.end() ? 0 : found->second;
    const std::size_t sharers = kept_.size() + (found == kept_.end() ? 1 : 0);
    if (total_ + bytes > 2 * most_ || (total_ + bytes > most_ && own + bytes > most_ / sharers)) {
      return std::nullopt;
    }
    kept_[namespace_] = own + bytes;
    total_ += bytes;
    return Share(*this, namespace_, bytes);
  }

 private:
  void Return(const std::string& namespace_, std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    total_ -= bytes;
    const auto found = kept_.find(namespace_);
    found->second -= bytes;
    if (found->second == 0) {
      kept_.erase(found);
    }
  }

  const std::size_t most_;
  std::mutex mutex_;  // guards: the rest
  std::size_t total_ = 0;
  std::map<std::string, std::size_t> kept_;  // by namespace; none is 0
};

}  // namespace ballast::sources
