#include "operator/cli/terminal/progress.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <mutex>
#include <stop_token>
#include <string_view>
#include <system_error>
#include <utility>

#include "operator/cli/terminal/one_line.h"

namespace ballast::cli {
namespace {

constexpr std::chrono::milliseconds kShort{1000};
constexpr std::chrono::milliseconds kPause{500};

// Back to the first column, and the line empty from there.
constexpr std::string_view kClear = "\r\x1b[K";

void Write(int output, const std::string& text) {
  [[maybe_unused]] const ssize_t written = write(output, text.data(), text.size());
}

void Tell(const std::stop_token& stop, const std::function<std::string()>& state, int output) {
  std::mutex mutex;
  std::condition_variable_any stopped;
  std::unique_lock lock(mutex);
  const auto ended = [&](std::chrono::milliseconds pause) {
    return stopped.wait_for(lock, stop, pause, [&] { return stop.stop_requested(); });
  };
  if (ended(kShort)) {
    return;
  }
  do {
    Write(output, std::string(kClear) + OneLine(state()));
  } while (!ended(kPause));
  Write(output, std::string(kClear));
}

}  // namespace

Progress::Progress(std::function<std::string()> state, int output) {
  if (isatty(output) == 1) {
    thread_ = std::jthread([state = std::move(state), output](const std::stop_token& stop) {
      Tell(stop, state, output);
    });
  }
}

Progress DecisionsSoFar(const std::atomic<std::int64_t>& count) {
  return isatty(STDOUT_FILENO) == 1
             ? Progress()
             : Progress([&count] { return std::to_string(count) + " decisions so far"; });
}

std::string ShareOf(std::uintmax_t done, std::uintmax_t all) {
  constexpr std::uintmax_t kMegabyte = 1'000'000;
  const std::uintmax_t percent = all == 0 ? 100 : std::min(done, all) * 100 / all;
  return std::to_string(percent) + "% of " + std::to_string((all + kMegabyte - 1) / kMegabyte) +
         " MB";
}

std::string ShareWritten(const std::string& path, std::uintmax_t all) {
  std::error_code none;
  const std::uintmax_t size = std::filesystem::file_size(path, none);
  return ShareOf(none ? 0 : size, all);
}

std::string ShareCopied(const std::string& from, const std::string& to) {
  std::error_code none;
  const std::uintmax_t all = std::filesystem::file_size(from, none);
  return ShareWritten(to, none ? 0 : all);
}

}  // namespace ballast::cli
