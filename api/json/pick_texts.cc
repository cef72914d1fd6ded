#include "api/json/pick_texts.h"

#include <cstddef>
#include <utility>
#include <vector>

#include "api/json/max_depth.h"
#include "api/json/parse_in_place.h"

namespace ballast::json {
namespace {

// Collects the strings at certain paths and nothing else.
class Picker : public rapidjson::BaseReaderHandler<rapidjson::UTF8<>, Picker> {
 public:
  explicit Picker(const std::set<std::string>& paths) : paths_(paths) {}
  std::map<std::string, std::string> found;

  bool String(const char* text, rapidjson::SizeType size, bool) {
    if (lists_ == 0 && paths_.contains(path_)) {
      found.try_emplace(path_, text, size);
    }
    return true;
  }
  bool RawNumber(const char*, rapidjson::SizeType, bool) { return true; }
  bool Key(const char* text, rapidjson::SizeType size, bool) {
    const std::string_view name(text, size);
    constexpr std::size_t kMaxName = 64;  // no path in use has a longer name
    path_.resize(begins_.back());
    path_ += path_.empty() ? "" : ".";
    path_ += name.find('.') == std::string_view::npos ? name.substr(0, kMaxName) : "..";
    return true;
  }
  bool StartObject() {
    begins_.push_back(path_.size());
    return begins_.size() + lists_ <= kMaxDepth;
  }
  bool EndObject(rapidjson::SizeType) {
    path_.resize(begins_.back());
    begins_.pop_back();
    return true;
  }
  bool StartArray() { return begins_.size() + ++lists_ <= kMaxDepth; }
  bool EndArray(rapidjson::SizeType) {
    --lists_;
    return true;
  }

 private:
  const std::set<std::string>& paths_;
  std::string path_;                 // of the value to come
  std::vector<std::size_t> begins_;  // the length of each open object's path
  std::size_t lists_ = 0;            // open arrays around it
};

}  // namespace

Result<std::map<std::string, std::string>> PickTexts(std::string_view text,
                                                     const std::set<std::string>& paths) {
  TRY(internal::CheckEncoding(text));
  std::string copy = internal::InPlace(text);
  Picker picker(paths);
  if (const auto result = internal::ReadInPlace(copy, text.size(), picker); result.IsError()) {
    return internal::NotJson(result, internal::TooDeep());
  }
  return std::move(picker.found);
}

}  // namespace ballast::json
