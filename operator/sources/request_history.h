// What has been asked for, and so will be asked for again a period later: which queries one answer
// could serve.
//
// Thread-safety: none; the caller's lock.
#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <string>

#include "operator/process/clock.h"

namespace ballast::sources {

class RequestHistory {
 public:
  struct Sum {
    std::size_t queries = 0;  // with different selectors
    std::size_t pods = 0;
  };

  // `selector` of the namespace, which matches `pods` pods, is asked for every `period`.
  void Note(const std::string& namespace_, const std::string& selector, std::size_t pods,
            std::chrono::nanoseconds period, process::SteadyTime now);

  // What is asked for about now: less than `span` before or after it.
  Sum Around(const std::string& namespace_, process::SteadyTime now,
             std::chrono::nanoseconds span) const;
  // The same for each namespace that has any.
  std::map<std::string, Sum> Around(process::SteadyTime now, std::chrono::nanoseconds span) const;
  // What is asked for in a period, in each namespace.
  std::map<std::string, Sum> All() const;

  // Forgets what was not asked for when it was due.
  void DropOld(process::SteadyTime now);

 private:
  struct PastQuery {
    std::size_t pods = 0;
    std::chrono::nanoseconds period{1};
    process::SteadyTime asked;
  };
  using Entries = std::map<std::string, PastQuery>;  // by selector

  static Sum Add(const Entries& entries, process::SteadyTime now, std::chrono::nanoseconds span);

  std::map<std::string, Entries> namespaces_;
};

}  // namespace ballast::sources
