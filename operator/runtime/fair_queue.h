// A queue in which namespaces take turns, so that one with thousands of entries does not delay
// another with a single one. Within a namespace what is less goes first, and what is equal in the
// order in which it came; by default everything is equal.
//
// Thread-safety: none; the caller's lock.
#pragma once

#include <algorithm>
#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>

namespace ballast::runtime {

struct FirstInFirstOut {
  template <typename T>
  bool operator()(const T& /*a*/, const T& /*b*/) const {
    return false;
  }
};

template <typename T, typename Less = FirstInFirstOut>
class FairQueue {
 public:
  bool empty() const { return turns_.empty(); }
  std::size_t size() const { return size_; }

  void Push(const std::string& namespace_, T entry) {
    std::deque<T>& entries = waiting_[namespace_];
    if (entries.empty()) {
      turns_.push_back(namespace_);
    }
    entries.insert(std::upper_bound(entries.begin(), entries.end(), entry, Less()),
                   std::move(entry));
    ++size_;
  }

  // The namespace must have one.
  const T& FirstOf(const std::string& namespace_) const { return waiting_.at(namespace_).front(); }
  // The queue must not be empty.
  T Pop() { return PopFrom(turns_.begin()); }

  // Of the first namespace whose turn it is and that `may`; nullopt: there is none. One that may
  // not keeps its turn.
  template <typename May>
  std::optional<T> PopIf(const May& may) {
    const auto next = std::find_if(turns_.begin(), turns_.end(), may);
    return next == turns_.end() ? std::nullopt : std::optional(PopFrom(next));
  }

  // The first for which the test is true, of the first namespace that has one: it was its turn.
  template <typename Test>
  std::optional<T> Extract(const Test& test) {
    for (auto turn = turns_.begin(); turn != turns_.end(); ++turn) {
      std::deque<T>& entries = waiting_.at(*turn);
      const auto found = std::find_if(entries.begin(), entries.end(), test);
      if (found != entries.end()) {
        return Take(turn, found);
      }
    }
    return std::nullopt;
  }

  // The namespace's first for which the test is true, to change what its order does not depend on;
  // null: there is none.
  template <typename Test>
  T* Find(const std::string& namespace_, const Test& test) {
    const auto of = waiting_.find(namespace_);
    if (of == waiting_.end()) {
      return nullptr;
    }
    const auto found = std::find_if(of->second.begin(), of->second.end(), test);
    return found == of->second.end() ? nullptr : &*found;
  }

  // How many there are of namespaces for which the test is true.
  template <typename Test>
  std::size_t CountIf(const Test& test) const {
    std::size_t count = 0;
    for (const auto& [namespace_, entries] : waiting_) {
      count += test(namespace_) ? entries.size() : 0;
    }
    return count;
  }

  void Clear() {
    waiting_.clear();
    turns_.clear();
    size_ = 0;
  }

 private:
  T PopFrom(std::deque<std::string>::iterator turn) {
    return Take(turn, waiting_.at(*turn).begin());
  }
  T Take(std::deque<std::string>::iterator turn, typename std::deque<T>::iterator entry) {
    std::string namespace_ = std::move(*turn);
    turns_.erase(turn);
    const auto entries = waiting_.find(namespace_);
    T taken = std::move(*entry);
    entries->second.erase(entry);
    if (entries->second.empty()) {
      waiting_.erase(entries);
    } else {
      turns_.push_back(std::move(namespace_));
    }
    --size_;
    return taken;
  }

  std::map<std::string, std::deque<T>> waiting_;  // by namespace; none is empty
  std::deque<std::string> turns_;                 // the namespaces in waiting_, the next first
  std::size_t size_ = 0;
};

}  // namespace ballast::runtime
