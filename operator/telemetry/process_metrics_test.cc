#include "operator/telemetry/process_metrics.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <ctime>

namespace ballast::telemetry {
namespace {

double Value(const std::string& text, const std::string& name) {
  const auto at = text.find("\n" + name + " ");
  return at == std::string::npos ? -1 : std::atof(text.c_str() + at + name.size() + 2);
}

TEST(ProcessMetrics, AreThoseOfThisProcess) {
  Registry registry;
  AddProcessMetrics(registry);
  const std::string text = registry.Print();
  EXPECT_GT(Value(text, "process_resident_memory_bytes"), 1e5);
  EXPECT_GE(Value(text, "process_virtual_memory_bytes"),
            Value(text, "process_resident_memory_bytes"));
  EXPECT_GE(Value(text, "process_open_fds"), 3);
  EXPECT_GE(Value(text, "process_max_fds"), Value(text, "process_open_fds"));
  const double now =
      std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
  EXPECT_NEAR(Value(text, "process_start_time_seconds"), now, 600);
  const double cpu = Value(text, "process_cpu_seconds_total");
  EXPECT_GE(cpu, 0);
  const std::clock_t begun = std::clock();
  while (std::clock() - begun < CLOCKS_PER_SEC / 20) {  // five ticks of the kernel's clock
  }
  EXPECT_GT(Value(registry.Print(), "process_cpu_seconds_total"), cpu) << "it goes on counting";
}

}  // namespace
}  // namespace ballast::telemetry
