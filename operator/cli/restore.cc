#include "store/sqlite/restore.h"

#include <unistd.h>

#include <csignal>
#include <fstream>
#include <iostream>
#include <memory>
#include <string>

#include "operator/cli/commands.h"
#include "operator/cli/options.h"
#include "operator/cli/progress.h"
#include "store/sqlite/files.h"
#include "store/sqlite/partial_files.h"

namespace ballast::cli {
namespace {

struct Options {
  std::string file;
  std::string store;
};

Result<std::string> RestoreFile(const std::string& file, const std::string& store) {
  const Progress progress([&] { return ShareCopied(file, store::PartialOf(store)); });
  return store::Restore(file, store);
}

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

Status Receive(const std::string& received) {
  const Progress progress([&] { return SizeOf(received) + " received"; });
  std::ofstream out(received, std::ios::binary | std::ios::trunc);
  out << std::cin.rdbuf();
  out.close();
  return out ? Status(Done{}) : Error{Code::kUnavailable, received + ": could not be written"};
}

// Restores from standard input, by way of a file beside the store.
Result<std::string> RestoreInput(const std::string& store) {
  // What would be in the way is noticed before all has been received.
  TRY(store::FileLock::Take(store));
  if (std::cin.peek() == std::istream::traits_type::eof()) {
    return Error{Code::kInvalid, "standard input is empty"};
  }
  const std::string received = store::PartialOf(store + ".received");
  const TemporaryFile file(received);
  TRY(Receive(received));
  return RestoreFile(received, store);
}

ExitStatus Run(const Options& options) {
  const auto former =
      options.file == "-" ? RestoreInput(options.store) : RestoreFile(options.file, options.store);
  if (!former.ok()) {
    return Refuse("restore", former.error().message);
  }
  std::cout << options.store << " is restored"
            << (former->empty() ? "" : "; what it was is now " + *former) << "\n";
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
