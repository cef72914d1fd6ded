// A queue that is first in, first out within a namespace; namespaces take turns, so that one with
// thousands of entries does not delay another with a single one.
//
// Thread-safety: none; the caller's lock.
#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <string>
#include <utility>

namespace ballast::runtime {

template <typename T>
class FairQueue {
 public:
  bool empty() const { return turns_.empty(); }
  std::size_t size() const { return size_; }

  void Push(const std::string& namespace_, T entry) {
    std::deque<T>& entries = waiting_[namespace_];
    if (entries.empty()) {
      turns_.push_back(namespace_);
    }
    entries.push_back(std::move(entry));
    ++size_;
  }

  // The queue must not be empty.
  T Pop() {
    std::string namespace_ = std::move(turns_.front());
    turns_.pop_front();
    const auto entries = waiting_.find(namespace_);
    T entry = std::move(entries->second.front());
    entries->second.pop_front();
    if (entries->second.empty()) {
      waiting_.erase(entries);
    } else {
      turns_.push_back(std::move(namespace_));
    }
    --size_;
    return entry;
  }

  void Clear() {
    waiting_.clear();
    turns_.clear();
    size_ = 0;
  }

 private:
  std::map<std::string, std::deque<T>> waiting_;  // by namespace; none is empty
  std::deque<std::string> turns_;                 // the namespaces in waiting_, the next first
  std::size_t size_ = 0;
};

}  // namespace ballast::runtime
