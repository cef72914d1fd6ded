#include "operator/os/thread_name.h"

#include <gtest/gtest.h>

#include <fstream>
#include <thread>

namespace ballast::os {
namespace {

// The calling thread's name as the kernel has it.
std::string Comm() {
  std::string name;
  std::getline(std::ifstream("/proc/thread-self/comm"), name);
  return name;
}

TEST(ThreadName, IsCutToWhatTheKernelKeeps) {
  struct Row {
    const char* given;
    const char* kept;
  };
  for (const Row& row : {Row{"events", "events"}, Row{"exactly-fifteen", "exactly-fifteen"},
                         Row{"watch-horizontalpodautoscalers", "watch-horizonta"}}) {
    std::string seen;
    std::jthread([&] {
      NameThisThread(row.given);
      seen = Comm();
    }).join();
    EXPECT_EQ(seen, row.kept);
  }
}

TEST(ThreadName, IsLentToNewThreadsAlone) {
  const std::string own = Comm();
  std::string seen;
  std::jthread started;
  {
    const NameForNewThreads lent("library");
    started = std::jthread([&] { seen = Comm(); });
  }
  EXPECT_EQ(Comm(), own);
  started.join();
  EXPECT_EQ(seen, "library");
}

}  // namespace
}  // namespace ballast::os
