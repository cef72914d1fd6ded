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
#include "operator/cli/terminal/progress.h"
#include "store/sqlite/partial_files.h"

namespace ballast::cli {
namespace {

struct Options {
  std::string file;
  std::string store;
  bool at_start = false;
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
  const store::RestoreOptions how{options.at_start, [&](const store::Room& room) {
                                    all = room.needed;
                                    std::cerr << "the copy " << store::Describe(room) << "\n";
                                  }};
  const TemporaryFile file(copy);
  const Progress progress([&] { return all == 0 ? "waiting" : ShareWritten(copy, all); });
  return options.file == "-" ? store::Restore(std::cin, "standard input", options.store, how)
                             : store::Restore(options.file, options.store, how);
}

ExitStatus Run(const Options& options) {
  const auto restored = Restore(options);
  if (!restored.ok()) {
    const bool open = restored.error().code == Code::kConflict;
    return Refuse("restore",
                  restored.error().message +
                      (open ? "; with --at-start it takes the copy when it starts next" : ""));
  }
  std::cout << options.store
            << (options.at_start ? " will be restored when the operator starts next"
                                 : " is restored");
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
      "Put a copy that backup made in the place of the store, which no operator may have open");
  const auto options = std::make_shared<Options>();
  command.AddOption("FILE", options->file, "The copy; - is standard input").Required();
  AddStore(command, options->store);
  command.AddFlag("--at-start", options->at_start,
                  "Leave the copy beside the store, for the operator to put in its place when it "
                  "starts next; the operator may run");
  command.OnRun([options, &status] { status = Run(*options); });
}

}  // namespace ballast::cli
