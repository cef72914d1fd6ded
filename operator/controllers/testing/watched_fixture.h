// A fixture for tests of what stands above the sessions: as SessionFixture, but policies and HPAs
// are those of watches, whose API server has the policy shop/web and the HPAs of `hpas_`.
//
// Thread-safety: one thread at a time; the watches have threads of their own.
#pragma once

#include <gtest/gtest.h>

#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "api/json/json_writer.h"
#include "operator/cluster/watches.h"
#include "operator/session/testing/session_fixture.h"
#include "tests/support/channel.h"
#include "tests/support/fake_transport.h"
#include "tests/support/test_patience.h"

namespace ballast::controllers {

class WatchedFixture : public session::SessionFixture {
 protected:
  WatchedFixture() { options_.max_view_age = Duration::Seconds(1'000'000); }  // they are silent

  // Starts the watches with what there is by then.
  void Start() {
    watches_.Start();
    ASSERT_TRUE(watches_.policies.WaitForSync(support::Patience()) &&
                watches_.hpas.WaitForSync(support::Patience()) &&
                watches_.overrides.WaitForSync(support::Patience()) &&
                watches_.pods.WaitForSync(support::Patience()));
  }

  // The object changes on the API server ("ADDED", "MODIFIED", "DELETED"), and its watch has
  // delivered that.
  void Deliver(const std::string& type, api::Autoscaler& object) {
    object.metadata.resource_version = std::to_string(++version_);
    (object.is_policy() ? policy_events_ : hpa_events_)
        .Push(R"({"type":")" + type + R"(","object":)" + PrintObject(object) + "}");
    for (;;) {
      const auto present = watches_.Find(object.reference());
      if (type == "DELETED" ? present == nullptr
                            : present != nullptr && present->metadata.resource_version ==
                                                        object.metadata.resource_version) {
        return;
      }
      std::this_thread::yield();
    }
  }

  std::vector<api::Autoscaler> hpas_;
  int version_ = 100;  // of what was delivered last
  support::Channel<std::string> policy_events_;
  support::Channel<std::string> hpa_events_;
  support::FakeTransport transport_{
      [this](const kube::Request& request) { return List(request.path); },
      [this](const kube::Request& request, const kube::LineSink& sink,
             const std::stop_token& stop) {
        return request.path.ends_with("/autoscalepolicies")
                   ? support::PushedStream(policy_events_, request, sink, stop)
               : request.path.ends_with("/horizontalpodautoscalers")
                   ? support::PushedStream(hpa_events_, request, sink, stop)
                   : support::SilentStream(request, sink, stop);
      }};
  cluster::Watches watches_{transport_, clock_, {}};

 private:
  static std::string PrintObject(const api::Autoscaler& object) {
    json::Writer writer;
    api::Encode(writer, object);
    std::string text = writer.Take();
    if (object.status_writer) {
      const std::string metadata = R"("metadata":{)";
      text.insert(text.find(metadata) + metadata.size(),
                  R"("managedFields":[{"operation":"Update","subresource":"status","manager":")" +
                      object.status_writer->manager + R"(","time":")" +
                      Print(*object.status_writer->time) + R"(","fieldsV1":{"f:status":{}}}],)");
    }
    return text;
  }
  kube::Response List(const std::string& path) const {
    std::string items;
    if (path.ends_with("/autoscalepolicies")) {
      items = PrintObject(autoscaler_.object);
    } else if (path.ends_with("/horizontalpodautoscalers")) {
      for (const api::Autoscaler& hpa : hpas_) {
        items += (items.empty() ? "" : ",") + PrintObject(hpa);
      }
    }
    return {200, R"({"metadata":{"resourceVersion":"5"},"items":[)" + items + "]}"};
  }
};

}  // namespace ballast::controllers
