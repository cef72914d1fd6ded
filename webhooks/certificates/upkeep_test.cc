#include "webhooks/certificates/upkeep.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ballast::webhooks {
namespace {

using testing::StartsWith;

Time At(std::int64_t seconds) { return {1'800'000'000 + seconds, 0}; }

template <typename Request>
const Request* As(const UpkeepStep& step) {
  return step.request ? std::get_if<Request>(&*step.request) : nullptr;
}

// Without a request and without an end: an answer that counted for nothing.
bool IsNothing(const UpkeepStep& step) { return !step.request && !step.end; }

class CertificateUpkeepTest : public testing::Test {
 protected:
  // A step of the rotation, all of it at that time; the step after what is read last.
  UpkeepStep Read(Time now, bool leader = true) {
    UpkeepStep step = upkeep_.OnRead(now, leader, stored_);
    while (const auto* write = As<WriteCertificates>(step)) {
      steps_.emplace_back(write->what);
      stored_.bundle = write->bundle;
      EXPECT_TRUE(As<ReadCertificates>(upkeep_.OnWritten(Done{})));
      step = upkeep_.OnRead(now, leader, stored_);
    }
    return step;
  }

  StoredCertificates stored_;
  std::vector<std::string> steps_;
  CertificateUpkeep upkeep_{{"webhook.svc"}, {}};
};

TEST_F(CertificateUpkeepTest, ReadsMakesUsesAndPublishes) {
  EXPECT_TRUE(As<ReadCertificates>(upkeep_.Begin()));
  const UpkeepStep use = Read(At(0));
  EXPECT_THAT(steps_, testing::ElementsAre("made an authority and a certificate"));
  ASSERT_TRUE(As<UseCertificate>(use));
  EXPECT_EQ(As<UseCertificate>(use)->certificate, stored_.bundle->certificate);
  const UpkeepStep publish = upkeep_.OnUsed(Done{});
  ASSERT_TRUE(As<PublishAuthorities>(publish));
  EXPECT_EQ(As<PublishAuthorities>(publish)->authorities, stored_.bundle->authorities);
  const UpkeepStep end = upkeep_.OnPublished(At(0), Done{});
  EXPECT_TRUE(end.end && end.end->ok());
}

// A slow API server: it trusts the new authority from when it said so, not from when it was asked.
TEST_F(CertificateUpkeepTest, TrustCountsFromTheAnswerOfThePublication) {
  upkeep_.Begin();
  Read(At(0));
  upkeep_.OnUsed(Done{});
  upkeep_.OnPublished(At(0), Done{});
  stored_.bundle.reset();  // deleted
  upkeep_.Begin();
  Read(At(10));
  EXPECT_THAT(steps_.back(), StartsWith("the stored certificates were lost"));
  upkeep_.OnUsed(Done{});
  upkeep_.OnPublished(At(35), Done{});
  for (const std::int64_t at : {45, 64}) {
    upkeep_.Begin();
    EXPECT_TRUE(As<UseCertificate>(Read(At(at)))) << at;
    upkeep_.OnUsed(Done{});
    upkeep_.OnPublished(At(at), Done{});
  }
  EXPECT_EQ(steps_.size(), 2U);
  upkeep_.Begin();
  Read(At(65));
  EXPECT_EQ(steps_.back(), "made a certificate of the new authority");
}

TEST_F(CertificateUpkeepTest, APublicationThatFailedIsNoTrust) {
  upkeep_.Begin();
  Read(At(0));
  upkeep_.OnUsed(Done{});
  upkeep_.OnPublished(At(0), Done{});
  stored_.bundle.reset();
  for (int i = 1; i < 100; ++i) {
    upkeep_.Begin();
    EXPECT_TRUE(As<UseCertificate>(Read(At(10 * i))));
    upkeep_.OnUsed(Done{});
    const UpkeepStep end = upkeep_.OnPublished(At(10 * i), Error{Code::kTimeout, "no answer"});
    EXPECT_EQ(end.end->error().code, Code::kTimeout);
  }
  EXPECT_EQ(steps_.size(), 2U);
}

TEST_F(CertificateUpkeepTest, ALeaderThatIsNoneAnyMoreWritesAndPublishesNothing) {
  upkeep_.Begin();
  Read(At(0));
  upkeep_.OnUsed(Done{});
  upkeep_.OnPublished(At(0), Done{});
  upkeep_.Begin();
  EXPECT_TRUE(As<UseCertificate>(Read(At(400 * 86'400LL), false))) << "though it has ended";
  const UpkeepStep end = upkeep_.OnUsed(Done{});
  EXPECT_TRUE(end.end && end.end->ok());
}

TEST_F(CertificateUpkeepTest, WhatOthersWriteAllTheTimeIsGivenUp) {
  upkeep_.Begin();
  UpkeepStep step = upkeep_.OnRead(At(0), true, stored_);
  for (int writes = 1; writes <= 3; ++writes) {
    ASSERT_TRUE(As<WriteCertificates>(step)) << writes;
    EXPECT_TRUE(As<ReadCertificates>(upkeep_.OnWritten(Error{Code::kConflict, "changed"})));
    step = upkeep_.OnRead(At(0), true, stored_);
  }
  ASSERT_TRUE(step.end);
  EXPECT_EQ(step.end->error().code, Code::kConflict);
}

TEST_F(CertificateUpkeepTest, ErrorsEndTheLook) {
  const Error gone{Code::kUnavailable, "refused"};
  upkeep_.Begin();
  EXPECT_FALSE(upkeep_.OnRead(At(0), true, gone).end->ok());
  upkeep_.Begin();
  ASSERT_TRUE(As<WriteCertificates>(upkeep_.OnRead(At(0), true, stored_)));
  EXPECT_FALSE(upkeep_.OnWritten(gone).end->ok());
  upkeep_.Begin();
  Read(At(0));
  EXPECT_FALSE(upkeep_.OnUsed(gone).end->ok()) << "what is not in use is not published";
}

TEST_F(CertificateUpkeepTest, AnAnswerThatIsNotAwaitedCountsForNothing) {
  EXPECT_TRUE(IsNothing(upkeep_.OnRead(At(0), true, stored_))) << "before the beginning";
  upkeep_.Begin();
  EXPECT_TRUE(IsNothing(upkeep_.OnPublished(At(0), Done{})));
  EXPECT_TRUE(As<UseCertificate>(Read(At(0))));
  EXPECT_TRUE(IsNothing(upkeep_.OnRead(At(0), true, stored_))) << "a second time";
  EXPECT_TRUE(IsNothing(upkeep_.OnWritten(Done{})));
  EXPECT_TRUE(As<PublishAuthorities>(upkeep_.OnUsed(Done{})));
  EXPECT_TRUE(upkeep_.OnPublished(At(0), Done{}).end);
  EXPECT_TRUE(IsNothing(upkeep_.OnPublished(At(9), Done{}))) << "after the end";
}

}  // namespace
}  // namespace ballast::webhooks
