#include "api/base/invariant.h"

#include <gtest/gtest.h>

namespace ballast {
namespace {

TEST(Invariant, EndsWhatIsUnderWay) {
  const int three = 3;
  INVARIANT(three == 3);
#ifdef NDEBUG
  EXPECT_THROW(INVARIANT(three == 4), std::logic_error);
#else
  EXPECT_DEATH(INVARIANT(three == 4), "three == 4");
#endif
}

}  // namespace
}  // namespace ballast
