#include "operator/os/subprocess.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <string>
#include <tuple>
#include <vector>

#include "tests/support/test_patience.h"

namespace ballast::os {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

Result<std::string> Shell(const std::string& script,
                          std::chrono::milliseconds deadline = support::Patience()) {
  return RunProgram({"sh", {"-c", script}, {{"BALLAST_TEST", "own"}, {"HOME", "changed"}}},
                    deadline);
}

TEST(RunProgram, GivesWhatItPrints) {
  EXPECT_EQ(Shell("printf 'a\\nb'").value(), "a\nb");
  EXPECT_EQ(Shell("").value(), "");
}

TEST(RunProgram, HasOurEnvironmentAndItsOwn) {
  EXPECT_EQ(Shell("echo $BALLAST_TEST $HOME $(env | grep -c ^HOME=) ${PATH:+path}").value(),
            "own changed 1 path\n");
}

TEST(RunProgram, HasNoInputAndNoFileOfOurs) {
  EXPECT_EQ(Shell("cat; ls /proc/self/fd | wc -l").value(), "4\n") << "0, 1, 2 and ls's own";
}

TEST(RunProgram, SaysHowItFailed) {
  struct Case {
    Result<std::string> run;
    Code code;
    const char* message;
  };
  const Case cases[] = {
      {Shell("exit 3"), Code::kUnavailable, "ended with status 3"},
      {Shell("kill -9 $$"), Code::kUnavailable, "was ended by signal 9"},
      {Shell("sleep 600", 50ms), Code::kTimeout, "did not end in time"},
      {Shell("exec >&-; sleep 600", 50ms), Code::kTimeout, "did not end in time"},
      {Shell("yes"), Code::kInvalid, "more than 1 MiB"},
      {RunProgram({"/nonexistent/plugin", {}, {}}, support::Patience()), Code::kNotFound,
       "cannot be run"},
  };
  for (const Case& c : cases) {
    ASSERT_FALSE(c.run.ok()) << c.message;
    EXPECT_EQ(c.run.error().code, c.code) << c.message;
    EXPECT_THAT(c.run.error().message, HasSubstr(c.message));
  }
}

TEST(RunToEnd, TellsHowItEnded) {
  const auto ended =
      RunToEnd({"sh", {"-c", "echo out; yes err 2>/dev/null | head -c 70000 >&2; exit 3"}, {}},
               support::Patience(), 4);
  ASSERT_TRUE(ended.ok()) << ended.error().message;
  EXPECT_EQ(ended->status, 3);
  EXPECT_EQ(ended->output, "out\n");
  EXPECT_EQ(ended->errors.size(), 65536U);
  EXPECT_THAT(ended->errors, testing::StartsWith("err\nerr\n"));
  EXPECT_EQ(RunToEnd({"echo", {"five"}, {}}, support::Patience(), 4).error().code, Code::kInvalid);
}

class RunningProgramTest : public testing::Test {
 protected:
  static auto Start(const std::string& script) {
    return RunningProgram::Start({"sh", {"-c", script}, {}}, StandardError::kKept).value();
  }
};

TEST_F(RunningProgramTest, GivesLineByLine) {
  const auto program = Start(
      "echo one; echo; head -c 200000 /dev/zero | tr '\\0' x; echo;"
      " printf 'no end'; echo error >&2; exit 3");
  std::vector<std::string> lines;
  for (;;) {
    const auto line = program->ReadLine(support::Patience(), 1'000'000).value();
    if (!line) {
      break;
    }
    lines.push_back(*line);
  }
  EXPECT_THAT(lines, testing::ElementsAre("one", "", std::string(200'000, 'x'), "no end"));
  const auto ended = program->AwaitEnd(support::Patience());
  ASSERT_TRUE(ended.ok()) << ended.error().message;
  EXPECT_EQ(std::tie(ended->status, ended->errors), std::tuple(3, "error\n"));
}

// The second line is printed only when the first has been read.
TEST_F(RunningProgramTest, GivesWhatThereIs) {
  const std::string fifo = testing::TempDir() + "running_" + std::to_string(getpid());
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  const auto program = Start("echo before; read line < '" + fifo + "'; echo after $line");
  EXPECT_EQ(program->ReadLine(support::Patience(), 100).value(), "before");
  std::ofstream(fifo) << "that\n";
  EXPECT_EQ(program->ReadLine(support::Patience(), 100).value(), "after that");
  unlink(fifo.c_str());
}

TEST_F(RunningProgramTest, RefusesALineWithoutEnd) {
  EXPECT_EQ(Start("yes | tr -d '\\n'")->ReadLine(support::Patience(), 1'000).error().code,
            Code::kInvalid);
  EXPECT_EQ(Start("sleep 600")->ReadLine(50ms, 9).error().code, Code::kTimeout);
}

TEST_F(RunningProgramTest, EndsWithItsOwner) {
  auto program = Start("echo $$; exec sleep 600");
  const int pid = std::stoi(*program->ReadLine(support::Patience(), 100).value());
  EXPECT_EQ(kill(pid, 0), 0);
  program.reset();
  EXPECT_EQ(kill(pid, 0), -1);
}

// A terminal's Ctrl-C goes to a process group, and what is not in it may not read.
TEST(RunToEnd, AnInteractiveProgramIsInOurProcessGroup) {
  const auto group = [](bool interactive) {
    return RunToEnd({"cut", {"-d", " ", "-f", "5", "/proc/self/stat"}, {}, interactive},
                    support::Patience(), 20)
        .value()
        .output;
  };
  EXPECT_EQ(group(true), std::to_string(getpgrp()) + "\n");
  EXPECT_NE(group(false), std::to_string(getpgrp()) + "\n");
  EXPECT_EQ(RunToEnd({"sleep", {"600"}, {}, true}, 50ms, 20).error().code, Code::kTimeout);
}

TEST(RunningProgram, HearsWhatIsSent) {
  const auto program =
      RunningProgram::Start({.command = "sh",
                             .args = {"-c", "read line; echo got $line; cat; echo end"},
                             .listens = true},
                            StandardError::kOurs)
          .value();
  const auto line = [&] { return program->ReadLine(support::Patience(), 100).value(); };
  ASSERT_TRUE(program->Send("one\n").ok());
  EXPECT_EQ(line(), "got one");
  ASSERT_TRUE(program->Send("two\n").ok());
  EXPECT_EQ(line(), "two");
  program->EndInput();
  EXPECT_EQ(line(), "end");
  EXPECT_EQ(line(), std::nullopt);
  EXPECT_EQ(program->AwaitEnd(support::Patience()).value().status, 0);
  EXPECT_EQ(program->Send("three\n").error().code, Code::kUnavailable);
}

TEST(RunningProgram, OneThatHasEndedHearsNothing) {
  const auto program =
      RunningProgram::Start({.command = "true", .listens = true}, StandardError::kOurs).value();
  EXPECT_EQ(program->AwaitEnd(support::Patience()).value().status, 0);
  EXPECT_EQ(program->Send("one\n").error().code, Code::kUnavailable);
}

}  // namespace
}  // namespace ballast::os
