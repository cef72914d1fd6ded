#include "operator/admission/webhook.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "tests/support/certificate_authority.h"
#include "tests/support/fake_clock.h"
#include "tests/support/fake_transport.h"
#include "tests/support/http_client.h"
#include "tests/support/temp_dir.h"
#include "webhooks/testing/test_review.h"

namespace ballast::admission {
namespace {

using support::HttpClient;

TEST(Webhook, AnswersOverTlsWhileItsCertificateIsSwapped) {
  const support::TempDir folder;
  const support::CertificateAuthority ca;
  const auto renew = [&](const std::string& name) {
    const support::KeyPair pair = ca.Issue(name, {"IP:127.0.0.1"});
    folder.Write("tls.key", pair.key);
    folder.Write("tls.crt", pair.certificate);
  };
  renew("first");
  support::FakeClock clock;
  support::FakeTransport transport;  // answers nothing, so look-ups find nothing
  const cluster::Watches watches(transport, clock, {});
  const auto webhook =
      Webhook::Start({.address = "127.0.0.1:0", .certificates = {.certificate_dir = folder.path()}},
                     watches, transport, clock);
  ASSERT_TRUE(webhook.ok()) << webhook.error().message;
  clock.AwaitSleeper();
  ASSERT_TRUE((*webhook)->Ready());
  const std::string address = (*webhook)->address();

  const std::string good =
      webhooks::ReviewJson("CREATE", webhooks::PolicyJson(R"("maxReplicas":5)"));
  const std::string bad =
      webhooks::ReviewJson("CREATE", webhooks::PolicyJson(R"("maxReplicas":0)"));
  std::atomic<bool> done = false;
  std::atomic<int> wrong = 0;
  std::atomic<int> right = 0;
  std::vector<std::thread> clients;
  for (int i = 0; i < 4; ++i) {
    clients.emplace_back([&] {
      HttpClient client(address, ca.certificate());
      while (!done) {
        const auto allowed = client.Post("/validate", good);
        const auto refused = client.Post("/validate", bad);
        const bool as_it_should =
            allowed && allowed->body.find(R"("allowed":true)") != std::string::npos && refused &&
            refused->body.find(R"("allowed":false)") != std::string::npos;
        ++(as_it_should ? right : wrong);
      }
    });
  }
  for (const std::string name : {"second", "third", "fourth"}) {
    renew(name);
    clock.Advance(std::chrono::seconds(10));
    while (HttpClient(address, ca.certificate()).server() != "/CN=" + name) {
    }
  }
  while (right < 100 && wrong == 0) {
  }
  done = true;
  for (std::thread& client : clients) {
    client.join();
  }
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace ballast::admission
