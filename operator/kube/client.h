// The API calls that Ballast makes, by name, over any Transport.
//
// Each call is one request (List: one for each page).
//
// Thread-safety: thread-safe if the Transport is.
// Errors: the Transport's, kCorrupt if the answer cannot be parsed, and kInvalid without a request
// if the object's key cannot be part of a path.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "api/base/result.h"
#include "api/json/json.h"
#include "api/kubernetes/meta.h"
#include "api/kubernetes/preconditions.h"
#include "api/kubernetes/workload.h"
#include "operator/kube/answer_limit.h"
#include "operator/kube/resource.h"
#include "operator/kube/transport.h"
#include "operator/process/clock.h"

namespace ballast::kube {

struct ListOptions {
  std::string namespace_;  // empty: all namespaces
  std::string label_selector;
  std::string field_selector;
  // Of each page.
  AnswerLimit limit = kOnePage;
  // Of a list that is kept whole: how much time is left for it; then `limit` also bounds the bytes
  // of all pages together. Null: nothing bounds all pages together.
  std::function<std::chrono::milliseconds()> left;
};

enum class PatchType { kJson, kMerge };

class Client {
 public:
  // `transport` must outlive the Client. `timeout` bounds each request.
  explicit Client(Transport& transport,
                  std::chrono::milliseconds timeout = std::chrono::seconds(15))
      : transport_(transport), timeout_(timeout) {}

  // One whose calls end by then, all together.
  Client Until(process::SteadyTime deadline) const { return {transport_, timeout_, deadline}; }

  Result<json::Document> Get(const Resource& resource, const api::ObjectKey& key);
  Result<api::ObjectMeta> GetMetadata(const Resource& resource, const api::ObjectKey& key);
  // Calls `item` for each object, page after page of 500; an error of `item` ends the call. kGone
  // in a later page means that the list has expired: the caller has seen only some objects and must
  // start over. kTimeout: not whole in time. kCorrupt: too large, or it would never end.
  Status List(const Resource& resource, const ListOptions& options,
              const std::function<Status(const json::Cursor& item)>& item);
  Result<json::Document> Create(const Resource& resource, const std::string& namespace_,
                                std::string body);
  // `subresource`: "", "status", "scale".
  Result<json::Document> PatchObject(const Resource& resource, const api::ObjectKey& key,
                                     std::string_view subresource, PatchType type,
                                     std::string patch);
  // Deletes that very object. kConflict: the one of that name is another by now.
  Status Delete(const Resource& resource, const api::ObjectKey& key, const std::string& uid);
  // Server-side apply: creates the object, or sets its fields to those of `object` (JSON) as
  // `manager`. kConflict: another manager has set one of them to another value.
  Result<json::Document> Apply(const Resource& resource, const api::ObjectKey& key,
                               const std::string& manager, std::string object);

  Result<api::Scale> GetScale(const Resource& resource, const api::ObjectKey& key);
  // Waits for 7.5 s at most. kConflict: a test of the patch failed (another uid, other replicas),
  // and nothing was written. After kTimeout, kUnavailable and kCorrupt (also: an answer that is not
  // the scale asked for) read the scale to learn whether it was written.
  Result<api::Scale> PatchScale(const Resource& resource, const api::ObjectKey& key,
                                const api::ScaleChange& change);
  // `merge_patch`: {"status": {...}}. Returns the object's new resource version. kConflict: the
  // object of that name is no longer `of`.
  Result<std::string> PatchStatus(const Resource& resource, const api::ObjectKey& key,
                                  const api::ObjectVersion& of, const std::string& merge_patch);

 private:
  Client(Transport& transport, std::chrono::milliseconds timeout, process::SteadyTime deadline)
      : transport_(transport), timeout_(timeout), deadline_(deadline) {}

  Result<Response> Do(Request request);

  Transport& transport_;
  const std::chrono::milliseconds timeout_;
  const process::SteadyTime deadline_ = process::SteadyTime::max();
};

// The JSON Patch that PatchScale sends.
std::string PrintScalePatch(const api::ScaleChange& change);

}  // namespace ballast::kube
