#include "tests/libraries/cases.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>

namespace ballast::testing {
namespace {

std::filesystem::path Folder() {
  const char* folder = std::getenv("BALLAST_TEST_DATA");
  return folder == nullptr ? "tests/libraries" : folder;
}

std::string ReadText(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  EXPECT_TRUE(in.is_open()) << path;
  return std::string(std::istreambuf_iterator<char>(in), {});
}

// Null is absent, and so are an empty list and an empty map: Go's omitempty leaves them out.
bool Counts(const json::Cursor& value) {
  return value.present() && !value.IsNull() && !(value.IsArray() && value.Elements().empty()) &&
         !(value.IsObject() && value.Print() == "{}");
}

bool Same(const json::Cursor& a, const json::Cursor& b) {
  if (!Counts(a) || !Counts(b)) {
    return Counts(a) == Counts(b);
  }
  if (a.IsObject() && b.IsObject()) {
    std::set<std::string> names;
    for (const json::Cursor& side : {a, b}) {
      for (const auto& [name, member] : side.Members()) {
        names.emplace(name);
      }
    }
    return std::ranges::all_of(
        names, [&](const std::string& name) { return Same(a.Member(name), b.Member(name)); });
  }
  if (a.IsArray() && b.IsArray()) {
    if (a.Elements().size() != b.Elements().size()) {
      return false;
    }
    auto other = b.Elements().begin();
    for (const json::Cursor& element : a.Elements()) {
      if (!Same(element, *other)) {
        return false;
      }
      ++other;
    }
    return true;
  }
  return a.Print() == b.Print();
}

bool SameAnswer(const json::Cursor& one, const Result<std::string>& got) {
  if (!got.ok()) {
    return one.Member("error").present();
  }
  const auto document = json::Parse(*got);
  EXPECT_TRUE(document.ok()) << *got;
  json::Decoder decoder(*document);
  return !one.Member("error").present() && Same(one.Member("value"), decoder.root());
}

}  // namespace

std::string Around(const json::Cursor& templates, const json::Cursor& one) {
  std::string text(templates.Member(one.Member("into").Text()).Member("text").Text());
  return text.replace(text.find('@'), 1, one.Member("text").Text());
}

json::Cursor At(json::Cursor value, std::string_view path) {
  while (!path.empty()) {
    const std::string_view name = path.substr(0, path.find('.'));
    path.remove_prefix(std::min(name.size() + 1, path.size()));
    if (!value.IsArray()) {
      value = value.Member(name);
      continue;
    }
    std::size_t left = std::strtoul(std::string(name).c_str(), nullptr, 10);
    json::Cursor found;
    for (const json::Cursor& element : value.Elements()) {
      if (left-- == 0) {
        found = element;
      }
    }
    value = found;
  }
  return value;
}

void CheckCases(const std::string& kind, const std::string& document, const AnswerCase& answer) {
  const auto templates = json::Parse(ReadText(Folder() / "templates.json"));
  ASSERT_TRUE(templates.ok()) << templates.error().message;
  json::Decoder templates_decoder(*templates);
  const std::string named = ReadText(Folder() / "../.." / document);
  std::istringstream lines(ReadText(Folder() / (kind + ".ndjson")));
  int count = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    const auto parsed = json::Parse(line);
    ASSERT_TRUE(parsed.ok()) << line;
    json::Decoder decoder(*parsed);
    const json::Cursor one = decoder.root();
    const auto got = answer(templates_decoder.root().Member(kind), one);
    const std::string docs(one.Member("docs").Text());
    EXPECT_EQ(SameAnswer(one, got), docs.empty())
        << kind << ": " << line << "\nhere: " << (got.ok() ? *got : got.error().message);
    EXPECT_NE(named.find(docs), std::string::npos) << document << " does not say: " << docs;
  }
  EXPECT_GT(count, 0);
}

}  // namespace ballast::testing
