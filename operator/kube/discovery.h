// Which resource serves a kind, and has it a scale: client-go's RESTMapper, from the API server's
// discovery documents.
//
// Answers are cached by group for ten minutes; a kind that is not found, and a read that fails,
// make the group be read again, at most once in ten seconds. Groups come from what users write: a
// name that no group can have is not asked about, and what was not found is forgotten.
// Thread-safety: may be used by many threads; of a group one reads at a time. Whoever has an old
// answer goes on with it meanwhile, others wait and share what comes.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/base/result.h"
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

  // How many groups are kept.
  std::size_t size() const;

 private:
  using Time = std::chrono::steady_clock::time_point;
  struct Group {
    std::mutex reading;               // held while the group is read
    std::mutex mutex;                 // guards: the rest
    std::optional<Time> read_at;      // when `resources` were read; empty: never
    std::optional<Time> asked_at;     // when a read ended last, well or not
    std::optional<Error> failure;     // of that read
    std::vector<Resource> resources;  // the preferred version's first
  };
  // What is known of a kind without asking.
  struct Known {
    std::optional<Resource> resource;
    bool ask = false;  // it is time to
    std::optional<Error> failure;
    std::optional<Time> asked_at;
  };

  std::shared_ptr<Group> Enter(const std::string& group);
  void Forget();
  Known Look(Group& group, std::string_view api_version, std::string_view kind);
  void Ask(const std::string& name, Group& group, std::string_view api_version,
           std::string_view kind);
  // Nothing when there is no such group.
  Result<std::vector<Resource>> ReadGroup(const std::string& group);

  Transport& transport_;
  SteadyNow now_;
  mutable std::mutex mutex_;  // guards: groups_, not what is in them
  std::map<std::string, std::shared_ptr<Group>> groups_;
};

}  // namespace ballast::kube
