// A map from the pod's name to a value. It is a sorted vector, because a decision makes several of
// these maps and reads each entry only a few times.
//
// Names point into the snapshot.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

namespace ballast::engine {

template <typename T>
class ByPod {
 public:
  using Entry = std::pair<std::string_view, T>;

  ByPod() = default;
  // `entries` may be in any order; the last of several entries with the same name counts.
  explicit ByPod(std::vector<Entry> entries) : entries_(std::move(entries)) { Sort(); }

  bool empty() const { return entries_.empty(); }
  std::size_t size() const { return entries_.size(); }
  auto begin() const { return entries_.begin(); }
  auto end() const { return entries_.end(); }

  // Null if the pod has no entry.
  const T* Find(std::string_view pod) const {
    const auto found = std::partition_point(entries_.begin(), entries_.end(),
                                            [&](const Entry& entry) { return entry.first < pod; });
    return found == entries_.end() || found->first != pod ? nullptr : &found->second;
  }

  // Adds entries, replacing those with the same name.
  void Put(const std::vector<Entry>& entries) {
    entries_.insert(entries_.end(), entries.begin(), entries.end());
    Sort();
  }

  // Removes the entries of `pods`, which must be sorted.
  void Remove(const std::vector<std::string_view>& pods) {
    if (!pods.empty()) {
      RemoveIf([&](const Entry& entry) {
        return std::binary_search(pods.begin(), pods.end(), entry.first);
      });
    }
  }
  template <typename Predicate>
  void RemoveIf(Predicate predicate) {
    std::erase_if(entries_, predicate);
  }

 private:
  void Sort() {
    const auto before = [](const Entry& a, const Entry& b) { return a.first < b.first; };
    const auto not_before = [&](const Entry& a, const Entry& b) { return !before(a, b); };
    if (std::adjacent_find(entries_.begin(), entries_.end(), not_before) == entries_.end()) {
      return;  // the API's responses usually are in order
    }
    std::stable_sort(entries_.begin(), entries_.end(), before);
    // In reverse, so that the last of several equal names stays.
    const auto unique =
        std::unique(entries_.rbegin(), entries_.rend(),
                    [](const Entry& a, const Entry& b) { return a.first == b.first; });
    entries_.erase(entries_.begin(), unique.base());
  }

  std::vector<Entry> entries_;
};

// Calls use(value in a, value in b) for each pod that is in both.
template <typename A, typename B, typename Use>
void ForEachInBoth(const ByPod<A>& a, const ByPod<B>& b, Use use) {
  auto at = b.begin();
  for (const auto& [pod, of_a] : a) {
    while (at != b.end() && at->first < pod) {
      ++at;
    }
    if (at != b.end() && at->first == pod) {
      use(of_a, at->second);
    }
  }
}

}  // namespace ballast::engine
