#include "api/base/boxed.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace ballast {
namespace {

struct Part {
  std::string name;
  int size = 0;
};

TEST(Boxed, IsAbsentUntilItHasAValue) {
  Boxed<Part> part;
  EXPECT_FALSE(part.has_value());
  part = {"web", 3};
  ASSERT_TRUE(part);
  EXPECT_EQ(part->name, "web");
  part.reset();
  EXPECT_FALSE(part);
  EXPECT_EQ(part.emplace().size, 0);
}

TEST(Boxed, IsCopiedAsAValue) {
  Boxed<Part> part = Part{"web", 3};
  Boxed<Part> copy = part;
  copy->size = 4;
  EXPECT_EQ(part->size, 3);
  copy = part;
  EXPECT_EQ(copy->size, 3);
  part = std::nullopt;
  EXPECT_TRUE(copy.has_value());
  EXPECT_FALSE(Boxed<Part>(part).has_value());
}

TEST(Boxed, IsMovedWithoutACopy) {
  Boxed<Part> part = Part{"web", 3};
  const Part* address = &*part;
  const Boxed<Part> moved = std::move(part);
  EXPECT_EQ(&*moved, address);
}

TEST(Boxed, TakesAPointerIfItIsAbsent) { EXPECT_EQ(sizeof(Boxed<Part>), sizeof(void*)); }

}  // namespace
}  // namespace ballast
