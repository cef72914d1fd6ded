// RestMapper: which resource serves a kind and whether it has a scale, as client-go's RESTMapper,
// from the API server's discovery documents.
//
// Answers are cached by group for ten minutes. If a kind is not found or a read fails, the group is
// read again, at most once in ten seconds, though at once after a failure that did not take long.
// Groups come from what users write: a name that no group can have is not looked up, and groups
// that were not found are forgotten.
//
// Thread-safety: any thread. One thread at a time reads a group; meanwhile threads with a cached
// answer use it, and others wait and share the result.
// Errors: kNotFound, kCorrupt if a discovery document cannot be parsed, and the Transport's.
#pragma once

#include <cstddef>
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
#include "operator/process/clock.h"

namespace ballast::kube {

using ResourcePointer = std::shared_ptr<const Resource>;

class RestMapper {
 public:
  // `transport` and `clock` must outlive the RestMapper.
  explicit RestMapper(Transport& transport, const process::Clock& clock = process::RealClock())
      : transport_(transport), clock_(clock) {}

  // Finds by group and kind, as upstream: uses the version in `api_version` if it serves the kind,
  // else the group's preferred one that does. kNotFound: no such kind. Other codes: the API
  // server's answer. Requests end by `deadline`.
  Result<Resource> Find(std::string_view api_version, std::string_view kind,
                        process::SteadyTime deadline = process::SteadyTime::max());

  // The same, as long as Find() would ask nobody, nor wait for an answer; nullopt: it would.
  std::optional<Result<ResourcePointer>> FindAtOnce(std::string_view api_version,
                                                    std::string_view kind) const;

  // What Find() found last, however long ago that is; null: nothing. Asks nobody.
  ResourcePointer Cached(std::string_view api_version, std::string_view kind) const;

  // How many groups are cached.
  std::size_t size() const;

 private:
  using Time = process::SteadyTime;
  struct Group {
    std::mutex reading;            // held while the group is read
    std::mutex mutex;              // guards: the rest
    std::optional<Time> read_at;   // when `resources` were read; empty: never
    std::optional<Time> asked_at;  // when the last read ended, whether or not it succeeded
    std::optional<Error> failure;  // of that read
    // Those of the preferred version first.
    std::shared_ptr<const std::vector<Resource>> resources =
        std::make_shared<const std::vector<Resource>>();
  };
  // What is cached about a kind.
  struct CachedKind {
    ResourcePointer resource;  // null: none was found
    bool ask = false;          // whether it is time to ask the server
    std::optional<Error> failure;
    std::optional<Time> asked_at;
  };

  // Null if it has not been entered.
  std::shared_ptr<Group> Entered(const std::string& group) const;
  std::shared_ptr<Group> Enter(const std::string& group);
  void Forget();
  CachedKind Look(Group& group, std::string_view api_version, std::string_view kind) const;
  // What Find() answers once the server need not be asked.
  static Result<ResourcePointer> AnswerOf(CachedKind known, const std::string& group,
                                          std::string_view kind);
  void Ask(const std::string& name, Group& group, std::string_view api_version,
           std::string_view kind, Time deadline);
  // Empty if there is no such group.
  Result<std::vector<Resource>> ReadGroup(const std::string& group, Time deadline);

  Transport& transport_;
  const process::Clock& clock_;
  mutable std::mutex mutex_;  // guards: groups_, not what is in them
  std::map<std::string, std::shared_ptr<Group>> groups_;
};

}  // namespace ballast::kube
