#include "operator/kube/exec_plugin.h"

#include <chrono>
#include <utility>

#include "api/base64.h"
#include "api/json.h"
#include "operator/kube/headers.h"
#include "operator/kube/run_program.h"

namespace ballast::kube {
namespace {

constexpr std::chrono::minutes kDeadline{1};
constexpr Duration kRetryAfter = Duration::Seconds(10);

Time SystemNow() {
  return Time::FromUnixNanoseconds(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                       std::chrono::system_clock::now().time_since_epoch())
                                       .count());
}

struct Answer {
  Credentials credentials;
  std::optional<Time> expires;
};

// An ExecCredential. Problems name the field, never its content.
Result<Answer> ReadAnswer(const std::string& output, const std::string& api_version) {
  const auto document = json::Parse(output);
  if (!document.ok()) {
    return Error{Code::kInvalid, "what it prints is " + document.error().message};
  }
  json::Decoder decoder(*document);
  const json::Cursor version = decoder.root().Required("apiVersion");
  if (version.Text() != api_version) {
    version.Fail("expected " + api_version);
  }
  Answer answer;
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

ExecPlugin::ExecPlugin(const ClusterConfig& cluster, std::function<Time()> now)
    : cluster_(cluster), now_(now ? std::move(now) : SystemNow) {}

// The ExecCredential that tells the program what it is wanted for.
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

Status ExecPlugin::RunLocked() {
  const ExecConfig& exec = *cluster_.exec;
  const auto run = [&]() -> Result<Answer> {
    ASSIGN_OR_RETURN(std::string request, Request());
    Program program{exec.command, exec.args, exec.env};
    program.env.emplace_back("KUBERNETES_EXEC_INFO", std::move(request));
    ASSIGN_OR_RETURN(const std::string output, RunProgram(program, kDeadline));
    return ReadAnswer(output, exec.api_version);
  };
  auto answer = run();
  if (!answer.ok()) {
    Error error = answer.error().In("the credential plugin " + exec.command);
    if (error.code == Code::kNotFound && !exec.install_hint.empty()) {
      error.message += "; " + exec.install_hint;
    }
    failure_ = error;
    failed_at_ = now_();
    return error;
  }
  failure_.reset();
  current_ = std::move(answer->credentials);
  expires_ = answer->expires;
  return Done{};
}

Result<Credentials> ExecPlugin::Get() {
  const std::lock_guard lock(mutex_);
  if (current_ && (!expires_ || now_() < *expires_)) {
    return *current_;
  }
  if (failure_ && now_() - failed_at_ < kRetryAfter) {
    return *failure_;
  }
  TRY(RunLocked());
  return *current_;
}

bool ExecPlugin::Renew(const Credentials& used) {
  const std::lock_guard lock(mutex_);
  if (current_ && *current_ != used) {
    return true;  // another thread was quicker
  }
  if (failure_ && now_() - failed_at_ < kRetryAfter) {
    return false;
  }
  return RunLocked().ok() && *current_ != used;
}

}  // namespace ballast::kube
