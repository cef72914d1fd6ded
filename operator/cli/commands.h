// The subcommands of `ballast`. Each function adds its subcommand and options to the program; the
// subcommand's callback does the work and sets `status`.
//
// Thread-safety: main thread only.
// Errors: none returned; the callbacks report problems on standard error and in `status`.
#pragma once

#include "operator/cli/command.h"

namespace ballast::cli {

// Prints a policy for a workload, or applies it. This one, check, get, metrics, the
// overrides, pause and resume are in cluster/, a library of its own (cluster_commands), as they
// need network code.
void AddAutoscale(flags::Command& program, ExitStatus& status);
// Copies the ledger while the operator writes it.
void AddBackup(flags::Command& program, ExitStatus& status);
// Checks whether an installation works, and says what is in its way.
void AddCheck(flags::Command& program, ExitStatus& status);
// Prints what may come next on a command line; hidden, for the scripts of the next one. In
// cluster/.
void AddComplete(flags::Command& program, ExitStatus& status);
// Prints a script that makes a shell complete command lines.
void AddCompletion(flags::Command& program, ExitStatus& status);
// Prints AutoScalePolicies made of HorizontalPodAutoscalers and of KEDA's ScaledObjects.
void AddConvert(flags::Command& program, ExitStatus& status);
// Prints the CustomResourceDefinitions.
void AddCrd(flags::Command& program, ExitStatus& status);
// Reads snapshots and prints decisions, one JSON value a line.
void AddDecide(flags::Command& program, ExitStatus& status);
// Prints objects with all defaults filled in, as the API server stores them.
void AddDefault(flags::Command& program, ExitStatus& status);
// Prints what the ledger has of each decision, one JSON object a line.
void AddExport(flags::Command& program, ExitStatus& status);
// Prints the cluster's autoscalers, and whether they work.
void AddGet(flags::Command& program, ExitStatus& status);
// Prints the decisions, their times and outcomes.
void AddHistory(flags::Command& program, ExitStatus& status);
// Answers questions about the ledger; hidden, for the four that ask the pods.
void AddHistoryServer(flags::Command& program, ExitStatus& status);
// Changes the level of what a running operator logs.
void AddLoglevel(flags::Command& program, ExitStatus& status);
// Runs the controller until SIGTERM or SIGINT. A library of its own (operator_command), because the
// others need no network code.
void AddOperator(flags::Command& program, ExitStatus& status);
// Asks the metrics of an autoscaler, and prints what each of them says.
void AddMetrics(flags::Command& program, ExitStatus& status);
// Make overrides of one type each: pin, floor, ceiling, hold.
void AddOverrideMakers(flags::Command& program, ExitStatus& status);
// Ends an override.
void AddOverride(flags::Command& program, ExitStatus& status);
// Prints the overrides.
void AddOverrides(flags::Command& program, ExitStatus& status);
// Keeps an autoscaler from scaling for some time, and ends that.
void AddPause(flags::Command& program, ExitStatus& status);
void AddResume(flags::Command& program, ExitStatus& status);
// Puts a copy of the ledger in its place.
void AddRestore(flags::Command& program, ExitStatus& status);
// Runs the recorded inputs again, through this engine or with a changed policy.
void AddReplay(flags::Command& program, ExitStatus& status);
// Shows when the schedules of a policy change its bounds. In cluster/.
void AddSchedule(flags::Command& program, ExitStatus& status);
// Checks whether autoscalers would be accepted, and says why not.
void AddValidate(flags::Command& program, ExitStatus& status);
// Prints which program this is.
void AddVersion(flags::Command& program, ExitStatus& status);
// Explains an autoscaler's replica count at some moment.
void AddWhy(flags::Command& program, ExitStatus& status);

}  // namespace ballast::cli
