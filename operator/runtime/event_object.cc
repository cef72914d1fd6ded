#include "operator/runtime/event_object.h"

#include <cstdio>
#include <string_view>
#include <utility>

#include "api/json/json_writer.h"

namespace ballast::runtime {
namespace {

constexpr std::size_t kMaxNote = 1024;
constexpr std::size_t kMaxInstance = 128;
constexpr std::size_t kMaxObjectName = 253;

const kube::Resource kEvents{
    .group = "events.k8s.io", .version = "v1", .plural = "events", .kind = "Event"};

// The first `limit` bytes at most, without cutting a character.
std::string_view Cut(std::string_view text, std::size_t limit) {
  if (text.size() <= limit) {
    return text;
  }
  while (limit > 0 && (static_cast<unsigned char>(text[limit]) & 0xc0) == 0x80) {
    --limit;
  }
  return text.substr(0, limit);
}

std::string Print(const PostEvent& post, const std::string& instance) {
  const ClusterEvent& event = post.event;
  json::Writer out;
  out.Object([&] {
    out.Field("apiVersion", kEvents.ApiVersion());
    out.Field("kind", kEvents.kind);
    out.Object("metadata", [&] {
      out.Field("name", post.object.name);
      out.Field("namespace", post.object.namespace_);
    });
    out.Field("eventTime", PrintMicro(post.time));
    out.Field("reportingController", event.controller);
    out.Field("reportingInstance", Cut(instance, kMaxInstance));
    out.Field("action", event.action);
    out.Field("reason", event.reason);
    out.Field("type", event.type);
    out.Field("note", event.note);
    out.Object("regarding", [&] {
      out.Field("apiVersion", event.regarding.api_version);
      out.Field("kind", event.regarding.kind);
      out.Field("namespace", event.regarding.namespace_);
      out.Field("name", event.regarding.name);
      out.Field("uid", event.regarding.uid);
    });
  });
  return out.Take();
}

std::string Print(const RaiseCount& raise) {
  json::Writer out;
  out.Object([&] {
    out.Object("series", [&] {
      out.Field("count", raise.count);
      out.Field("lastObservedTime", PrintMicro(raise.last_time));
    });
  });
  return out.Take();
}

}  // namespace

Status Send(kube::Client& client, const std::string& instance, const EventRequest& request) {
  if (const auto* post = std::get_if<PostEvent>(&request)) {
    TRY(client.Create(kEvents, post->object.namespace_, Print(*post, instance)));
    return Done{};
  }
  const auto& raise = std::get<RaiseCount>(request);
  TRY(client.PatchObject(kEvents, raise.object, "", kube::PatchType::kMerge, Print(raise)));
  return Done{};
}

api::ObjectKey NameEvent(const InvolvedObject& regarding, Time now) {
  char suffix[24];
  std::snprintf(suffix, sizeof suffix, ".%016llx",
                static_cast<unsigned long long>(now.unix_nanoseconds()));
  return {regarding.namespace_.empty() ? "default" : regarding.namespace_,
          std::string(Cut(regarding.name, kMaxObjectName - 17)) + suffix};
}

ClusterEvent CutNote(ClusterEvent event) {
  event.note = Cut(event.note, kMaxNote);
  return event;
}

}  // namespace ballast::runtime
