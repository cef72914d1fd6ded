// Which resource serves a kind, and has it a scale: client-go's RESTMapper, from the API server's
// discovery documents.
//
// Answers are cached by group for ten minutes; a kind that is not found makes the group be read
// again, at most once in ten seconds. Thread-safety: may be used by many threads; of a group one
// reads at a time, and those that ask for the same wait for it.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/result.h"
#include "operator/kube/resource.h"
#include "operator/kube/transport.h"

namespace ballast::kube {

class RestMapper {
 public:
  using SteadyNow = std::function<std::chrono::steady_clock::time_point()>;

  // `transport` must outlive this.
  explicit RestMapper(Transport& transport, SteadyNow now = std::chrono::steady_clock::now);

  // By group and kind, as upstream: the version of `api_version` is used where it is served, else
  // the group's preferred one. kNotFound: no such kind. Other codes: the server's answer.
  Result<Resource> Find(std::string_view api_version, std::string_view kind);

 private:
  struct Group {
    std::mutex mutex;  // guards: the rest; held while the group is read
    std::optional<std::chrono::steady_clock::time_point> read_at;  // empty: never
    std::vector<Resource> resources;                               // the preferred version's first
  };
  // Nothing when there is no such group.
  Result<std::vector<Resource>> ReadGroup(const std::string& group);

  Transport& transport_;
  SteadyNow now_;
  std::mutex mutex_;                     // guards: groups_, not what is in them
  std::map<std::string, Group> groups_;  // which stay where they are
};

}  // namespace ballast::kube
