#include "operator/sources/request_history.h"

#include <algorithm>

namespace ballast::sources {
namespace {

using std::chrono::nanoseconds;

constexpr int kMissedPeriods = 3;

}  // namespace

void RequestHistory::Note(const std::string& namespace_, const std::string& selector,
                          std::size_t pods, nanoseconds period, process::SteadyTime now) {
  namespaces_[namespace_][selector] = {pods, std::max(period, nanoseconds(1)), now};
}

RequestHistory::Sum RequestHistory::Add(const Entries& entries, process::SteadyTime now,
                                        nanoseconds span) {
  Sum sum;
  for (const auto& [selector, entry] : entries) {
    const nanoseconds past = (now - entry.asked) % entry.period;  // since it was due last
    if (past < span || entry.period - past < span) {
      ++sum.queries;
      sum.pods += entry.pods;
    }
  }
  return sum;
}

RequestHistory::Sum RequestHistory::Around(const std::string& namespace_, process::SteadyTime now,
                                           nanoseconds span) const {
  const auto found = namespaces_.find(namespace_);
  return found == namespaces_.end() ? Sum() : Add(found->second, now, span);
}

std::map<std::string, RequestHistory::Sum> RequestHistory::Around(process::SteadyTime now,
                                                                  nanoseconds span) const {
  std::map<std::string, Sum> all;
  for (const auto& [namespace_, entries] : namespaces_) {
    if (const Sum sum = Add(entries, now, span); sum.queries > 0) {
      all.emplace(namespace_, sum);
    }
  }
  return all;
}

std::map<std::string, RequestHistory::Sum> RequestHistory::All() const {
  std::map<std::string, Sum> all;
  for (const auto& [namespace_, entries] : namespaces_) {
    Sum& sum = all[namespace_];
    sum.queries = entries.size();
    for (const auto& [selector, entry] : entries) {
      sum.pods += entry.pods;
    }
  }
  return all;
}

void RequestHistory::DropOld(process::SteadyTime now) {
  for (auto& [namespace_, entries] : namespaces_) {
    std::erase_if(entries, [now](const auto& entry) {
      return now - entry.second.asked > kMissedPeriods * entry.second.period;
    });
  }
  std::erase_if(namespaces_, [](const auto& entry) { return entry.second.empty(); });
}

}  // namespace ballast::sources
