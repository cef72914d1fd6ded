// What client-go makes of a kubeconfig is what this program makes of it.
#include <gtest/gtest.h>

#include "api/base/base64.h"
#include "api/json/json_writer.h"
#include "operator/kube/auth/kubeconfig.h"
#include "tests/libraries/cases.h"

namespace ballast::testing {
namespace {

// The names of the secrets stand for their contents.
std::string WithSecrets(std::string text) {
  for (const std::string name : {"CA", "CERT", "KEY"}) {
    const std::string place = "${" + name + "}";
    for (std::size_t at = text.find(place); at != std::string::npos; at = text.find(place)) {
      text.replace(at, place.size(), EncodeBase64(name));
    }
  }
  return text;
}

void Add(json::Writer& out, const char* name, const std::string& text) {
  if (!text.empty()) {
    out.Field(name, text);
  }
}

void AddTexts(json::Writer& out, const std::string& name, const std::vector<std::string>& texts) {
  if (!texts.empty()) {
    out.Array(name, [&] {
      for (const std::string& text : texts) {
        out.Value(text);
      }
    });
  }
}

void AddExec(json::Writer& out, const kube::ExecConfig& exec) {
  out.Object("exec", [&] {
    out.Field("apiVersion", exec.api_version);
    out.Field("command", exec.command);
    AddTexts(out, "args", exec.args);
    std::vector<std::string> variables;
    for (const auto& [name, value] : exec.env) {
      variables.push_back(name + "=" + value);
    }
    AddTexts(out, "env", variables);
    if (exec.cluster_info) {
      out.Field("clusterInfo", true);
    }
    Add(out, "hint", exec.install_hint);
  });
}

std::string Print(const kube::ClusterConfig& config) {
  json::Writer out;
  out.Object([&] {
    const auto text = [](const kube::Material& material) { return material.text + material.file; };
    std::string server = config.server;
    while (server.ends_with('/')) {
      server.pop_back();
    }
    out.Field("server", server);
    Add(out, "serverName", config.tls_server_name);
    if (config.insecure_skip_tls_verify) {
      out.Field("insecure", true);
    }
    Add(out, "ca", text(config.ca));
    Add(out, "cert", text(config.client_certificate));
    Add(out, "key", text(config.client_key));
    Add(out, "token", config.token.text);
    Add(out, "tokenFile", config.token.file);
    if (config.exec) {
      AddExec(out, *config.exec);
    }
    const kube::Impersonation& as = config.impersonate;
    Add(out, "as", as.user);
    Add(out, "asUid", as.uid);
    AddTexts(out, "asGroups", as.groups);
    if (!as.extra.empty()) {
      out.Object("asExtra", [&] {
        for (const auto& [key, values] : as.extra) {
          AddTexts(out, key, values);
        }
      });
    }
    Add(out, "proxy", config.proxy_url);
    out.Field("namespace", config.namespace_);
  });
  return out.Take();
}

Result<std::string> AnswerKubeconfig(const json::Cursor& templates, const json::Cursor& one) {
  std::vector<kube::KubeconfigText> files{{"/DIR/config", WithSecrets(Around(templates, one))}};
  if (one.Member("second").present()) {
    files.push_back({"/DIR/other/config", std::string(one.Member("second").Text())});
  }
  kube::KubeconfigChoice choice;
  one.Member("context").Read(choice.context);
  one.Member("cluster").Read(choice.cluster);
  one.Member("user").Read(choice.user);
  one.Member("as").Read(choice.as);
  one.Member("asUid").Read(choice.as_uid);
  for (const json::Cursor& group : one.Member("asGroup").Elements()) {
    choice.as_groups.emplace_back(group.Text());
  }
  ASSIGN_OR_RETURN(const kube::ClusterConfig config, kube::DecodeKubeconfig(files, choice));
  return Print(config);
}

TEST(Libraries, ReadKubeconfigs) { CheckCases("kubeconfigs", "docs/client.md", AnswerKubeconfig); }

}  // namespace
}  // namespace ballast::testing
