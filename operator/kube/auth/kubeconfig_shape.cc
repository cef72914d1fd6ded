#include "operator/kube/auth/kubeconfig_shape.h"

#include <set>
#include <span>
#include <string>
#include <string_view>

#include "api/base/base64.h"

namespace ballast::kube {
namespace {

// The types of k8s.io/client-go/tools/clientcmd/api/v1.
enum class Form {
  kText,
  kBool,
  kBytes,      // in base64
  kTexts,      // a list
  kTextMap,    // of texts by name
  kTextLists,  // of lists of texts by name
  kObject,     // `fields`
  kList,       // of objects with `fields`
  kNamed,      // the same; each has a name of its own
};

struct KubeconfigField {
  const char* name;
  Form form;
  std::span<const KubeconfigField> fields = {};
};

constexpr KubeconfigField kExtension[] = {{"name", Form::kText}};

constexpr KubeconfigField kCluster[] = {
    {"server", Form::kText},
    {"tls-server-name", Form::kText},
    {"insecure-skip-tls-verify", Form::kBool},
    {"certificate-authority", Form::kText},
    {"certificate-authority-data", Form::kBytes},
    {"proxy-url", Form::kText},
    {"disable-compression", Form::kBool},
    {"extensions", Form::kNamed, kExtension},
};

constexpr KubeconfigField kVariable[] = {{"name", Form::kText}, {"value", Form::kText}};

constexpr KubeconfigField kExec[] = {
    {"command", Form::kText},         {"args", Form::kTexts},
    {"apiVersion", Form::kText},      {"env", Form::kList, kVariable},
    {"installHint", Form::kText},     {"provideClusterInfo", Form::kBool},
    {"interactiveMode", Form::kText},
};

constexpr KubeconfigField kAuthProvider[] = {{"name", Form::kText}, {"config", Form::kTextMap}};

constexpr KubeconfigField kUser[] = {
    {"client-certificate", Form::kText},
    {"client-certificate-data", Form::kBytes},
    {"client-key", Form::kText},
    {"client-key-data", Form::kBytes},
    {"token", Form::kText},
    {"tokenFile", Form::kText},
    {"as", Form::kText},
    {"as-uid", Form::kText},
    {"as-groups", Form::kTexts},
    {"as-user-extra", Form::kTextLists},
    {"username", Form::kText},
    {"password", Form::kText},
    {"auth-provider", Form::kObject, kAuthProvider},
    {"exec", Form::kObject, kExec},
    {"extensions", Form::kNamed, kExtension},
};

constexpr KubeconfigField kContext[] = {
    {"cluster", Form::kText},
    {"user", Form::kText},
    {"namespace", Form::kText},
    {"extensions", Form::kNamed, kExtension},
};

constexpr KubeconfigField kNamedCluster[] = {{"name", Form::kText},
                                             {"cluster", Form::kObject, kCluster}};
constexpr KubeconfigField kNamedUser[] = {{"name", Form::kText}, {"user", Form::kObject, kUser}};
constexpr KubeconfigField kNamedContext[] = {{"name", Form::kText},
                                             {"context", Form::kObject, kContext}};

constexpr KubeconfigField kPreferences[] = {{"colors", Form::kBool},
                                            {"extensions", Form::kNamed, kExtension}};

constexpr KubeconfigField kFile[] = {
    {"apiVersion", Form::kText},
    {"kind", Form::kText},
    {"preferences", Form::kObject, kPreferences},
    {"clusters", Form::kNamed, kNamedCluster},
    {"users", Form::kNamed, kNamedUser},
    {"contexts", Form::kNamed, kNamedContext},
    {"current-context", Form::kText},
    {"extensions", Form::kNamed, kExtension},
};

void CheckText(const json::Cursor& at) {
  std::string ignored;
  at.Read(ignored);
}

void CheckTexts(const json::Cursor& at) {
  for (const json::Cursor& text : at.Elements()) {
    CheckText(text);
  }
}

void CheckObject(const json::Cursor& at, std::span<const KubeconfigField> fields);

void CheckList(const json::Cursor& at, std::span<const KubeconfigField> fields, bool named) {
  std::set<std::string_view> names;
  for (const json::Cursor& element : at.Elements()) {
    CheckObject(element, fields);
    const std::string_view name = element.Member("name").Text();
    if (named && !names.insert(name).second) {
      element.Fail("has the name \"" + std::string(name) + "\" of an earlier entry; keep one");
    }
  }
}

void CheckField(const json::Cursor& at, const KubeconfigField& field) {
  bool flag = false;
  switch (field.form) {
    case Form::kText:
      return CheckText(at);
    case Form::kBool:
      at.Read(flag);
      return;
    case Form::kBytes:
      CheckText(at);
      if (const auto bytes = DecodeBase64(at.Text()); !bytes.ok()) {
        at.Fail(bytes.error().message);
      }
      return;
    case Form::kTexts:
      return CheckTexts(at);
    case Form::kTextMap:
      for (const auto& [name, text] : at.Members()) {
        CheckText(text);
      }
      return;
    case Form::kTextLists:
      for (const auto& [name, texts] : at.Members()) {
        CheckTexts(texts);
      }
      return;
    case Form::kObject:
      return CheckObject(at, field.fields);
    case Form::kList:
    case Form::kNamed:
      return CheckList(at, field.fields, field.form == Form::kNamed);
  }
}

void CheckObject(const json::Cursor& at, std::span<const KubeconfigField> fields) {
  for (const KubeconfigField& field : fields) {
    CheckField(at.Member(field.name), field);
  }
}

}  // namespace

void CheckKubeconfigShape(const json::Cursor& file) {
  CheckObject(file, kFile);
  for (const auto& [name, known] : {std::pair{"apiVersion", "v1"}, std::pair{"kind", "Config"}}) {
    const json::Cursor found = file.Member(name);
    if (!found.Text().empty() && found.Text() != known) {
      found.Fail("must be " + std::string(known) + " in a kubeconfig");
    }
  }
}

}  // namespace ballast::kube
