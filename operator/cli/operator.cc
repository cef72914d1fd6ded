#include "operator/cli/commands.h"

#include <memory>

#include "operator/app/operator.h"
#include "operator/app/operator_options.h"
#include "operator/os/allocator.h"
#include "operator/os/signals.h"
#include "operator/process/log.h"

namespace ballast::cli {
namespace {

// Changes the level at run time, and logs that at any level.
void ChangeLevel(log::Level level) {
  log::SetLevel(log::Level::kInfo);
  log::Info("the log level changed", {{"to", log::Name(level)}});
  log::SetLevel(level);
}

Status Run(const app::OperatorOptions& options) {
  os::KeepTheHeapSmall();
  ASSIGN_OR_RETURN(const log::Level level, log::ParseLevel(options.log_level));
  ASSIGN_OR_RETURN(const log::LogFormat format, log::ParseFormat(options.log_format));
  log::SetLevel(level);
  log::SetFormat(format);
  // By signals and not over HTTP: HTTP clients are not authenticated, and a process that may send
  // signals could do worse.
  const os::Signals signals(
      {.usr1 = [] { ChangeLevel(log::Level::kDebug); }, .usr2 = [level] { ChangeLevel(level); }});
  ASSIGN_OR_RETURN(const std::unique_ptr<app::Operator> made, app::Operator::Make(options));
  return made->Run(signals.token());
}

}  // namespace

void AddOperator(flags::Command& program, ExitStatus& status) {
  auto options = std::make_shared<app::OperatorOptions>();
  auto& command = program.AddSubcommand("operator", "Run the controller until SIGTERM");
  app::AddOptions(command, *options);
  command.OnRun([options, &status] {
    if (const Status done = Run(*options); !done.ok()) {
      log::Error("the operator ends", {{"error", done.error().message}});
      status = ExitStatus::kFoundWrong;
    } else {
      log::Info("stopped");
    }
  });
}

}  // namespace ballast::cli
