#include "operator/cli/commands.h"

#include <array>
#include <csignal>
#include <fstream>
#include <iostream>
#include <memory>
#include <string>

#include "operator/cli/options.h"
#include "operator/cli/terminal/progress.h"
#include "store/sqlite/backup.h"
#include "store/sqlite/partial_files.h"

namespace ballast::cli {
namespace {

struct Options {
  std::string file;
  std::string store;
};

// Writes to standard output. A reader that goes away is an error, not a SIGPIPE.
Status Stream(const std::string& store) {
  std::signal(SIGPIPE, SIG_IGN);
  ASSIGN_OR_RETURN(std::ifstream copy, store::OpenCopy(store));
  std::array<char, 65'536> block{};
  while (std::cout && copy) {
    copy.read(block.data(), block.size());
    std::cout.write(block.data(), copy.gcount());
  }
  std::cout.flush();
  return std::cout ? Status(Done{})
                   : Error{Code::kUnavailable, "standard output could not be written"};
}

Status Copy(const Options& options) {
  const Progress progress(
      [&] { return ShareCopied(options.store, store::PartialOf(options.file)); });
  return store::BackUp(options.store, options.file);
}

ExitStatus Run(const Options& options) {
  const Status done = options.file == "-" ? Stream(options.store) : Copy(options);
  if (!done.ok()) {
    return Refuse("backup", done.error().message);
  }
  return ExitStatus::kDone;
}

}  // namespace

void AddBackup(flags::Command& program, ExitStatus& status) {
  auto& command = program.AddSubcommand(
      "backup", "Copy the operator's store to a new file, while the operator writes it");
  const auto options = std::make_shared<Options>();
  command.AddOption("FILE", options->file, "The new file; - is standard output").Required();
  AddStore(command, options->store);
  command.OnRun([options, &status] { status = Run(*options); });
}

}  // namespace ballast::cli
