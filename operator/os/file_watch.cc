#include "operator/os/file_watch.h"

#include <poll.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <utility>

namespace ballast::os {
namespace {

using std::chrono::steady_clock;

constexpr std::uint32_t kChanges = IN_MODIFY | IN_CREATE | IN_MOVED_TO | IN_DELETE;

}  // namespace

Result<FileWatch> FileWatch::Of(const std::string& path, const std::string& suffix) {
  std::error_code none;
  const auto file = std::filesystem::canonical(path, none);
  if (none) {
    return Error{Code::kNotFound, path + ": " + none.message()};
  }
  const int descriptor = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
  if (descriptor < 0 || inotify_add_watch(descriptor, file.parent_path().c_str(), kChanges) < 0) {
    const std::string why = std::strerror(errno);
    if (descriptor >= 0) {
      close(descriptor);
    }
    return Error{Code::kUnavailable, path + " cannot be watched for changes: " + why};
  }
  return FileWatch(descriptor, file.filename(), suffix);
}

FileWatch::FileWatch(int descriptor, std::string name, std::string suffix)
    : descriptor_(descriptor), name_(std::move(name)), suffix_(std::move(suffix)) {}

FileWatch::FileWatch(FileWatch&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)),
      name_(std::move(other.name_)),
      suffix_(std::move(other.suffix_)) {}

FileWatch::~FileWatch() {
  if (descriptor_ >= 0) {
    close(descriptor_);
  }
}

FileWatch::Wake FileWatch::Wait(std::optional<Duration> timeout, int output) {
  const auto end =
      timeout ? std::optional(steady_clock::now() + std::chrono::nanoseconds(timeout->nanoseconds))
              : std::nullopt;
  for (;;) {
    int millis = -1;
    if (end) {
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(*end - steady_clock::now());
      millis = static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, 1'000'000));
    }
    // No event is asked of the output: an error is reported all the same.
    std::array<pollfd, 2> ready = {{{descriptor_, POLLIN, 0}, {output, 0, 0}}};
    const int count = poll(ready.data(), ready.size(), millis);
    if (count > 0 && (ready[1].revents & POLLERR) != 0) {
      return Wake::kNoReader;
    }
    if (count > 0 && Drain()) {
      return Wake::kChanged;
    }
    if (count == 0 && end && steady_clock::now() >= *end) {
      return Wake::kTimeout;
    }
  }
}

bool FileWatch::Drain() {
  bool ours = false;
  alignas(inotify_event) std::array<char, 4096> buffer{};
  for (;;) {
    const ssize_t size = read(descriptor_, buffer.data(), buffer.size());
    if (size <= 0) {
      return ours;
    }
    for (std::size_t at = 0; at < static_cast<std::size_t>(size);) {
      const auto* const event = reinterpret_cast<const inotify_event*>(buffer.data() + at);
      const std::string name = event->len > 0 ? event->name : "";
      // Of an overflow it is not known what it is about.
      ours = ours || (event->mask & IN_Q_OVERFLOW) != 0 || name == name_ || name == name_ + suffix_;
      at += sizeof(inotify_event) + event->len;
    }
  }
}

}  // namespace ballast::os
