// How much of what is kept in memory is whose: each namespace may have all of a limit while others
// leave it, else an equal share of it, and all together twice as much. So one that keeps much takes
// no room from those that keep little. (Only where many have come one after another, each of which
// took the share of fewer, is there none until the first of them keep less.)
//
// Thread-safety: any thread.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

namespace ballast::sources {

class KeptBytes {
  class Account;

 public:
  explicit KeptBytes(std::size_t most) : account_(std::make_shared<Account>(most)) {}

  // Some bytes that are kept as long as it lives, which may be longer than the KeptBytes: whoever
  // has asked keeps an answer until it is used.
  class Share {
   public:
    Share(Share&&) noexcept = default;
    Share& operator=(Share&&) = delete;
    ~Share() {
      if (of_ != nullptr) {
        of_->Return(whose_, bytes_);
      }
    }

   private:
    friend KeptBytes;
    Share(std::shared_ptr<Account> of, std::string whose, std::size_t bytes)
        : of_(std::move(of)), whose_(std::move(whose)), bytes_(bytes) {}

    std::shared_ptr<Account> of_;
    std::string whose_;
    std::size_t bytes_;
  };

  // nullopt: the namespace has its share already, and others the rest; or they have all.
  std::optional<Share> Take(const std::string& namespace_, std::size_t bytes) {
    return account_->Take(namespace_, bytes) ? std::optional(Share(account_, namespace_, bytes))
                                             : std::nullopt;
  }

 private:
  class Account {
   public:
    explicit Account(std::size_t most) : most_(most) {}

    bool Take(const std::string& namespace_, std::size_t bytes) {
      const std::lock_guard lock(mutex_);
      const auto found = kept_.find(namespace_);
      const std::size_t own = found == kept_.end() ? 0 : found->second;
      const std::size_t sharers = kept_.size() + (found == kept_.end() ? 1 : 0);
      if (total_ + bytes > 2 * most_ || (total_ + bytes > most_ && own + bytes > most_ / sharers)) {
        return false;
      }
      kept_[namespace_] = own + bytes;
      total_ += bytes;
      return true;
    }
    void Return(const std::string& namespace_, std::size_t bytes) {
      const std::lock_guard lock(mutex_);
      total_ -= bytes;
      const auto found = kept_.find(namespace_);
      found->second -= bytes;
      if (found->second == 0) {
        kept_.erase(found);
      }
    }

   private:
    const std::size_t most_;
    std::mutex mutex_;  // guards: the rest
    std::size_t total_ = 0;
    std::map<std::string, std::size_t> kept_;  // by namespace; none is 0
  };

  std::shared_ptr<Account> account_;
};

}  // namespace ballast::sources
