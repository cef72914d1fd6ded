#include "webhooks/json_patch.h"

#include <string_view>

namespace ballast::webhooks {
namespace {

// A member's name as a part of a JSON Pointer.
std::string Escape(std::string_view name) {
  std::string out;
  for (const char c : name) {
    out += c == '~' ? "~0" : c == '/' ? "~1" : std::string(1, c);
  }
  return out;
}

class Differ {
 public:
  std::string Take() { return operations_.empty() ? "" : "[" + operations_ + "]"; }

  void Compare(const json::Cursor& from, const json::Cursor& to, const std::string& path) {
    if (from.IsObject() && to.IsObject()) {
      for (const auto& [name, value] : to.Members()) {
        const json::Cursor present = from.Member(name);
        const std::string place = path + "/" + Escape(name);
        if (present.present()) {
          Compare(present, value, place);
        } else {
          Add("add", place, value);
        }
      }
    } else if (from.IsArray() && to.IsArray() && from.Elements().size() == to.Elements().size()) {
      std::size_t i = 0;
      auto theirs = to.Elements().begin();
      for (const json::Cursor element : from.Elements()) {
        Compare(element, *theirs, path + "/" + std::to_string(i++));
        ++theirs;
      }
    } else if (from.Print() != to.Print()) {
      Add("replace", path, to);
    }
  }

 private:
  void Add(const char* operation, const std::string& path, const json::Cursor& value) {
    json::Writer out;
    out.Object([&] {
      out.Field("op", operation);
      out.Field("path", path);
      out.Key("value");
      out.Raw(value.Print());
    });
    operations_ += (operations_.empty() ? "" : ",") + out.Take();
  }

  std::string operations_;
};

}  // namespace

std::string PatchTo(const json::Cursor& object, const json::Cursor& completed) {
  Differ differ;
  differ.Compare(object, completed, "");
  return differ.Take();
}

}  // namespace ballast::webhooks
