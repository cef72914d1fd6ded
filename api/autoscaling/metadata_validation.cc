#include <algorithm>

#include "api/autoscaling/validation.h"
#include "api/kubernetes/label_syntax.h"

namespace ballast::api {

namespace {

constexpr std::size_t kMaxAnnotations = 256 * 1024;
constexpr std::size_t kMaxManager = 128;
constexpr std::size_t kMaxSubresource = 256;

class MetadataCheck {
 public:
  explicit MetadataCheck(Origin origin) : origin_(origin) {}

  FieldErrors errors;

  void Check(const json::Cursor& metadata) {
    CheckName(metadata);
    if (const std::string_view text = metadata.Member("namespace").Text(); !text.empty()) {
      Add("metadata.namespace", CheckDns1123Label(text));
    }
    if (metadata.Member("generation").Integer().value_or(0) < 0) {
      Add("metadata.generation", "must be 0 or more");
    }
    for (const auto& [key, value] : metadata.Member("labels").Members()) {
      Add("metadata.labels", CheckLabelKey(key));
      Add("metadata.labels", CheckLabelValue(value.Text()));
    }
    CheckAnnotations(metadata.Member("annotations"));
    CheckOwners(metadata.Member("ownerReferences"));
    CheckFinalizers(metadata.Member("finalizers"));
    CheckManagedFields(metadata.Member("managedFields"));
  }

 private:
  void Add(std::string field, std::string message) {
    errors.Add(std::move(field), std::move(message));
  }
  void Add(const std::string& field, const Complaints& complaints) {
    for (const std::string& complaint : complaints) {
      Add(field, complaint);
    }
  }

  void CheckName(const json::Cursor& metadata) {
    const std::string_view name = metadata.Member("name").Text();
    std::string prefix(metadata.Member("generateName").Text());
    if (!prefix.empty()) {
      if (prefix.size() > 1 && prefix.back() == '-') {  // the generated suffix will follow the dash
        prefix.replace(prefix.size() - 2, 2, "a");
      }
      Add("metadata.generateName", CheckDns1123Subdomain(prefix));
    }
    if (!name.empty()) {
      Add("metadata.name", CheckDns1123Subdomain(name));
    } else if (prefix.empty()) {
      Add("metadata.name", "must be set, or else generateName");
    }
  }

  void CheckAnnotations(const json::Cursor& annotations) {
    std::size_t size = 0;
    for (const auto& [key, value] : annotations.Members()) {
      std::string lower(key);
      std::transform(lower.begin(), lower.end(), lower.begin(),
                     [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
      Add("metadata.annotations", CheckLabelKey(lower));
      size += key.size() + value.Text().size();
    }
    if (size > kMaxAnnotations) {
      Add("metadata.annotations", "must be no more than 262144 bytes altogether");
    }
  }

  void CheckOwners(const json::Cursor& owners) {
    int controllers = 0;
    for (const json::Cursor& owner : owners.Elements()) {
      const std::string_view version = owner.Member("apiVersion").Text();
      const auto slashes = std::count(version.begin(), version.end(), '/');
      if (version.empty() || slashes > 1 || version.ends_with('/')) {
        Add("metadata.ownerReferences.apiVersion", "must have a version, as in apps/v1");
      }
      for (const char* field : {"kind", "name", "uid"}) {
        if (owner.Member(field).Text().empty()) {
          Add(std::string("metadata.ownerReferences.") + field, "must be set");
        }
      }
      if (version == "v1" && owner.Member("kind").Text() == "Event") {
        Add("metadata.ownerReferences", "an Event must not own anything");
      }
      bool controller = false;
      owner.Member("controller").Read(controller);
      if (controller && ++controllers > 1) {
        Add("metadata.ownerReferences", "must have controller: true only once");
      }
    }
  }

  void CheckFinalizers(const json::Cursor& finalizers) {
    bool orphan = false;
    bool foreground = false;
    std::size_t i = 0;
    for (const json::Cursor& finalizer : finalizers.Elements()) {
      const std::string_view name = finalizer.Text();
      const std::string place = "metadata.finalizers[" + std::to_string(i++) + "]";
      Add("metadata.finalizers", CheckLabelKey(name));
      orphan = orphan || name == "orphan";
      foreground = foreground || name == "foregroundDeletion";
      if (origin_ == Origin::kBuiltIn && name.find('/') == std::string_view::npos &&
          name != "kubernetes" && name != "orphan" && name != "foregroundDeletion") {
        Add(place, "must be a qualified name, as in example.com/cleanup");
      }
    }
    if (orphan && foreground) {
      Add("metadata.finalizers", "must not have both orphan and foregroundDeletion");
    }
  }

  void CheckManagedFields(const json::Cursor& entries) {
    std::size_t i = 0;
    for (const json::Cursor& entry : entries.Elements()) {
      const std::string place = "metadata.managedFields[" + std::to_string(i++) + "]";
      const std::string_view operation = entry.Member("operation").Text();
      if (operation != "Apply" && operation != "Update") {
        Add(place + ".operation", "must be Apply or Update");
      }
      const std::string_view type = entry.Member("fieldsType").Text();
      if (!type.empty() && type != "FieldsV1") {
        Add(place + ".fieldsType", "must be FieldsV1");
      }
      const std::string_view manager = entry.Member("manager").Text();
      if (manager.size() > kMaxManager) {
        Add(place + ".manager", "must be no more than 128 bytes");
      }
      if (std::any_of(manager.begin(), manager.end(),
                      [](unsigned char c) { return c < 0x20 || c == 0x7f; })) {
        Add(place + ".manager", "must have printable characters only");
      }
      if (entry.Member("subresource").Text().size() > kMaxSubresource) {
        Add(place + ".subresource", "must be no more than 256 bytes");
      }
    }
  }

  const Origin origin_;
};

}  // namespace

FieldErrors ValidateMetadata(const json::Cursor& metadata, Origin origin) {
  MetadataCheck check(origin);
  check.Check(metadata);
  return std::move(check.errors);
}

}  // namespace ballast::api
