#include "operator/controllers/read_back.h"

#include <gtest/gtest.h>

namespace ballast::controllers {
namespace {

using Kind = engine::Outcome::Kind;

TEST(ReadBack, JudgesByUidReplicasAndWhoSetThem) {
  const kube::ScaleChange change{.uid = "u1", .from = 3, .to = 5};
  const Time since(1'000, 700'000'000);
  const api::FieldManager before{"ballast", Time(999, 0)};
  const api::FieldManager ours{"ballast", Time(1'000, 0)};  // managedFields has whole seconds
  const api::FieldManager theirs{"kubectl", Time(1'001, 0)};
  const struct {
    const char* name;
    std::string uid;
    std::int32_t replicas;
    std::optional<api::FieldManager> manager;
    Kind want;
  } kCases[] = {
      {"landed", "u1", 5, ours, Kind::kWritten},
      {"did not arrive", "u1", 3, before, Kind::kFailed},
      {"nobody ever set them", "u1", 3, std::nullopt, Kind::kFailed},
      {"same count, but from before", "u1", 5, before, Kind::kFailed},
      {"an earlier write in the same second", "u1", 3, ours, Kind::kFailed},
      {"somebody else since", "u1", 5, theirs, Kind::kUnknown},
      {"somebody else since, another count", "u1", 9, theirs, Kind::kUnknown},
      {"another object", "u2", 5, ours, Kind::kUnknown},
  };
  for (const auto& c : kCases) {
    api::Scale scale{.spec_replicas = c.replicas, .replicas_manager = c.manager};
    scale.metadata.uid = c.uid;
    EXPECT_EQ(Judge(scale, change, since).kind, c.want) << c.name;
  }
}

}  // namespace
}  // namespace ballast::controllers
