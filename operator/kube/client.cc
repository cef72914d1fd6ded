#include "operator/kube/client.h"

#include "api/json/json_writer.h"
#include "api/kubernetes/scale_kind.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <utility>

namespace ballast::kube {
namespace {

constexpr int kPageLimit = 500;

// A write of a scale must be settled soon, since the next one waits for it. The API server gets two
// thirds of this (send_once.cc).
constexpr std::chrono::milliseconds kScaleTimeout{7'500};

Result<json::Document> ReadObject(const Response& response, const AnswerLimit& limit = kOneObject) {
  auto document = ParseAnswer(response.body, limit);
  if (!document.ok() && document.error().code != Code::kCorrupt) {
    return Error{Code::kCorrupt, "the server's answer is " + document.error().message};
  }
  return document;
}

Result<api::Scale> ReadScale(const Response& response) {
  ASSIGN_OR_RETURN(const json::Document document, ReadObject(response));
  json::Decoder decoder(document);
  api::Scale scale;
  api::CheckScaleKind(decoder.root());
  Decode(decoder.root(), scale);
  if (const Status status = decoder.status(); !status.ok()) {
    return Error{Code::kCorrupt, "the server's Scale: " + status.error().message};
  }
  return scale;
}

Result<api::ObjectMeta> ReadMetadata(const json::Document& object) {
  json::Decoder decoder(object);
  api::ObjectMeta metadata;
  Decode(decoder.root().Required("metadata"), metadata);
  if (const Status status = decoder.status(); !status.ok()) {
    return Error{Code::kCorrupt, "the server's object: " + status.error().message};
  }
  return metadata;
}

Result<Request> ObjectRequest(Method method, const Resource& resource, const api::ObjectKey& key,
                              std::string_view subresource = {}) {
  Request request{.method = method};
  ASSIGN_OR_RETURN(request.path, ObjectPath(resource, key, subresource));
  return request;
}

Request FirstPage(const Resource& resource, const ListOptions& options) {
  Request request{.path = CollectionPath(resource, options.namespace_)};
  request.limit = options.limit;
  request.query.emplace_back("limit", std::to_string(kPageLimit));
  if (!options.label_selector.empty()) {
    request.query.emplace_back("labelSelector", options.label_selector);
  }
  if (!options.field_selector.empty()) {
    request.query.emplace_back("fieldSelector", options.field_selector);
  }
  return request;
}

// Calls `item` for each of its objects. Returns the token of the next page; empty: it is the last.
Result<std::string> ReadPage(const Response& response, const AnswerLimit& limit,
                             const std::function<Status(const json::Cursor&)>& item) {
  ASSIGN_OR_RETURN(const json::Document document, ReadObject(response, limit));
  json::Decoder decoder(document);
  for (const json::Cursor& element : decoder.root().Member("items").Elements()) {
    TRY(item(element));
  }
  std::string token(decoder.root().Member("metadata").Member("continue").Text());
  if (const Status status = decoder.status(); !status.ok()) {
    return Error{Code::kCorrupt, "the server's list: " + status.error().message};
  }
  return token;
}

}  // namespace

Result<Response> Client::Do(Request request) {
  request.timeout = std::min(request.timeout, timeout_);
  request.deadline = deadline_;
  return transport_.Do(request);
}

Result<json::Document> Client::Get(const Resource& resource, const api::ObjectKey& key) {
  ASSIGN_OR_RETURN(const Request request, ObjectRequest(Method::kGet, resource, key));
  ASSIGN_OR_RETURN(const Response response, Do(request));
  return ReadObject(response);
}

Result<api::ObjectMeta> Client::GetMetadata(const Resource& resource, const api::ObjectKey& key) {
  ASSIGN_OR_RETURN(Request request, ObjectRequest(Method::kGet, resource, key));
  request.accept = kContentMetadata;
  ASSIGN_OR_RETURN(const Response response, Do(std::move(request)));
  ASSIGN_OR_RETURN(const json::Document document, ReadObject(response));
  return ReadMetadata(document);
}

Status Client::List(const Resource& resource, const ListOptions& options,
                    const std::function<Status(const json::Cursor&)>& item) {
  const Request first = FirstPage(resource, options);
  std::size_t bytes = 0;
  std::string token;
  for (int page = 0; page < kMostPages; ++page) {
    Request request = first;
    if (!token.empty()) {
      request.query.emplace_back("continue", token);
    }
    if (options.left) {
      request.timeout = std::min(request.timeout, options.left());
    }
    if (request.timeout.count() <= 0) {
      return Error{Code::kTimeout, "the list did not end in time: it has more than " +
                                       std::to_string(page) + " pages"};
    }
    ASSIGN_OR_RETURN(const Response response, Do(request));
    bytes += response.body.size();
    if (options.left && bytes > options.limit.bytes) {
      return TooLarge(options.limit);
    }
    ASSIGN_OR_RETURN(token, ReadPage(response, options.limit, item));
    if (token.empty()) {
      return Done{};
    }
  }
  return TooManyPages();
}

Result<json::Document> Client::Create(const Resource& resource, const std::string& namespace_,
                                      std::string body) {
  ASSIGN_OR_RETURN(const Response response, Do({.method = Method::kPost,
                                                .path = CollectionPath(resource, namespace_),
                                                .body = std::move(body)}));
  return ReadObject(response);
}

Result<json::Document> Client::PatchObject(const Resource& resource, const api::ObjectKey& key,
                                           std::string_view subresource, PatchType type,
                                           std::string patch) {
  ASSIGN_OR_RETURN(Request request, ObjectRequest(Method::kPatch, resource, key, subresource));
  request.body = std::move(patch);
  request.content_type = type == PatchType::kJson ? kContentJsonPatch : kContentMergePatch;
  ASSIGN_OR_RETURN(const Response response, Do(request));
  return ReadObject(response);
}

Status Client::Delete(const Resource& resource, const api::ObjectKey& key, const std::string& uid) {
  ASSIGN_OR_RETURN(Request request, ObjectRequest(Method::kDelete, resource, key));
  json::Writer out;
  out.Object([&] {
    out.Field("apiVersion", "v1");
    out.Field("kind", "DeleteOptions");
    out.Object("preconditions", [&] { out.Field("uid", uid); });
  });
  request.body = out.Take();
  TRY(Do(std::move(request)));
  return Done{};
}

Result<json::Document> Client::Apply(const Resource& resource, const api::ObjectKey& key,
                                     const std::string& manager, std::string object) {
  ASSIGN_OR_RETURN(Request request, ObjectRequest(Method::kPatch, resource, key));
  request.query.emplace_back("fieldManager", manager);
  request.body = std::move(object);
  request.content_type = kContentApply;
  ASSIGN_OR_RETURN(const Response response, Do(std::move(request)));
  return ReadObject(response);
}

Result<api::Scale> Client::GetScale(const Resource& resource, const api::ObjectKey& key) {
  ASSIGN_OR_RETURN(const Request request, ObjectRequest(Method::kGet, resource, key, "scale"));
  ASSIGN_OR_RETURN(const Response response, Do(request));
  return ReadScale(response);
}

Result<api::Scale> Client::PatchScale(const Resource& resource, const api::ObjectKey& key,
                                      const api::ScaleChange& change) {
  ASSIGN_OR_RETURN(Request request, ObjectRequest(Method::kPatch, resource, key, "scale"));
  request.body = PrintScalePatch(change);
  request.content_type = kContentJsonPatch;
  request.timeout = kScaleTimeout;
  ASSIGN_OR_RETURN(const Response response, Do(std::move(request)));
  ASSIGN_OR_RETURN(api::Scale scale, ReadScale(response));
  if (scale.metadata.uid != change.uid || scale.spec_replicas != change.to) {
    return Error{Code::kCorrupt, "the answer is not the scale that was asked for"};
  }
  return scale;
}

Result<std::string> Client::PatchStatus(const Resource& resource, const api::ObjectKey& key,
                                        const api::ObjectVersion& of,
                                        const std::string& merge_patch) {
  json::Writer metadata;
  metadata.Object([&] {
    // API servers reject a patch whose uid or resource version is not the object's.
    metadata.Field("uid", of.uid);
    metadata.Field("resourceVersion", of.resource_version);
  });
  const std::string patch = R"({"metadata":)" + metadata.Take() + "," + merge_patch.substr(1);
  ASSIGN_OR_RETURN(const json::Document document,
                   PatchObject(resource, key, "status", PatchType::kMerge, patch));
  ASSIGN_OR_RETURN(const api::ObjectMeta written, ReadMetadata(document));
  return written.resource_version;
}

std::string PrintScalePatch(const api::ScaleChange& change) {
  const auto operation = [](json::Writer& out, const char* op, const char* path) {
    out.Field("op", op);
    out.Field("path", path);
  };
  json::Writer out;
  out.Array([&] {
    out.Object([&] {
      operation(out, "test", "/metadata/uid");
      out.Field("value", change.uid);
    });
    // The API omits `replicas: 0` from a Scale. Then `test` must expect null, and there is nothing
    // to replace; so the last operation is `add`, which replaces a value that exists.
    out.Object([&] {
      operation(out, "test", "/spec/replicas");
      out.Key("value");
      if (change.from == 0) {
        out.Null();
      } else {
        out.Value(change.from);
      }
    });
    out.Object([&] {
      operation(out, "add", "/spec/replicas");
      out.Field("value", change.to);
    });
  });
  return out.Take();
}

}  // namespace ballast::kube
