#include "operator/cli/ask_pods.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "operator/cli/selection.h"

namespace ballast::cli {
namespace {

TEST(ParsePods, FindsTheOperatorsAndTheirLedgers) {
  const auto pods = ParsePods(R"({"items": [
      {"metadata": {"name": "ballast-0", "namespace": "b"}, "status": {"phase": "Running"},
       "spec": {"containers": [{"name": "sidecar", "args": ["operator"]},
                               {"name": "ballast", "args": ["operator", "--store=/data/l.db"]}]}},
      {"metadata": {"name": "ballast-1", "namespace": "b"}, "status": {"phase": "Pending"},
       "spec": {"containers": [{"name": "ballast", "args": ["operator"]}]}},
      {"metadata": {"name": "evicted", "namespace": "b"}, "status": {"phase": "Failed"},
       "spec": {"containers": [{"name": "ballast", "args": ["operator"]}]}},
      {"metadata": {"name": "ballast-check", "namespace": "b"}, "status": {"phase": "Running"},
       "spec": {"containers": [{"name": "ballast", "args": ["check"]}]}}]})");
  ASSERT_TRUE(pods.ok()) << pods.error().message;
  std::vector<std::string> found;
  for (const Pod& pod : *pods) {
    found.push_back(pod.Print() + " " + pod.store);
  }
  EXPECT_THAT(found, testing::ElementsAre("b/ballast-0 /data/l.db",
                                          "b/ballast-1 /var/lib/ballast/ballast.db"));
}

TEST(ParsePods, RefusesWhatIsNotAList) {
  EXPECT_EQ(ParsePods("kubectl says no").error().code, Code::kInvalid);
  EXPECT_EQ(ParsePods("{}").error().message, "items: is required");
}

// A `kubectl` that answers as the one of Kubernetes does, by the pod's name.
constexpr const char* kKubectl = R"(#!/bin/sh
case "$3" in
  --minify) printf team ;;
  answers) echo "$@"; echo "3 earlier decisions are left out" >&2 ;;
  gap) echo before; echo "command terminated with exit code 1" >&2; exit 1 ;;
  standby) echo 'ballast why: nothing is recorded of "shop/web"' >&2
           echo "command terminated with exit code 2" >&2; exit 2 ;;
  rings) printf 'a\a\n' >&2; exit 1 ;;
  reads) cat "$0.fifo" ;;
  writes) echo hello > "$0.fifo"; echo written ;;
  damaged) echo "ballast why: the store is damaged" >&2
           echo "command terminated with exit code 2" >&2; exit 2 ;;
  *) echo "Error from server (Forbidden): no" >&2; exit 1 ;;
esac
)";

// A kubectl of that text comes first in $PATH.
class AskPodsTest : public ::testing::Test {
 protected:
  AskPodsTest() {
    std::filesystem::create_directories(folder_);
    std::ofstream(folder_ + "/kubectl") << kKubectl;
    std::filesystem::permissions(folder_ + "/kubectl", std::filesystem::perms::owner_all);
    setenv("PATH", (folder_ + ":" + path_).c_str(), 1);
  }
  ~AskPodsTest() override {
    setenv("PATH", path_.c_str(), 1);
    std::filesystem::remove_all(folder_);
  }

  const std::string& folder() const { return folder_; }

 private:
  const std::string folder_ = ::testing::TempDir() + "fake_kubectl_" + std::to_string(getpid());
  const std::string path_ = std::getenv("PATH");
};

TEST_F(AskPodsTest, PassesOnWhichAutoscalers) {
  const struct {
    AutoscalerChoice of;
    std::vector<std::string> words;
  } kCases[] = {{{}, {}},
                {{.namespace_ = "shop"}, {"--namespace=shop"}},
                {{.name = "shop/web"}, {"shop/web"}},
                {{.name = "web"}, {"web", "--namespace=team"}},
                {{.name = "asp/web"}, {"asp/web", "--namespace=team"}},
                {{.name = "hpa/web", .namespace_ = "shop", .kind = "HorizontalPodAutoscaler"},
                 {"hpa/web", "--namespace=shop", "--kind=HorizontalPodAutoscaler"}}};
  for (const auto& c : kCases) {
    const auto words = WordsFor({}, c.of);
    ASSERT_TRUE(words.ok()) << words.error().message;
    EXPECT_EQ(*words, c.words);
  }
  EXPECT_EQ(WordsFor({}, {.name = "a/b/c"}).error().code, Code::kInvalid);
}

TEST_F(AskPodsTest, TellsAnswersFromFailures) {
  const PodAnswers answers = AskPods({},
                                     {{"b", "answers", "/l.db"},
                                      {"b", "gap", "/l.db"},
                                      {"b", "standby", "/l.db"},
                                      {"b", "damaged", "/l.db"},
                                      {"b", "other", "/l.db"}},
                                     "why", {"shop/web"});

  ASSERT_EQ(answers.given.size(), 2U);
  EXPECT_EQ(
      answers.given[0].output,
      "exec --namespace=b answers --container ballast -- ballast why --store /l.db shop/web\n");
  EXPECT_EQ(answers.given[0].note, "3 earlier decisions are left out");
  EXPECT_EQ(answers.given[1].output, "before\n");
  EXPECT_EQ(answers.given[1].note, "");
  EXPECT_THAT(answers.without_record,
              testing::ElementsAre("b/standby: ballast why: nothing is recorded of \"shop/web\""));
  EXPECT_THAT(answers.problems,
              testing::ElementsAre("b/damaged has no answer: ballast why: the store is damaged",
                                   "b/other was not reached: Error from server (Forbidden): no"));
}

// The answer of one comes only while the other is asked.
TEST_F(AskPodsTest, AsksAllAtTheSameTime) {
  ASSERT_EQ(mkfifo((folder() + "/kubectl.fifo").c_str(), 0600), 0);
  const PodAnswers answers =
      AskPods({}, {{"b", "reads", "/l.db"}, {"b", "writes", "/l.db"}}, "why", {"shop/web"});
  ASSERT_EQ(answers.given.size(), 2U) << answers.problems.front();
  EXPECT_EQ(answers.given[0].output, "hello\n");
  EXPECT_EQ(answers.given[1].output, "written\n");
}

// The control characters of a program are not for the caller's terminal to obey.
TEST_F(AskPodsTest, ShowsProblemsAsOneLine) {
  const PodAnswers answers = AskPods({}, {{"b", "rings", "/l.db"}}, "why", {"shop/web"});
  EXPECT_THAT(answers.problems, testing::ElementsAre("b/rings was not reached: a\uFFFD"));
}

TEST_F(AskPodsTest, RefusesWhatContradictsItself) {
  Selection selected;
  selected.of.name = "shop/web";
  EXPECT_TRUE(WordsFor({}, selected).ok());
  selected.all_namespaces = true;
  EXPECT_EQ(WordsFor({}, selected).error().message, "-A shows all autoscalers: give no name");
  selected = {};
  selected.since = "1h";
  selected.until = "2h";
  EXPECT_EQ(WordsFor({}, selected).error().message, "--since is not before --until");
  // But a time of the day may be the one of tomorrow.
  selected.zone = Zone::kUtc;
  selected.since = PrintIn(Zone::kUtc, Now() - Duration::Seconds(60)).substr(11);
  selected.until = PrintIn(Zone::kUtc, Now() - Duration::Seconds(180)).substr(11);
  const SelectedTime parsed = ParseTimes(selected).value();
  EXPECT_EQ(*parsed.until - *parsed.since, Duration::Seconds(86'400 - 120));
  EXPECT_EQ(WordsFor({}, {.name = "shop/web", .namespace_ = "blog"}).error().code, Code::kInvalid);
}

}  // namespace
}  // namespace ballast::cli
