// Something of each pod, by the pod's name: a vector in the order of names, since a decision makes
// several of these and looks at each entry a few times only.
//
// Names point into the snapshot. Thread-safety: plain values. Nothing fails.
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
  // In any order; of several entries with the same name the last one counts.
  explicit ByPod(std::vector<Entry> entries) : entries_(std::move(entries)) { Sort(); }

  bool empty() const { return entries_.empty(); }
  std::size_t size() const { return entries_.size(); }
  auto begin() const { return entries_.begin(); }
  auto end() const { return entries_.end(); }

  // Null when there is nothing of this pod.
  const T* Find(std::string_view pod) const {
    const auto found = std::partition_point(entries_.begin(), entries_.end(),
                                            [&](const Entry& entry) { return entry.first < pod; });
    return found == entries_.end() || found->first != pod ? nullptr : &found->second;
  }

  // Adds entries, or puts them into the place of those with the same name.
  void Put(const std::vector<Entry>& entries) {
    entries_.insert(entries_.end(), entries.begin(), entries.end());
    Sort();
  }

  // Removes what is there of `pods`, which must be sorted.
  void Remove(const std::vector<std::string_view>& pods) {
    if (!pods.empty()) {
      std::erase_if(entries_, [&](const Entry& entry) {
        return std::binary_search(pods.begin(), pods.end(), entry.first);
      });
    }
  }

 private:
  void Sort() {
    const auto before = [](const Entry& a, const Entry& b) { return a.first < b.first; };
    const auto not_before = [&](const Entry& a, const Entry& b) { return !before(a, b); };
    if (std::adjacent_find(entries_.begin(), entries_.end(), not_before) == entries_.end()) {
      return;  // as answers of the API usually are
    }
    std::stable_sort(entries_.begin(), entries_.end(), before);
    // From behind, so that the last of equals stays.
    const auto unique =
        std::unique(entries_.rbegin(), entries_.rend(),
                    [](const Entry& a, const Entry& b) { return a.first == b.first; });
    entries_.erase(entries_.begin(), unique.base());
  }

  std::vector<Entry> entries_;
};

// use(of a, of b) for each pod that has something in both.
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
