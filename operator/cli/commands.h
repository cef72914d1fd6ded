// The subcommands of `ballast`. Each adds itself with its options to the program; its callback does
// the work and sets the status.
//
// Thread-safety: used by main's thread only. They cannot fail: what goes wrong is said on standard
// error, and in the status.
#pragma once

#include "operator/cli/command.h"

namespace ballast::cli {

// A copy of the ledger, made while the operator writes it.
void AddBackup(CLI::App& program, ExitStatus& status);
// The CustomResourceDefinition of AutoScalePolicy.
void AddCrd(CLI::App& program, ExitStatus& status);
// Snapshots in, decisions out, one JSON value a line.
void AddDecide(CLI::App& program, ExitStatus& status);
// The objects with every default filled in, as the API server stores them.
void AddDefault(CLI::App& program, ExitStatus& status);
// What the ledger has of each decision, one JSON object a line.
void AddExport(CLI::App& program, ExitStatus& status);
// What was decided, when, and what became of it.
void AddHistory(CLI::App& program, ExitStatus& status);
// The controller itself, until it is told to stop. A library of its own (operator_command): the
// others need no network code.
void AddOperator(CLI::App& program, ExitStatus& status);
// The recorded inputs once more, through the present engine or a changed policy.
void AddReplay(CLI::App& program, ExitStatus& status);
// Would these autoscalers be accepted, and if not, why?
void AddValidate(CLI::App& program, ExitStatus& status);
// Why an autoscaler had as many replicas as it had.
void AddWhy(CLI::App& program, ExitStatus& status);

}  // namespace ballast::cli
