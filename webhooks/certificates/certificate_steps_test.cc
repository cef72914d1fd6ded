#include "webhooks/certificates/certificate_steps.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ballast::webhooks {
namespace {

using testing::StartsWith;

Time At(std::int64_t seconds) { return {1'800'000'000 + seconds, 0}; }

template <typename Request>
const Request* As(const CertificateStep& step) {
  return step.request ? std::get_if<Request>(&*step.request) : nullptr;
}

// Without a request and without an end: an answer that counted for nothing.
bool IsNothing(const CertificateStep& step) { return !step.request && !step.end; }

class CertificateStepsTest : public testing::Test {
 protected:
  // A step of the rotation, all of it at that time; the step after what is read last.
  CertificateStep Read(Time now, bool leader = true) {
    CertificateStep step = steps_.OnRead(now, leader, stored_);
    while (const auto* write = As<WriteCertificates>(step)) {
      written_.emplace_back(write->what);
      stored_.bundle = write->bundle;
      EXPECT_TRUE(As<ReadCertificates>(steps_.OnWritten(Done{})));
      step = steps_.OnRead(now, leader, stored_);
    }
    return step;
  }

  StoredCertificates stored_;
  std::vector<std::string> written_;
  CertificateSteps steps_{{"webhook.svc"}, {}};
};

TEST_F(CertificateStepsTest, ReadsMakesUsesAndPublishes) {
  EXPECT_TRUE(As<ReadCertificates>(steps_.Begin()));
  const CertificateStep use = Read(At(0));
  EXPECT_THAT(written_, testing::ElementsAre("made an authority and a certificate"));
  ASSERT_TRUE(As<UseCertificate>(use));
  EXPECT_EQ(As<UseCertificate>(use)->certificate, stored_.bundle->certificate);
  const CertificateStep publish = steps_.OnUsed(Done{});
  ASSERT_TRUE(As<PublishAuthorities>(publish));
  EXPECT_EQ(As<PublishAuthorities>(publish)->authorities, stored_.bundle->authorities);
  const CertificateStep end = steps_.OnPublished(At(0), Done{});
  EXPECT_TRUE(end.end && end.end->ok());
}

// A slow API server: it trusts the new authority from when it said so, not from when it was asked.
TEST_F(CertificateStepsTest, TrustCountsFromTheAnswerOfThePublication) {
  steps_.Begin();
  Read(At(0));
  steps_.OnUsed(Done{});
  steps_.OnPublished(At(0), Done{});
  stored_.bundle.reset();  // deleted
  steps_.Begin();
  Read(At(10));
  EXPECT_THAT(written_.back(), StartsWith("the stored certificates were lost"));
  steps_.OnUsed(Done{});
  steps_.OnPublished(At(35), Done{});
  for (const std::int64_t at : {45, 64}) {
    steps_.Begin();
    EXPECT_TRUE(As<UseCertificate>(Read(At(at)))) << at;
    steps_.OnUsed(Done{});
    steps_.OnPublished(At(at), Done{});
  }
  EXPECT_EQ(written_.size(), 2U);
  steps_.Begin();
  Read(At(65));
  EXPECT_EQ(written_.back(), "made a certificate of the new authority");
}

TEST_F(CertificateStepsTest, APublicationThatFailedIsNoTrust) {
  steps_.Begin();
  Read(At(0));
  steps_.OnUsed(Done{});
  steps_.OnPublished(At(0), Done{});
  stored_.bundle.reset();
  for (int i = 1; i < 100; ++i) {
    steps_.Begin();
    EXPECT_TRUE(As<UseCertificate>(Read(At(10 * i))));
    steps_.OnUsed(Done{});
    const CertificateStep end = steps_.OnPublished(At(10 * i), Error{Code::kTimeout, "no answer"});
    EXPECT_EQ(end.end->error().code, Code::kTimeout);
  }
  EXPECT_EQ(written_.size(), 2U);
}

TEST_F(CertificateStepsTest, ALeaderThatIsNoneAnyMoreWritesAndPublishesNothing) {
  steps_.Begin();
  Read(At(0));
  steps_.OnUsed(Done{});
  steps_.OnPublished(At(0), Done{});
  steps_.Begin();
  EXPECT_TRUE(As<UseCertificate>(Read(At(400 * 86'400LL), false))) << "though it has ended";
  const CertificateStep end = steps_.OnUsed(Done{});
  EXPECT_TRUE(end.end && end.end->ok());
}

TEST_F(CertificateStepsTest, WhatOthersWriteAllTheTimeIsGivenUp) {
  steps_.Begin();
  CertificateStep step = steps_.OnRead(At(0), true, stored_);
  for (int writes = 1; writes <= 3; ++writes) {
    ASSERT_TRUE(As<WriteCertificates>(step)) << writes;
    EXPECT_TRUE(As<ReadCertificates>(steps_.OnWritten(Error{Code::kConflict, "changed"})));
    step = steps_.OnRead(At(0), true, stored_);
  }
  ASSERT_TRUE(step.end);
  EXPECT_EQ(step.end->error().code, Code::kConflict);
}

TEST_F(CertificateStepsTest, ErrorsEndTheLook) {
  const Error gone{Code::kUnavailable, "refused"};
  steps_.Begin();
  EXPECT_FALSE(steps_.OnRead(At(0), true, gone).end->ok());
  steps_.Begin();
  ASSERT_TRUE(As<WriteCertificates>(steps_.OnRead(At(0), true, stored_)));
  EXPECT_FALSE(steps_.OnWritten(gone).end->ok());
  steps_.Begin();
  Read(At(0));
  EXPECT_FALSE(steps_.OnUsed(gone).end->ok()) << "what is not in use is not published";
}

TEST_F(CertificateStepsTest, AnAnswerThatIsNotAwaitedCountsForNothing) {
  EXPECT_TRUE(IsNothing(steps_.OnRead(At(0), true, stored_))) << "before the beginning";
  steps_.Begin();
  EXPECT_TRUE(IsNothing(steps_.OnPublished(At(0), Done{})));
  EXPECT_TRUE(As<UseCertificate>(Read(At(0))));
  EXPECT_TRUE(IsNothing(steps_.OnRead(At(0), true, stored_))) << "a second time";
  EXPECT_TRUE(IsNothing(steps_.OnWritten(Done{})));
  EXPECT_TRUE(As<PublishAuthorities>(steps_.OnUsed(Done{})));
  EXPECT_TRUE(steps_.OnPublished(At(0), Done{}).end);
  EXPECT_TRUE(IsNothing(steps_.OnPublished(At(9), Done{}))) << "after the end";
}

}  // namespace
}  // namespace ballast::webhooks
