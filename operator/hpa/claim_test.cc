#include "operator/hpa/claim.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "api/autoscaling/condition_types.h"
#include "api/json/json.h"
#include "operator/engine/conditions.h"

namespace ballast::hpa {
namespace {

using std::chrono::seconds;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr Duration kPeriod = Duration::Seconds(15);
constexpr const char* kUpstream = "kube-controller-manager";

// An HPA on an API server that counts generations (1.37) or does not, and who writes its status.
class ClaimTest : public ::testing::TestWithParam<bool> {
 protected:
  ClaimTest() {
    hpa_.metadata.namespace_ = "shop";
    hpa_.metadata.name = "web";
    hpa_.metadata.uid = "u1";
    hpa_.metadata.resource_version = "10";
    hpa_.metadata.generation = GetParam() ? 4 : 0;
    hpa_.status.conditions = {{api::kAbleToScale, "True", "ReadyForNewScale", "", {}}};
    UpstreamWrites();
  }

  process::Instant Now() const {
    return {Time(1'700'000'000, 0) + Duration::Seconds(now_), process::SteadyTime(seconds(now_))};
  }

  // Kubernetes' own controller writes the status at the present second.
  void UpstreamWrites() {
    hpa_.status.observed_generation.reset();
    if (GetParam()) {
      hpa_.status.observed_generation = hpa_.metadata.generation;
    }
    Written(kUpstream);
  }

  void Written(const char* manager) {
    hpa_.status_writer = {manager, Now().wall};
    hpa_.metadata.resource_version = std::to_string(++version_);
  }

  // One look at the HPA; what it asks for is carried out. Returns whether Ballast holds the HPA.
  bool Look(const std::optional<ManageBlocker>& blocker = {}) {
    return CarryOut(claim_.Take(hpa_, {blocker, "", blind_, others_}, Now(), kPeriod));
  }
  bool Leave() { return CarryOut(claim_.Leave(hpa_, "observe", "", Now())); }

  bool CarryOut(const Claim::ClaimAction& action) {
    for (const engine::Event& event : action.events) {
      events_.push_back(event.reason);
    }
    wrote_ = action.write.has_value();
    if (action.write) {
      EXPECT_EQ(action.write->of.resource_version, hpa_.metadata.resource_version);
      if (conflict_) {
        claim_.Answered({false, hpa_.metadata.resource_version}, Now());
        return action.held;
      }
      Apply(action.write->merge_patch);
      if (lost_) {
        claim_.Answered({false, Error{Code::kTimeout, "no answer"}}, Now());
        return action.held;
      }
      claim_.Answered({true, hpa_.metadata.resource_version}, Now());
    }
    return action.held;
  }

  // One look at what the watch has, when the API server has `present`. Returns whether Ballast
  // holds the HPA.
  bool CarryOutLate(const api::Autoscaler& present) {
    const Claim::ClaimAction action = claim_.Take(hpa_, {{}, "", false, others_}, Now(), kPeriod);
    EXPECT_TRUE(action.write);
    claim_.Answered({false, present.metadata.resource_version}, Now());
    return action.held;
  }

  void Apply(const std::string& patch) {
    const json::Document document = json::Parse(patch).value();
    json::Decoder decoder(document);
    const json::Cursor status = decoder.root().Member("status");
    if (patch.find("observedGeneration") != std::string::npos) {
      hpa_.status.observed_generation.reset();
      status.Member("observedGeneration").Read(hpa_.status.observed_generation);
    }
    if (status.Member("conditions").present()) {
      hpa_.status.conditions.clear();
      for (const json::Cursor& one : status.Member("conditions").Elements()) {
        api::Decode(one, hpa_.status.conditions.emplace_back());
      }
    }
    Written(api::kFieldManager);
  }

  // "kube-controller-manager -> ballast"; empty: there was no hand-over.
  std::string HandOver() {
    const auto over = claim_.TakeHandOver();
    return over ? over->from + " -> " + over->to : "";
  }

  // Looks once a second for so many seconds; returns whether Ballast ever held it.
  bool LookFor(int count) {
    bool held = false;
    for (int i = 0; i < count; ++i) {
      ++now_;
      held = Look() || held;
    }
    return held;
  }

  std::string Why() const {
    const api::Condition* found = engine::Find(hpa_.status.conditions, api::kManaged);
    return found == nullptr ? "" : found->reason + ": " + found->message;
  }

  api::Autoscaler hpa_{.kind = api::kHpaKind};
  Claim claim_;
  OtherControllers others_;
  int now_ = 0;
  int version_ = 10;
  bool conflict_ = false;  // somebody else writes just before each write
  bool lost_ = false;      // the answers to writes
  bool blind_ = false;
  bool wrote_ = false;
  std::vector<std::string> events_;
};

INSTANTIATE_TEST_SUITE_P(Servers, ClaimTest, ::testing::Bool(), [](const auto& test) {
  return std::string(test.param ? "CountGenerations" : "DoNot");
});

TEST_P(ClaimTest, HoldsAnHpaThatNobodyElseWritesForAMinute) {
  now_ = 1;
  EXPECT_FALSE(Look());
  EXPECT_EQ(hpa_.status.observed_generation, kClaimMark);
  EXPECT_FALSE(LookFor(60));
  EXPECT_EQ(hpa_.status.observed_generation, hpa_.metadata.generation);
  EXPECT_TRUE(Look());
  EXPECT_TRUE(claim_.TakeBegun());
  EXPECT_TRUE(Look());
  EXPECT_FALSE(claim_.TakeBegun());
  EXPECT_FALSE(wrote_);
  EXPECT_EQ(Why(), "");
  EXPECT_THAT(events_, IsEmpty());
}

TEST_P(ClaimTest, LeavesItToAnotherControllerAndSaysWho) {
  LookFor(20);
  UpstreamWrites();
  EXPECT_FALSE(Look());
  EXPECT_THAT(Why(), HasSubstr("AnotherController: kube-controller-manager writes the status"));
  // It goes on writing, now and then: Ballast claims again only after a quiet minute.
  for (int i = 0; i < 10; ++i) {
    EXPECT_FALSE(LookFor(55));
    UpstreamWrites();
    EXPECT_FALSE(Look());
    EXPECT_FALSE(wrote_);
  }
  EXPECT_EQ(events_, std::vector<std::string>{"AnotherController"});
}

TEST_P(ClaimTest, TakesOverWhenTheOtherControllerStops) {
  LookFor(20);
  UpstreamWrites();
  EXPECT_FALSE(LookFor(59));
  EXPECT_THAT(Why(), HasSubstr("AnotherController"));
  EXPECT_TRUE(LookFor(65));
  EXPECT_EQ(Why(), "");
}

TEST_P(ClaimTest, StopsAtOnceWhenAnotherControllerBegins) {
  LookFor(63);
  ASSERT_TRUE(Look());
  now_ += 3;
  UpstreamWrites();
  EXPECT_FALSE(Look());
  EXPECT_THAT(Why(), HasSubstr("AnotherController"));
  EXPECT_FALSE(LookFor(50));
}

// Else it would be looked at again at once, for as long as its status cannot be written.
TEST_P(ClaimTest, HasNotBegunWhatAnotherControllerTookAtOnce) {
  LookFor(62);
  ASSERT_TRUE(claim_.begun());
  UpstreamWrites();
  lost_ = true;
  EXPECT_FALSE(Look());
  EXPECT_FALSE(claim_.begun());
}

TEST_P(ClaimTest, DoesNotBelieveAClaimThatItCouldNotReplace) {
  now_ = 1;
  Look();
  now_ += 60;
  conflict_ = true;
  EXPECT_FALSE(Look());
  EXPECT_FALSE(Look());
  conflict_ = false;
  EXPECT_FALSE(Look());
  EXPECT_TRUE(Look());
}

TEST_P(ClaimTest, HoldsAlthoughTheAnswerToTheLastWriteWasLost) {
  LookFor(60);
  lost_ = true;
  EXPECT_FALSE(LookFor(1));
  EXPECT_EQ(hpa_.status.observed_generation, hpa_.metadata.generation);
  lost_ = false;
  EXPECT_FALSE(LookFor(1)) << "not confirmed yet";
  EXPECT_TRUE(LookFor(1));
  EXPECT_TRUE(claim_.TakeBegun());
}

TEST_P(ClaimTest, TakesAnyOtherGenerationForAnotherController) {
  LookFor(20);
  hpa_.status.observed_generation = 7;  // in the same second: Ballast seems to be the last writer
  EXPECT_FALSE(LookFor(50));
  EXPECT_THAT(Why(), HasSubstr("AnotherController"));
}

TEST_P(ClaimTest, IsNotFooledByItsOwnConditionAfterAContest) {
  LookFor(63);
  now_ += 3;
  UpstreamWrites();
  EXPECT_FALSE(Look());
  ASSERT_EQ(hpa_.status_writer->manager, api::kFieldManager);
  EXPECT_EQ(hpa_.status.observed_generation.has_value(), GetParam()) << "the other one's";
  claim_ = Claim();
  EXPECT_FALSE(Look());
}

TEST_P(ClaimTest, DoesNotScaleWhatItHasNotSeen) {
  LookFor(63);
  ASSERT_TRUE(Look());
  claim_.Conflicted(std::to_string(version_ + 1));
  const Claim::ClaimAction action = claim_.Take(hpa_, {{}, "", false, others_}, Now(), kPeriod);
  EXPECT_FALSE(action.held);
  EXPECT_TRUE(action.behind) << "nor may it tell of that";
  UpstreamWrites();
  EXPECT_FALSE(Look());
  EXPECT_THAT(Why(), HasSubstr("AnotherController"));
}

TEST_P(ClaimTest, DoesNotBelieveASilenceThatTheMissingTargetExplains) {
  blind_ = true;
  EXPECT_FALSE(LookFor(300));
  blind_ = false;
  EXPECT_FALSE(LookFor(58));
  EXPECT_TRUE(LookFor(5));
}

// It looks every three minutes, and Ballast every 15 s.
TEST_P(ClaimTest, WaitsLongerForARivalThatLooksRarely) {
  int held = 0;
  for (int i = 0; i < 20; ++i) {
    held += LookFor(180) ? 1 : 0;
    UpstreamWrites();
  }
  EXPECT_LE(held, 2);
}

// It looks at each once in 100 s, because it has so many.
TEST_P(ClaimTest, WaitsWhileTheOtherControllerIsAtWorkOnOtherHpas) {
  api::Autoscaler another = hpa_;
  for (int i = 0; i < 400; ++i) {
    EXPECT_FALSE(LookFor(1)) << i;
    another.metadata.name = "other-" + std::to_string(i % 100);
    another.status_writer = {kUpstream, Now().wall};
    others_.See(another, Now());
    if (i % 100 == 99) {
      UpstreamWrites();
      others_.See(hpa_, Now());
    }
  }
  EXPECT_FALSE(LookFor(59));
  EXPECT_TRUE(LookFor(300));
}

TEST_P(ClaimTest, WaitsLongerThanTheLongestPauseThatWasSeen) {
  others_.See(hpa_, Now());
  now_ += 180;
  UpstreamWrites();
  others_.See(hpa_, Now());
  EXPECT_FALSE(LookFor(270));
  EXPECT_TRUE(LookFor(5));
}

TEST_P(ClaimTest, ContinuesWhatAnEarlierRunHeld) {
  LookFor(63);
  ASSERT_TRUE(Look());
  claim_ = Claim();
  EXPECT_FALSE(Look());
  EXPECT_TRUE(wrote_);
  EXPECT_TRUE(Look());
  EXPECT_TRUE(claim_.TakeBegun());
  EXPECT_FALSE(wrote_);
}

// What the watch says was so: another controller is at work meanwhile, or the HPA another one.
TEST_P(ClaimTest, ContinuesNothingThatTheServerDoesNotConfirm) {
  LookFor(63);
  ASSERT_TRUE(Look());
  const api::Autoscaler before = hpa_;
  UpstreamWrites();
  const api::Autoscaler after = std::exchange(hpa_, before);
  claim_ = Claim();
  EXPECT_FALSE(CarryOutLate(after));
  EXPECT_FALSE(Look());
  EXPECT_FALSE(wrote_);
  hpa_ = after;
  EXPECT_FALSE(LookFor(60));
  EXPECT_FALSE(claim_.TakeBegun());
}

TEST_P(ClaimTest, WaitsAnewForAClaimOfAnEarlierRun) {
  LookFor(40);
  claim_ = Claim();
  EXPECT_FALSE(LookFor(60));
  EXPECT_TRUE(LookFor(3));
}

TEST_P(ClaimTest, JudgesNothingUntilTheWatchHasItsOwnWrites) {
  now_ = 1;
  const api::Autoscaler before = hpa_;
  Look();
  now_ += 100;
  hpa_ = before;
  EXPECT_FALSE(Look());
  EXPECT_FALSE(wrote_);
  EXPECT_EQ(Why(), "");
}

// An older state of the cluster was restored, whose versions are lower ones.
TEST_P(ClaimTest, BeginsAnewWhereVersionsWereSetBack) {
  LookFor(63);
  ASSERT_TRUE(Look());
  version_ = 1;
  UpstreamWrites();
  claim_.Conflicted("99");
  EXPECT_FALSE(LookFor(200));
  EXPECT_FALSE(wrote_);
  EXPECT_FALSE(LookFor(110));
  EXPECT_THAT(Why(), HasSubstr("AnotherController"));
  EXPECT_TRUE(LookFor(130));
}

TEST_P(ClaimTest, NamesWhatKeepsItFromManaging) {
  const ManageBlocker owner{"HasOwner", "it belongs to somebody"};
  LookFor(63);
  ASSERT_TRUE(Look());
  EXPECT_FALSE(Look(owner));
  EXPECT_EQ(Why(), "HasOwner: it belongs to somebody");
  EXPECT_FALSE(hpa_.status.observed_generation);
  EXPECT_FALSE(Look(owner));
  EXPECT_FALSE(wrote_);
  EXPECT_EQ(events_, std::vector<std::string>{"HasOwner"});
  EXPECT_FALSE(LookFor(60));
  EXPECT_TRUE(LookFor(4));
  EXPECT_EQ(Why(), "");
}

TEST_P(ClaimTest, WritesNothingWhereItMayNot) {
  EXPECT_FALSE(Look(ManageBlocker{"NamespaceNotAllowed", "not here", false}));
  EXPECT_FALSE(wrote_);
  EXPECT_EQ(events_, std::vector<std::string>{"NamespaceNotAllowed"});
}

TEST_P(ClaimTest, RemovesItsMarksWhenItLeaves) {
  LookFor(63);
  ASSERT_TRUE(Look());
  EXPECT_FALSE(Leave());
  EXPECT_TRUE(wrote_);
  EXPECT_FALSE(hpa_.status.observed_generation);
  EXPECT_EQ(events_, std::vector<std::string>{"Released"});
  EXPECT_FALSE(Leave());
  EXPECT_FALSE(wrote_);
  UpstreamWrites();
  EXPECT_FALSE(Leave());
  EXPECT_FALSE(wrote_);
}

// The write may have been dropped, or its answer: what it would have meant counts for no later one.
TEST_P(ClaimTest, IsNotMistakenByAnAnswerThatNeverCame) {
  LookFor(63);
  claim_ = Claim();
  EXPECT_TRUE(claim_.Take(hpa_, {{}, "", false, others_}, Now(), kPeriod).confirms);
  UpstreamWrites();
  EXPECT_FALSE(LookFor(30)) << "it has claimed it, and no more";
  EXPECT_TRUE(LookFor(40));
}

TEST_P(ClaimTest, HoldsWhatItHeldThoughNoAnswerCame) {
  LookFor(60);
  ++now_;
  const auto action = claim_.Take(hpa_, {{}, "", false, others_}, Now(), kPeriod);
  ASSERT_TRUE(action.write);
  Apply(action.write->merge_patch);
  EXPECT_TRUE(LookFor(2)) << "nobody else wrote";
  EXPECT_THAT(events_, IsEmpty());
}

// Its status is then of before Ballast's last write, which nobody has undone.
TEST_P(ClaimTest, SaysThatTheWatchIsBehindAlsoWhenItLeaves) {
  LookFor(63);
  ASSERT_TRUE(Look());
  const Claim::ClaimAction action =
      claim_.Leave(hpa_, "observe", std::to_string(version_ + 1), Now());
  EXPECT_TRUE(action.behind);
  EXPECT_FALSE(action.write);
}

TEST_P(ClaimTest, TellsWhoScalesInsteadOfWhom) {
  LookFor(30);
  EXPECT_EQ(HandOver(), "");
  ASSERT_TRUE(LookFor(40));
  EXPECT_EQ(HandOver(), "kube-controller-manager -> ballast");
  EXPECT_EQ(HandOver(), "") << "once";
  claim_ = Claim();
  ASSERT_TRUE(LookFor(2));
  EXPECT_EQ(HandOver(), "") << "an earlier run or another replica held it";
  now_ += 3;
  UpstreamWrites();
  Look();
  EXPECT_EQ(HandOver(), "ballast -> kube-controller-manager");
  ASSERT_TRUE(LookFor(150));
  EXPECT_EQ(HandOver(), "kube-controller-manager -> ballast");
  Look(ManageBlocker{"HasOwner", "it belongs to somebody"});
  EXPECT_EQ(HandOver(), "ballast -> ");
  Look(ManageBlocker{"HasOwner", "it belongs to somebody"});
  EXPECT_EQ(HandOver(), "");
  ASSERT_TRUE(LookFor(70));
  EXPECT_EQ(HandOver(), " -> ballast");
  conflict_ = true;
  Leave();
  EXPECT_EQ(HandOver(), "ballast -> ");
  Leave();
  EXPECT_EQ(HandOver(), "") << "although its marks could not be removed yet";
}

}  // namespace
}  // namespace ballast::hpa
