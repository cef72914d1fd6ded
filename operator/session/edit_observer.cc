#include "operator/session/edit_observer.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <string_view>
#include <utility>

#include "api/base/printable.h"
#include "api/json/json.h"
#include "api/json/json_writer.h"
#include "operator/session/own_annotations.h"

namespace ballast::session {
namespace {

// A longer value is cut: the annotation of a pause may have 256 kB of reasons.
constexpr std::size_t kLongestValue = 256;

// What is compared of an autoscaler.
std::string Encode(const api::Autoscaler& autoscaler) {
  json::Writer out;
  out.Object([&] {
    out.Key("spec");
    api::Encode(out, autoscaler.spec);
    out.Object("annotations", [&] {
      for (const auto& [name, value] : OwnAnnotations(autoscaler.metadata)) {
        out.Field(name, value);
      }
    });
  });
  return out.Take();
}

std::string TextOf(const json::Cursor& value) {
  if (!value.present()) {
    return "";
  }
  // An empty text must differ from an absent one.
  const bool bare = value.IsString() && !value.Text().empty();
  return Printable(bare ? std::string(value.Text()) : value.Print(), kLongestValue);
}

class Comparison {
 public:
  void Compare(const std::string& field, const json::Cursor& before, const json::Cursor& after) {
    if (before.present() && after.present() && before.IsObject() && after.IsObject()) {
      CompareMembers(field + ".", "", before, after);
    } else if (before.present() && after.present() && before.IsArray() && after.IsArray()) {
      CompareElements(field, before, after);
    } else if (before.Print() != after.Print()) {
      Add(field, before, after);
    }
  }

  void CompareMembers(const std::string& prefix, const std::string& suffix,
                      const json::Cursor& before, const json::Cursor& after) {
    const auto field = [&](std::string_view name) {
      return std::string(prefix).append(name).append(suffix);
    };
    for (const auto& [name, value] : before.Members()) {
      Compare(field(name), value, after.Member(name));
    }
    for (const auto& [name, value] : after.Members()) {
      if (!before.Member(name).present()) {
        Compare(field(name), {}, value);
      }
    }
  }

  // All fields but the first ones are one entry, which tells their number.
  std::vector<store::Edit> Take() {
    if (more_ > 0) {
      edits_.push_back({.field = std::to_string(more_) + " more fields"});
    }
    return std::move(edits_);
  }

 private:
  void CompareElements(const std::string& field, const json::Cursor& before,
                       const json::Cursor& after) {
    const auto all = [](const json::Cursor& list) {
      std::vector<json::Cursor> elements;
      for (const json::Cursor& element : list.Elements()) {
        elements.push_back(element);
      }
      return elements;
    };
    const std::vector<json::Cursor> was = all(before);
    const std::vector<json::Cursor> is = all(after);
    for (std::size_t i = 0; i < std::max(was.size(), is.size()); ++i) {
      Compare(field + "[" + std::to_string(i) + "]", i < was.size() ? was[i] : json::Cursor(),
              i < is.size() ? is[i] : json::Cursor());
    }
  }

  void Add(const std::string& field, const json::Cursor& before, const json::Cursor& after) {
    if (edits_.size() == EditObserver::kMostFields) {
      ++more_;
      return;
    }
    edits_.push_back({.field = field, .before = TextOf(before), .after = TextOf(after)});
  }

  std::vector<store::Edit> edits_;
  std::size_t more_ = 0;
};

// Both are JSON that Encode() has made.
std::vector<store::Edit> Compare(const std::string& before, const std::string& after) {
  const auto was = json::Parse(before);
  const auto is = json::Parse(after);
  if (!was.ok() || !is.ok()) {
    return {{.field = store::kWholeSpec}};
  }
  json::Decoder was_decoder(*was);
  json::Decoder is_decoder(*is);
  const json::Cursor old = was_decoder.root();
  const json::Cursor present = is_decoder.root();
  Comparison comparison;
  comparison.Compare("spec", old.Member("spec"), present.Member("spec"));
  comparison.CompareMembers("metadata.annotations[", "]", old.Member("annotations"),
                            present.Member("annotations"));
  return comparison.Take();
}

}  // namespace

EditObserver::News EditObserver::See(const api::Autoscaler& autoscaler,
                                     std::optional<std::int64_t> generation, Time now,
                                     const std::function<std::string()>& recall) {
  const std::string& version = autoscaler.metadata.resource_version;
  if (!version.empty() && version == version_) {
    return {};  // most looks
  }
  std::string present = Encode(autoscaler);
  const std::size_t hash = std::hash<std::string>()(present);
  version_ = version;
  if (std::exchange(seen_, hash) == hash) {
    return {};
  }
  const std::string before = recall();
  if (before == present) {
    return {};
  }
  News news;
  if (!before.empty()) {
    news.edits = Compare(before, present);
  } else if (autoscaler.is_policy() && generation &&
             *generation != autoscaler.metadata.generation) {
    news.edits = {{.field = store::kWholeSpec}};
  }
  for (store::Edit& edit : news.edits) {
    edit.time = now;
    if (autoscaler.editor) {
      edit.manager = autoscaler.editor->manager;
      edit.managed = autoscaler.editor->time;
    }
  }
  news.spec = std::move(present);
  return news;
}

}  // namespace ballast::session
