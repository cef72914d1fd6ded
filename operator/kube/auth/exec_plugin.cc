#include "operator/kube/auth/exec_plugin.h"

#include <chrono>
#include <utility>

#include "api/base/base64.h"
#include "api/json/json.h"
#include "api/json/json_writer.h"
#include "operator/kube/headers.h"
#include "operator/os/subprocess.h"
#include "operator/os/thread_name.h"

namespace ballast::kube {
namespace {

constexpr std::chrono::minutes kDeadline{1};
constexpr Duration kRetryAfter = Duration::Seconds(10);

struct Printed {
  Credentials credentials;
  std::optional<Time> expires;
};

// Parses an ExecCredential. Errors name the field, never its content.
Result<Printed> ReadAnswer(const std::string& output, const std::string& api_version) {
  const auto document = json::Parse(output);
  if (!document.ok()) {
    return Error{Code::kInvalid, "what it prints is " + document.error().message};
  }
  json::Decoder decoder(*document);
  const json::Cursor version = decoder.root().Required("apiVersion");
  if (version.Text() != api_version) {
    version.Fail("expected " + api_version);
  }
  Printed answer;
  const json::Cursor status = decoder.root().Required("status");
  const json::Cursor token = status.Member("token");
  if (token.Read(answer.credentials.token) && !IsHeaderText(answer.credentials.token)) {
    token.Fail(kNotHeaderText);
  }
  status.Member("clientCertificateData").Read(answer.credentials.client_certificate.text);
  status.Member("clientKeyData").Read(answer.credentials.client_key.text);
  const json::Cursor expiry = status.Member("expirationTimestamp");
  if (Time time; json::Read(expiry, time)) {
    answer.expires = time;
  }
  if (answer.credentials.client_certificate.empty() != answer.credentials.client_key.empty()) {
    status.Fail("clientCertificateData and clientKeyData need each other");
  } else if (answer.credentials == Credentials{}) {
    status.Fail("has neither a token nor a client certificate");
  }
  if (const Status read = decoder.status(); !read.ok()) {
    return Error{Code::kInvalid, "what it prints cannot be used: " + read.error().message};
  }
  return answer;
}

}  // namespace

ExecPlugin::ExecPlugin(const ClusterConfig& cluster, const process::Clock& clock)
    : cluster_(cluster), clock_(clock) {}

// The ExecCredential that the program gets in KUBERNETES_EXEC_INFO.
Result<std::string> ExecPlugin::Request() const {
  const ExecConfig& exec = *cluster_.exec;
  ASSIGN_OR_RETURN(const std::string ca, cluster_.ca.Read());
  json::Writer out;
  out.Object([&] {
    out.Field("kind", "ExecCredential");
    out.Field("apiVersion", exec.api_version);
    out.Object("spec", [&] {
      out.Field("interactive", false);
      if (!exec.cluster_info) {
        return;
      }
      out.Object("cluster", [&] {
        out.Field("server", cluster_.server);
        if (!cluster_.tls_server_name.empty()) {
          out.Field("tls-server-name", cluster_.tls_server_name);
        }
        if (cluster_.insecure_skip_tls_verify) {
          out.Field("insecure-skip-tls-verify", true);
        }
        if (!ca.empty()) {
          out.Field("certificate-authority-data", EncodeBase64(ca));
        }
        if (!cluster_.proxy_url.empty()) {
          out.Field("proxy-url", cluster_.proxy_url);
        }
        if (!exec.cluster_options.empty()) {
          out.Key("config");
          out.Raw(exec.cluster_options);
        }
      });
    });
  });
  return out.Take();
}

ExecPlugin::~ExecPlugin() {
  if (runner_.joinable()) {
    runner_.join();
  }
}

void ExecPlugin::Run() {
  const ExecConfig& exec = *cluster_.exec;
  const auto run = [&]() -> Result<Printed> {
    ASSIGN_OR_RETURN(std::string request, Request());
    os::Program program{exec.command, exec.args, exec.env};
    program.env.emplace_back("KUBERNETES_EXEC_INFO", std::move(request));
    ASSIGN_OR_RETURN(const std::string output, os::RunProgram(program, kDeadline));
    return ReadAnswer(output, exec.api_version);
  };
  auto answer = run();
  const std::lock_guard lock(mutex_);
  running_ = false;
  if (answer.ok()) {
    failure_.reset();
    current_ = std::move(answer->credentials);
    expires_ = answer->expires;
  } else {
    failure_ = answer.error().In("the credential plugin " + exec.command);
    if (failure_->code == Code::kNotFound && !exec.install_hint.empty()) {
      failure_->message += "; " + exec.install_hint;
    }
    failed_at_ = clock_.Now();
  }
  ended_.notify_all();
}

Status ExecPlugin::RunLocked(std::unique_lock<std::mutex>& lock, SteadyTime deadline) {
  if (!running_) {
    if (runner_.joinable()) {
      runner_.join();  // it has set running_ to false and is about to end
    }
    running_ = true;
    runner_ = std::thread([this] {
      os::NameThisThread("exec-plugin");
      Run();
    });
  }
  if (!ended_.wait_until(lock, deadline, [this] { return !running_; })) {
    return Error{Code::kTimeout,
                 "the credential plugin " + cluster_.exec->command + " has not ended yet"};
  }
  return failure_ ? Status(*failure_) : Status(Done{});
}

bool ExecPlugin::FailedJustNowLocked() const {
  const Duration ago = clock_.Now() - failed_at_;
  return failure_ && ago >= Duration{} && ago < kRetryAfter;  // negative if the clock was set back
}

Result<Credentials> ExecPlugin::Get(SteadyTime deadline) {
  std::unique_lock lock(mutex_);
  if (current_ && (!expires_ || clock_.Now() < *expires_)) {
    return *current_;
  }
  if (FailedJustNowLocked()) {
    return *failure_;
  }
  TRY(RunLocked(lock, deadline));
  return *current_;
}

bool ExecPlugin::Renew(const Credentials& used, SteadyTime deadline) {
  std::unique_lock lock(mutex_);
  if (current_ && *current_ != used) {
    return true;  // another thread has renewed them
  }
  if (FailedJustNowLocked()) {
    return false;
  }
  return RunLocked(lock, deadline).ok() && *current_ != used;
}

}  // namespace ballast::kube
