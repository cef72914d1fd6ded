#include "store/sqlite/restore.h"

#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdint>
#include <iostream>
#include <memory>
#include <string>

#include "operator/cli/commands.h"
#include "operator/cli/options.h"
#include "operator/cli/progress.h"
#include "store/sqlite/partial_files.h"

namespace ballast::cli {
namespace {

struct Options {
  std::string file;
  std::string store;
};

// Removes a file, also if a signal ends the process meanwhile. There is one at a time.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& path) {
    path_ = path;
    struct sigaction action {};
    action.sa_handler = [](int signal) {
      unlink(path_.c_str());
      _exit(128 + signal);  // as a shell says it; to raise it ends no container's first process
    };
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
      sigaction(signal, &action, nullptr);
    }
  }
  ~TemporaryFile() {
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
      std::signal(signal, SIG_DFL);
    }
    unlink(path_.c_str());
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

 private:
  static std::string path_;
};
std::string TemporaryFile::path_;

Result<store::Restored> Restore(const Options& options) {
  const std::string copy = store::OwnPartialOf(options.store);
  std::atomic<std::uintmax_t> all = 0;
  const auto tell = [&](const store::Room& room) {
    all = room.needed;
    std::cerr << "the copy " << store::Describe(room) << "\n";
  };
  const TemporaryFile file(copy);
  const Progress progress([&] { return all == 0 ? "waiting" : ShareWritten(copy, all); });
  return options.file == "-" ? store::Restore(std::cin, "standard input", options.store, tell)
                             : store::Restore(options.file, options.store, tell);
}

ExitStatus Run(const Options& options) {
  const auto restored = Restore(options);
  if (!restored.ok()) {
    return Refuse("restore", restored.error().message);
  }
  std::cout << options.store << " is restored";
  if (restored->removed) {
    std::cout << "; what it was is removed, since it did not fit beside it";
  } else if (!restored->former.empty()) {
    std::cout << "; what it was is now " << restored->former;
  }
  std::cout << "\n";
  return ExitStatus::kDone;
}

}  // namespace

void AddRestore(flags::Command& program, ExitStatus& status) {
  auto& command = program.AddSubcommand(
      "restore",
      "Put a copy that backup made in the place of the store; no operator may run on it");
  const auto options = std::make_shared<Options>();
  command.AddOption("FILE", options->file, "The copy; - is standard input").Required();
  AddStore(command, options->store);
  command.OnRun([options, &status] { status = Run(*options); });
}

}  // namespace ballast::cli
