#include "operator/session/read_back.h"

#include <gtest/gtest.h>

namespace ballast::session {
namespace {

using Kind = engine::Outcome::Kind;

TEST(ReadBack, JudgesByUidReplicasAndWhoSetThem) {
  const api::ScaleChange change{.uid = "u1", .from = 3, .to = 5};
  const api::FieldManager ours{"ballast", Time(999, 0)};
  const api::FieldManager theirs{"kubectl", Time(1'001, 0)};
  const api::FieldManager back{"kubectl", Time(1'005, 0)};
  const Time later(1'002, 0);
  const struct {
    const char* name;
    std::string uid;
    std::int32_t replicas;
    std::optional<api::FieldManager> manager;
    std::optional<Kind> early;  // while it may still arrive
    Kind late;
    Time began = Time(1'000, 0);
  } kCases[] = {
      {"landed", "u1", 5, ours, Kind::kWritten, Kind::kWritten},
      {"did not arrive", "u1", 3, ours, std::nullopt, Kind::kFailed},
      {"did not arrive, manager not known", "u1", 3, {}, std::nullopt, Kind::kFailed},
      {"landed, and set back", "u1", 3, theirs, std::nullopt, Kind::kUnknown},
      {"did not arrive, theirs before", "u1", 3, theirs, std::nullopt, Kind::kFailed, later},
      {"theirs before, and set back", "u1", 3, back, std::nullopt, Kind::kUnknown, later},
      {"landed, manager not known", "u1", 5, {}, Kind::kWritten, Kind::kWritten},
      {"somebody else, manager not known", "u1", 9, {}, Kind::kUnknown, Kind::kUnknown},
      {"somebody else since", "u1", 5, theirs, Kind::kUnknown, Kind::kUnknown},
      {"somebody else since, another count", "u1", 9, theirs, Kind::kUnknown, Kind::kUnknown},
      {"another object", "u2", 5, ours, Kind::kUnknown, Kind::kUnknown},
  };
  for (const auto& c : kCases) {
    api::Scale scale{.spec_replicas = c.replicas};
    scale.metadata.uid = c.uid;
    const auto early = Judge(scale, c.manager, change, c.began, true);
    EXPECT_EQ(early ? std::optional(early->kind) : std::nullopt, c.early) << c.name;
    EXPECT_EQ(Judge(scale, c.manager, change, c.began, false)->kind, c.late) << c.name;
  }
}

}  // namespace
}  // namespace ballast::session
