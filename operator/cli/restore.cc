#include "store/sqlite/restore.h"

#include <cstdio>
#include <fstream>
#include <iostream>
#include <memory>
#include <string>

#include "operator/cli/commands.h"
#include "operator/cli/options.h"
#include "operator/cli/progress.h"
#include "store/sqlite/backup.h"

namespace ballast::cli {
namespace {

struct Options {
  std::string file;
  std::string store;
};

Result<std::string> RestoreFile(const std::string& file, const std::string& store) {
  const Progress progress(
      [&] { return ShareCopied(file, store::PartialOf(store::CopyFor(store))); });
  return store::Restore(file, store);
}

// Restores from standard input, by way of a file beside the store.
Result<std::string> RestoreInput(const std::string& store) {
  const std::string received = store + ".received";
  std::ofstream out(received, std::ios::binary | std::ios::trunc);
  out << std::cin.rdbuf();
  out.close();
  auto restored =
      out ? RestoreFile(received, store)
          : Result<std::string>(Error{Code::kUnavailable, received + ": could not be written"});
  (void)std::remove(received.c_str());
  return restored;
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
