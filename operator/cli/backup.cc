#include "operator/cli/backup.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <string>

#include "operator/cli/options.h"
#include "store/backup.h"

namespace ballast::cli {
namespace {

struct Options {
  std::string file;
  std::string store;
};

// To standard output, by way of a file beside the store: SQLite writes a copy in no particular
// order.
Status Stream(const std::string& store) {
  const std::string copy = store + ".backup-" + std::to_string(getpid());
  TRY(store::BackUp(store, copy));
  {
    std::ifstream in(copy, std::ios::binary);
    std::cout << in.rdbuf() << std::flush;
  }
  std::error_code ignored;
  std::filesystem::remove(copy, ignored);
  return std::cout ? Status(Done{})
                   : Error{Code::kUnavailable, "standard output could not be written"};
}

ExitStatus Run(const Options& options) {
  const Status done =
      options.file == "-" ? Stream(options.store) : store::BackUp(options.store, options.file);
  if (!done.ok()) {
    return Refuse("backup", done.error().message);
  }
  return ExitStatus::kDone;
}

}  // namespace

void AddBackup(CLI::App& program, ExitStatus& status) {
  auto* command = program.add_subcommand(
      "backup", "Copy the operator's store to a new file, while the operator writes it");
  const auto options = std::make_shared<Options>();
  command->add_option("FILE", options->file, "The new file; - is standard output")->required();
  AddStore(*command, options->store);
  command->callback([options, &status] { status = Run(*options); });
}

}  // namespace ballast::cli
