#include "operator/cli/commands.h"

#include <fstream>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "operator/explain/decision_stream.h"

namespace ballast::cli {
namespace {

// Prints lines in blocks of 64 KiB, one write each.
class Printer {
 public:
  ~Printer() { Flush(); }

  void Print(const std::string& line) {
    buffer_ += line;
    buffer_ += '\n';
    if (buffer_.size() >= kBlock) {
      Flush();
    }
  }

  void Flush() {
    std::cout << buffer_ << std::flush;
    buffer_.clear();
  }

 private:
  static constexpr std::size_t kBlock = 64 * 1024;
  std::string buffer_;
};

void AnswerAll(std::istream& in, explain::DecisionStream& stream, Printer& printer) {
  std::string line;
  while (std::getline(in, line)) {
    printer.Print(stream.Answer(line));
  }
}

ExitStatus Run(const std::vector<std::string>& files, engine::Tracing tracing) {
  explain::DecisionStream stream(tracing);
  Printer printer;
  if (files.empty()) {
    std::ios::sync_with_stdio(false);
    AnswerAll(std::cin, stream, printer);
  }
  for (const std::string& file : files) {
    std::ifstream in(file, std::ios::binary);
    if (!in) {
      printer.Flush();
      return Refuse("decide", "cannot read " + file);
    }
    AnswerAll(in, stream, printer);
  }
  return stream.found_wrong() ? ExitStatus::kFoundWrong : ExitStatus::kDone;
}

struct Options {
  std::vector<std::string> files;
  bool trace = true;
};

}  // namespace

void AddDecide(flags::Command& program, ExitStatus& status) {
  auto& command = program.AddSubcommand(
      "decide", "Answer snapshots (one JSON value a line) with the decisions they lead to");
  const auto options = std::make_shared<Options>();
  command.AddOption("FILE", options->files, "Files with snapshots; standard input when none");
  command.AddFlag("--trace,!--no-trace", options->trace,
                  "Tell the steps that led to each decision (default)");
  command.OnRun([options, &status] {
    status = Run(options->files, options->trace ? engine::Tracing::kOn : engine::Tracing::kOff);
  });
}

}  // namespace ballast::cli
