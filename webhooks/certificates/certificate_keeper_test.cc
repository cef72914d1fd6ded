#include "webhooks/certificates/certificate_keeper.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <deque>
#include <set>

#include "operator/net/http_server.h"
#include "tests/support/certificate_authority.h"
#include "tests/support/http_client.h"
#include "tests/support/temp_dir.h"

namespace ballast::webhooks {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr Duration kDay = Duration::Seconds(86'400);
const std::vector<std::string> kNames = {"ballast-webhook.ballast.svc", "127.0.0.1"};

Time Start() { return {1'800'000'000, 0}; }

class FakeStore final : public CertificateStore {
 public:
  Result<Stored> Read() override {
    if (problem) {
      return *problem;
    }
    return Stored{bundle, std::to_string(version)};
  }
  Status Write(const CertificateBundle& next, const std::string& seen) override {
    if (before_write) {
      std::exchange(before_write, nullptr)();
    }
    if (seen != std::to_string(version)) {
      return Error{Code::kConflict, "changed meanwhile"};
    }
    bundle = next;
    ++version;
    return Done{};
  }
  Status Publish(const std::string& authorities) override {
    if (publish_problem) {
      return *publish_problem;
    }
    published = authorities;
    return Done{};
  }

  std::optional<CertificateBundle> bundle;
  int version = 0;
  std::string published;
  std::optional<Error> problem;
  std::optional<Error> publish_problem;
  std::function<void()> before_write;
};

// One operator's process.
struct Replica {
  explicit Replica(FakeStore& store, bool leads = true, const RotationTimes& times = {})
      : keeper(store, identity,
               {.names = kNames,
                .now = [this] { return now; },
                .is_leader = [this] { return leader; },
                .on_step = [this](const char* what) { steps.push_back(what); },
                .times = times}),
        leader(leads) {}

  Status Tick(Time at) {
    now = at;
    return keeper.Tick();
  }

  const std::shared_ptr<net::TlsIdentity> identity = std::make_shared<net::TlsIdentity>();
  CertificateKeeper keeper;
  Time now;
  bool leader;
  std::vector<std::string> steps;
};

// Whether a client that trusts `authorities` accepts the certificate at that time, for that name.
bool Accepts(const std::string& authorities, SSL_CTX* server, Time now,
             const char* name = "ballast-webhook.ballast.svc") {
  X509_STORE* trusted = X509_STORE_new();
  BIO* bio = BIO_new_mem_buf(authorities.data(), static_cast<int>(authorities.size()));
  while (X509* authority = PEM_read_bio_X509(bio, nullptr, nullptr, nullptr)) {
    X509_STORE_add_cert(trusted, authority);
    X509_free(authority);
  }
  BIO_free(bio);
  X509_STORE_CTX* context = X509_STORE_CTX_new();
  X509_STORE_CTX_init(context, trusted, SSL_CTX_get0_certificate(server), nullptr);
  X509_VERIFY_PARAM* wanted = X509_STORE_CTX_get0_param(context);
  X509_VERIFY_PARAM_set_time(wanted, now.unix_seconds());
  X509_VERIFY_PARAM_set_purpose(wanted, X509_PURPOSE_SSL_SERVER);
  X509_VERIFY_PARAM_set1_host(wanted, name, 0);
  const bool accepted = X509_verify_cert(context) == 1;
  X509_STORE_CTX_free(context);
  X509_STORE_free(trusted);
  return accepted;
}

TEST(CertificateKeeper, TheLeaderMakesWhatIsMissingAndAllUseIt) {
  FakeStore store;
  Replica follower(store, false);
  Replica leader(store);
  const Status too_early = follower.Tick(Start());
  ASSERT_FALSE(too_early.ok());
  EXPECT_EQ(too_early.error().message, "there is no certificate; the leader makes it");
  EXPECT_FALSE(store.bundle) << "nothing is written without a live lease";
  EXPECT_FALSE(follower.keeper.Ready(Start()));
  ASSERT_TRUE(leader.Tick(Start()).ok());
  ASSERT_TRUE(follower.Tick(Start()).ok());
  EXPECT_TRUE(follower.keeper.Ready(Start()));
  EXPECT_FALSE(follower.keeper.Ready(Start() + Duration::Seconds(366 * 86'400)));
  EXPECT_THAT(leader.steps, ElementsAre("made an authority and a certificate"));
  EXPECT_TRUE(follower.steps.empty());
  EXPECT_TRUE(Accepts(store.published, follower.identity->context().get(), Start()));
  EXPECT_TRUE(Accepts(store.published, leader.identity->context().get(), Start()));
  EXPECT_FALSE(Accepts(store.published, leader.identity->context().get(), Start(), "other.svc"));
  // A clock that is five minutes behind accepts it too.
  EXPECT_TRUE(
      Accepts(store.published, leader.identity->context().get(), Start() - Duration::Seconds(300)));
}

TEST(CertificateKeeper, WhoWritesSecondTakesWhatTheFirstWrote) {
  FakeStore store;
  Replica one(store);
  Replica other(store);
  store.before_write = [&] { ASSERT_TRUE(other.Tick(Start()).ok()); };
  ASSERT_TRUE(one.Tick(Start()).ok());
  EXPECT_EQ(store.version, 1);
  EXPECT_TRUE(one.steps.empty());
  EXPECT_TRUE(Accepts(store.published, one.identity->context().get(), Start()));
}

// 500 days of short lives, a day a tick. Each replica looks on days of its own, and the API server
// is three days late: whatever a replica presents, the API server accepts.
TEST(CertificateKeeper, NoRotationEverLosesTrust) {
  const RotationTimes times{.authority_life = {150 * kDay.nanoseconds},
                            .certificate_life = {60 * kDay.nanoseconds},
                            .settle = {6 * kDay.nanoseconds},
                            .retire = {9 * kDay.nanoseconds}};
  FakeStore store;
  Replica leader(store, true, times);
  Replica follower(store, false, times);
  std::deque<std::string> published;
  std::set<std::string> seen;
  for (int day = 0; day < 500; ++day) {
    const Time now = Start() + Duration{day * kDay.nanoseconds};
    if (day == 400) {
      std::swap(leader.leader, follower.leader);
    }
    if (day == 200) {
      store.bundle.reset();  // somebody deletes the Secret
    }
    if (day == 300) {
      store.bundle->key = "spoilt";
    }
    if (day % 2 == 0) {
      ASSERT_TRUE(leader.Tick(now).ok());
    }
    if (day % 3 == 0) {
      ASSERT_TRUE(follower.Tick(now).ok());
    }
    published.push_back(store.published);
    if (published.size() > 3) {
      published.pop_front();
      for (const Replica* replica : {&leader, &follower}) {
        ASSERT_TRUE(replica->keeper.Ready(now)) << day;
        ASSERT_TRUE(Accepts(published.front(), replica->identity->context().get(), now)) << day;
      }
    }
  }
  seen.insert(leader.steps.begin(), leader.steps.end());
  seen.insert(follower.steps.begin(), follower.steps.end());
  EXPECT_THAT(seen,
              testing::UnorderedElementsAre(
                  "made an authority and a certificate", "a new authority joins the one that ages",
                  "the stored certificates were lost; a new authority joins the one in use",
                  "made a certificate of the new authority", "renewed the certificate",
                  "forgot the former authority"));
}

TEST(CertificateKeeper, ANewCertificateWaitsUntilItsAuthorityIsPublished) {
  FakeStore store;
  Replica replica(store);
  Time now = Start();
  ASSERT_TRUE(replica.Tick(now).ok());
  store.bundle.reset();
  store.publish_problem = Error{Code::kForbidden, "no right to patch"};
  for (int i = 0; i < 100; ++i) {
    now = now + Duration::Seconds(10);
    EXPECT_EQ(replica.Tick(now).error().message, "no right to patch");
    EXPECT_TRUE(Accepts(store.published, replica.identity->context().get(), now));
  }
  store.publish_problem.reset();
  for (int i = 0; i < 5; ++i) {
    now = now + Duration::Seconds(10);
    ASSERT_TRUE(replica.Tick(now).ok());
    EXPECT_TRUE(Accepts(store.published, replica.identity->context().get(), now));
  }
  EXPECT_EQ(replica.steps.back(), "made a certificate of the new authority");
}

TEST(CertificateKeeper, AStoreThatFailsLeavesWhatIsInUse) {
  FakeStore store;
  Replica replica(store);
  ASSERT_TRUE(replica.Tick(Start()).ok());
  const auto before = replica.identity->context();
  store.problem = Error{Code::kUnavailable, "no answer"};
  EXPECT_EQ(replica.Tick(Start()).error().message, "no answer");
  EXPECT_EQ(replica.identity->context(), before);
  EXPECT_TRUE(replica.keeper.Ready(Start()));
}

TEST(CertificateKeeper, OtherNamesNeedAnotherCertificate) {
  FakeStore store;
  Replica replica(store);
  ASSERT_TRUE(replica.Tick(Start()).ok());
  const auto identity = std::make_shared<net::TlsIdentity>();
  CertificateKeeper renamed(store, identity, {.names = {"renamed.svc"}, .now = Start});
  ASSERT_TRUE(renamed.Tick().ok());
  EXPECT_TRUE(Accepts(store.published, identity->context().get(), Start(), "renamed.svc"));
}

TEST(CertificateFiles, AreReadAgainByContent) {
  const support::TempDir folder;
  const support::CertificateAuthority ca;
  const support::KeyPair first = ca.Issue("first", {"IP:127.0.0.1"});
  const support::KeyPair second = ca.Issue("second", {"IP:127.0.0.1"});
  const auto identity = std::make_shared<net::TlsIdentity>();
  CertificateFiles files(folder.path(), identity);
  EXPECT_THAT(files.Tick().error().message, HasSubstr(folder.path() + "/tls.crt"));

  folder.Write("tls.crt", first.certificate);
  folder.Write("tls.key", first.key);
  ASSERT_TRUE(files.Tick().ok());
  const auto server = net::HttpServer::Start(
      "127.0.0.1:0", [](const net::HttpRequest&) { return net::HttpResponse{}; },
      {.identity = identity});
  const std::string address = (*server)->address();
  EXPECT_EQ(support::HttpClient(address, ca.certificate()).server(), "/CN=first");

  folder.Write("tls.crt", second.certificate);
  EXPECT_THAT(files.Tick().error().message, HasSubstr("does not belong"));
  EXPECT_EQ(support::HttpClient(address, ca.certificate()).server(), "/CN=first");
  folder.Write("tls.key", second.key);
  ASSERT_TRUE(files.Tick().ok());
  EXPECT_EQ(support::HttpClient(address, ca.certificate()).server(), "/CN=second");
}

}  // namespace
}  // namespace ballast::webhooks
