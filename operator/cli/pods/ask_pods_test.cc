#include "operator/cli/pods/ask_pods.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <ctime>

#include "operator/cli/selection.h"
#include "operator/cli/testing/fake_kubectl.h"

namespace ballast::cli {
namespace {

LedgerPod PodNamed(const std::string& name) {
  return {.namespace_ = "b", .name = name, .store = "/l.db"};
}

// A `kubectl` that answers as the one of Kubernetes does, by the pod's name.
constexpr const char* kKubectl = R"(#!/bin/sh
case "$3" in
  --minify) if [ "$NO_CONTEXT" ]; then
              echo "error: current-context must exist in order to minify" >&2; exit 1
            fi; printf team ;;
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

class AskPodsTest : public ::testing::Test {
 protected:
  const testing::FakeKubectl kubectl_{kKubectl};
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

// A pod has its own clock and zone: what is asked for depends on the caller's.
TEST_F(AskPodsTest, PassesOnTimesAsTheCallerMeansThem) {
  const char* const zone = std::getenv("TZ");
  const std::string before = zone == nullptr ? "" : zone;
  setenv("TZ", "Europe/Berlin", 1);
  tzset();
  Selection selected;
  selected.since = "2026-04-08 14:05";
  selected.until = "2026-04-08T14:05:00Z";
  const auto local = WordsFor({}, selected);
  selected.zone = Zone::kUtc;
  const auto utc = WordsFor({}, selected);
  zone == nullptr ? unsetenv("TZ") : setenv("TZ", before.c_str(), 1);
  tzset();
  EXPECT_THAT(*local, ::testing::ElementsAre("--since=2026-04-08T12:05:00Z",
                                             "--until=2026-04-08T14:05:00Z"));
  EXPECT_THAT(utc->front(), "--since=2026-04-08T14:05:00Z");

  selected = {.since = "24h"};
  const Duration day = Duration::Seconds(86'400);
  const Time asked_after = Now() - day;
  const auto words = WordsFor({}, selected);
  const Time asked_before = Now() - day;
  ASSERT_EQ(words->size(), 1U);
  const Time since =
      ParseMoment("", words->front().substr(std::string_view("--since=").size()), Now(), Zone::kUtc)
          .value();
  EXPECT_LE(asked_after, since);
  EXPECT_LE(since, asked_before);
}

TEST_F(AskPodsTest, TellsAnswersFromFailures) {
  const PodAnswers answers = AskPods({},
                                     {PodNamed("answers"), PodNamed("gap"), PodNamed("standby"),
                                      PodNamed("damaged"), PodNamed("other")},
                                     "why", {"shop/web"});

  ASSERT_EQ(answers.given.size(), 2U);
  EXPECT_EQ(
      answers.given[0].output,
      "exec --namespace=b answers --container ballast -- ballast why --store /l.db shop/web\n");
  EXPECT_EQ(answers.given[0].note, "3 earlier decisions are left out");
  EXPECT_EQ(answers.given[1].output, "before\n");
  EXPECT_EQ(answers.given[1].note, "");
  EXPECT_THAT(
      answers.without_record,
      ::testing::ElementsAre("b/standby: ballast why: nothing is recorded of \"shop/web\""));
  EXPECT_THAT(answers.problems,
              ::testing::ElementsAre("b/damaged has no answer: ballast why: the store is damaged",
                                     "b/other was not reached: Error from server (Forbidden): no"));
}

// The answer of one comes only while the other is asked.
TEST_F(AskPodsTest, AsksAllAtTheSameTime) {
  ASSERT_EQ(mkfifo((kubectl_.folder() + "/kubectl.fifo").c_str(), 0600), 0);
  const PodAnswers answers =
      AskPods({}, {PodNamed("reads"), PodNamed("writes")}, "why", {"shop/web"});
  ASSERT_EQ(answers.given.size(), 2U) << answers.problems.front();
  EXPECT_EQ(answers.given[0].output, "hello\n");
  EXPECT_EQ(answers.given[1].output, "written\n");
}

// The control characters of a program are not for the caller's terminal to obey.
TEST_F(AskPodsTest, ShowsProblemsAsOneLine) {
  const PodAnswers answers = AskPods({}, {PodNamed("rings")}, "why", {"shop/web"});
  EXPECT_THAT(answers.problems, ::testing::ElementsAre("b/rings was not reached: a\uFFFD"));
}

TEST(FirstLine, IsNotOneOfKubectlsLog) {
  const std::string logged = "E1125 19:01:56.123456    1234 memcache.go:265] \"Unhandled Error\"\n";
  EXPECT_EQ(FirstLine(logged + logged + "The connection to the server was refused\nmore\n"),
            "The connection to the server was refused");
  EXPECT_EQ(FirstLine(logged), logged.substr(0, logged.size() - 1));
  EXPECT_EQ(FirstLine("Error: no"), "Error: no");
  EXPECT_EQ(FirstLine(""), "");
}

TEST_F(AskPodsTest, NamesWhatToDoWithoutAContext) {
  setenv("NO_CONTEXT", "1", 1);
  const auto words = WordsFor({}, {.name = "web"});
  unsetenv("NO_CONTEXT");
  ASSERT_FALSE(words.ok());
  EXPECT_EQ(words.error().message,
            "the namespace of \"web\" is not known: kubectl: error: current-context must exist in "
            "order to minify (choose a context with --context, or the namespace with -n)");
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
