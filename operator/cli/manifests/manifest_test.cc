#include "operator/cli/manifests/manifest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace ballast::cli {
namespace {

using ::testing::ElementsAre;

class ManifestTest : public ::testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directories(folder_ / "below"); }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  void Write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name) << text;
  }
  // "source: object" of each; the sources without the folder.
  std::vector<std::string> Read(const std::string& name = "") {
    const auto manifests = ReadManifests({folder_ / name});
    EXPECT_TRUE(manifests.ok());
    std::vector<std::string> found;
    for (const Manifest& manifest : *manifests) {
      std::string what = "broken";
      if (manifest.document.ok()) {
        json::Decoder decoder(*manifest.document);
        what = Describe(decoder.root());
      }
      found.push_back(std::filesystem::relative(manifest.source, folder_).string() + ": " + what);
    }
    return found;
  }

  const std::filesystem::path folder_ =
      std::filesystem::path(::testing::TempDir()) /
      ::testing::UnitTest::GetInstance()->current_test_info()->name();
};

TEST_F(ManifestTest, ReadsEverySyntax) {
  Write("a.yaml", "kind: A\nmetadata: {name: x}\n---\n---\nkind: B\n");
  Write("b.json", "{\"kind\": \"C\",\n \"metadata\": {\"namespace\": \"n\", \"name\": \"y\"}}");
  Write("c.ndjson", "{\"kind\":\"D\"}\n\n{\"kind\":\"E\"}\n{\"kind\"\n");
  Write("below/d.yml", "kind: [");
  Write("e.txt", "not looked at");
  Write("f.yaml", "{kind: F}");
  Write("g.yaml", "{\"kind\":\"G\"}\n---\n{\"kind\":\"H\"}\n");
  Write("h.json", "{\"kind\":\n");
  Write("i.json", R"({"kind": "I", "x": 1e400})");
  EXPECT_THAT(Read(),
              ElementsAre("a.yaml[1]: A x", "a.yaml[2]: B", "b.json: C n/y", "below/d.yml: broken",
                          "c.ndjson[1]: D", "c.ndjson[2]: E", "c.ndjson[3]: broken", "f.yaml: F",
                          "g.yaml[1]: G", "g.yaml[2]: H", "h.json: broken", "i.json: broken"));
}

TEST_F(ManifestTest, ReadsJsonAsKubectlSendsIt) {
  Write("a.json", "{\"kind\": \"A\",\n \"x\": [2.0, 1e3, 0.50, 3]}{\"kind\":\n\"B\"}");
  EXPECT_THAT(Read(), ElementsAre("a.json[1]: A", "a.json[2]: B"));
  const auto manifests = ReadManifests({folder_ / "a.json"});
  EXPECT_EQ(json::Decoder(*manifests->front().document).root().Member("x").Print(),
            "[2,1000,0.5,3]");
}

TEST_F(ManifestTest, TakesListsApart) {
  Write("a.yaml", "kind: List\nitems: [{kind: A}, {kind: B}]");
  Write("b.json", R"({"apiVersion":"autoscaling/v2","kind":"HorizontalPodAutoscalerList",)"
                  R"("items":[{"metadata":{"name":"x"}}]})");
  Write("c.yaml", "kind: List\nitems: [{kind: List, items: [{kind: C}]}]");
  Write("d.yaml", "kind: List\nitems: null");
  Write("e.yaml", "kind: List\nitem: [{kind: E}]");
  Write("f.yaml", "kind: List\nitems: {kind: F}");
  EXPECT_THAT(Read(),
              ElementsAre("a.yaml[1]: A", "a.yaml[2]: B", "b.json: HorizontalPodAutoscaler x",
                          "c.yaml: C", "e.yaml: List", "f.yaml: broken"));
}

TEST_F(ManifestTest, NamesWhatCannotBeRead) {
  const auto manifests = ReadManifests({folder_ / "none.yaml"});
  ASSERT_FALSE(manifests.ok());
  EXPECT_THAT(manifests.error().message, ::testing::HasSubstr("none.yaml"));
}

}  // namespace
}  // namespace ballast::cli
