#include "tests/bench/webhook_process.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>

#include "operator/net/http_server.h"
#include "operator/os/allocator.h"
#include "webhooks/http/review_endpoint.h"
#include "webhooks/http/server_options.h"
#include "webhooks/testing/test_review.h"

namespace ballast::bench {
namespace {

// Serves until it is killed; writes its address into the pipe.
[[noreturn]] void Serve(const support::KeyPair& pair, int pipe) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  os::KeepTheHeapSmall();
  webhooks::FakeLookup lookup({.target = webhooks::Facts::TargetState::kFound, .replicas = 3});
  const auto identity = std::make_shared<net::TlsIdentity>();
  if (!identity->Set(pair.certificate, pair.key).ok()) {
    std::abort();
  }
  const auto server = net::HttpServer::Start(
      "127.0.0.1:0",
      [&](const net::HttpRequest& request) { return webhooks::AnswerRequest(request, {lookup}); },
      webhooks::ServerOptions(identity));
  const std::string address = (*server)->address();
  if (write(pipe, address.data(), address.size()) < 0) {
    std::abort();
  }
  close(pipe);
  while (true) {
    pause();
  }
}

double WaitingSeconds(const std::string& folder) {
  double nanoseconds = 0;
  for (const auto& thread : std::filesystem::directory_iterator(folder + "/task")) {
    std::ifstream file(thread.path() / "schedstat");
    double running = 0;
    double waiting = 0;
    file >> running >> waiting;
    nanoseconds += waiting;
  }
  return nanoseconds / 1e9;
}

double PeakMib(const std::string& folder) {
  std::ifstream status(folder + "/status");
  std::string word;
  double kib = 0;
  while (status >> word && word != "VmHWM:") {
  }
  status >> kib;
  return kib / 1024;
}

}  // namespace

WebhookProcess::WebhookProcess() {
  const support::KeyPair pair = authority_.Issue("bench", {"IP:127.0.0.1"});
  int ends[2];
  if (pipe(ends) != 0) {
    std::abort();
  }
  process_ = fork();
  if (process_ == 0) {
    Serve(pair, ends[1]);
  }
  char text[64] = {};
  if (read(ends[0], text, sizeof text - 1) <= 0) {
    std::abort();
  }
  address_ = text;
}

WebhookProcess::~WebhookProcess() {
  kill(process_, SIGTERM);
  waitpid(process_, nullptr, 0);
}

Usage WebhookProcess::usage() const {
  const std::string folder = "/proc/" + std::to_string(process_);
  std::ifstream statm(folder + "/statm");
  long pages = 0;
  statm >> pages >> pages;
  std::ifstream stat(folder + "/stat");
  std::string field;
  long user = 0;
  long system = 0;
  for (int i = 1; i < 14; ++i) {
    stat >> field;
  }
  stat >> user >> system;
  return {static_cast<double>(user + system) / static_cast<double>(sysconf(_SC_CLK_TCK)),
          WaitingSeconds(folder), static_cast<double>(pages * sysconf(_SC_PAGESIZE)) / (1 << 20),
          PeakMib(folder)};
}

}  // namespace ballast::bench
