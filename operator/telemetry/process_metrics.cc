#include "operator/telemetry/process_metrics.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <system_error>

namespace ballast::telemetry {
namespace {

// The fields of /proc/self/stat after the second, the program's name, which may contain anything.
struct Stat {
  double cpu_ticks = 0;
  double start_ticks = 0;  // since boot
  double virtual_bytes = 0;
  double resident_pages = 0;
  bool read = false;
};

Stat ReadStat() {
  std::ifstream file("/proc/self/stat");
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  std::istringstream fields(text.substr(std::min(text.rfind(')') + 1, text.size())));
  const std::vector<std::string> values((std::istream_iterator<std::string>(fields)), {});
  if (values.size() < 22) {
    return {};
  }
  const auto number = [&](std::size_t proc_field) { return std::stod(values[proc_field - 3]); };
  return {number(14) + number(15), number(22), number(23), number(24), true};
}

double BootTime() {
  std::ifstream file("/proc/stat");
  for (std::string word; file >> word;) {
    if (word == "btime") {
      double seconds = 0;
      file >> seconds;
      return seconds;
    }
  }
  return 0;
}

}  // namespace

void AddProcessMetrics(Registry& registry) {
  const auto gauge = [&](const std::string& name, const std::string& help) {
    return registry.Gauges("process_" + name, help).With({});
  };
  const Gauge virtual_memory = gauge("virtual_memory_bytes", "Virtual memory size in bytes.");
  const Gauge resident = gauge("resident_memory_bytes", "Resident memory size in bytes.");
  const Gauge open = gauge("open_fds", "Number of open file descriptors.");
  const Gauge most = gauge("max_fds", "Maximum number of open file descriptors.");
  const Gauge started =
      gauge("start_time_seconds", "Start time of the process since unix epoch in seconds.");
  const Counter cpu =
      registry
          .Counters("process_cpu_seconds_total", "Total user and system CPU time spent in seconds.")
          .With({});
  const double ticks = static_cast<double>(sysconf(_SC_CLK_TCK));
  const double page = static_cast<double>(sysconf(_SC_PAGESIZE));
  started.Set(BootTime() + ReadStat().start_ticks / ticks);
  registry.BeforePrint(
      [=, told = std::make_shared<double>(0), turn = std::make_shared<std::mutex>()] {
        if (const Stat stat = ReadStat(); stat.read) {
          virtual_memory.Set(stat.virtual_bytes);
          resident.Set(stat.resident_pages * page);
          const std::lock_guard lock(*turn);
          cpu.Add(stat.cpu_ticks / ticks - *told);
          *told = stat.cpu_ticks / ticks;
        }
        std::error_code problem;
        const std::filesystem::directory_iterator files("/proc/self/fd", problem);
        if (!problem) {
          open.Set(static_cast<double>(std::distance(begin(files), end(files))));
        }
        struct rlimit limit {};
        if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
          most.Set(static_cast<double>(limit.rlim_cur));
        }
      });
}

}  // namespace ballast::telemetry
