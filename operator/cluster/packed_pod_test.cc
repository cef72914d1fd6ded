#include "operator/cluster/packed_pod.h"
#include "api/json/json_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/kubernetes/pod_reader.h"

namespace ballast::cluster {
namespace {

using testing::HasSubstr;

std::string Print(const api::Pod& pod) {
  json::Writer out;
  Encode(out, pod);
  return out.Take();
}

api::Pod Read(const std::string& text) { return api::ReadPod(text).value(); }

std::string Pod(const std::string& name, const std::string& cpu = "100m") {
  return R"({"metadata":{"name":")" + name + R"(","namespace":"shop","uid":"u-)" + name +
         R"(","resourceVersion":"7","labels":{"app":"web","statefulset.kubernetes.io/pod-name":")" +
         name + R"("},"ownerReferences":[{"apiVersion":"apps/v1","kind":"StatefulSet",)" +
         R"("name":"web","uid":"s"}]},"spec":{"containers":[{"name":"c","resources":)" +
         R"({"requests":{"cpu":")" + cpu + R"("}}}]},"status":{"phase":"Running",)" +
         R"("startTime":"2026-01-01T00:00:00Z","conditions":[{"type":"Ready","status":"True",)" +
         R"("lastTransitionTime":"2026-01-01T00:00:10Z"}]}})";
}

TEST(PackedPod, UnpacksToWhatWasPacked) {
  PodPacker packer;
  const std::string cases[] = {
      Pod("web-0"), R"({"metadata":{"name":"bare","resourceVersion":"1"}})",
      R"({"metadata":{"name":"a","namespace":"n","resourceVersion":"1","labels":{
          "apps.kubernetes.io/pod-index":"","x":""},"deletionTimestamp":"2026-01-01T00:00:00Z"},
          "status":{"phase":"Failed","conditions":[{"type":"Ready","status":"Unknown"}]}})"};
  for (const std::string& text : cases) {
    const api::Pod pod = Read(text);
    EXPECT_EQ(Print(packer.Pack(pod).Unpack()), Print(pod));
  }
}

TEST(PodPacker, HoldsWhatPodsShareOnce) {
  PodPacker packer;
  const PackedPod a = packer.Pack(Read(Pod("web-0")));
  const PackedPod b = packer.Pack(Read(Pod("web-1")));
  const PackedPod c = packer.Pack(Read(Pod("web-2", "200m")));
  EXPECT_EQ(a.shared(), b.shared());
  EXPECT_NE(a.shared(), c.shared());
  EXPECT_EQ(b.name(), "web-1");
  EXPECT_EQ(b.uid(), "u-web-1");
  EXPECT_EQ(b.resource_version(), "7");
}

TEST(PodPacker, DropsWhatNobodyUses) {
  PodPacker packer;
  for (int i = 0; i < 10'000; ++i) {
    static_cast<void>(packer.Pack(Read(Pod("web-0", std::to_string(i)))));
    ASSERT_LE(packer.shared(), 200U);
  }
}

TEST(ReadPackedPods, KnowsWhichPodCannotBeDecoded) {
  const auto read = ReadPackedPods(std::make_shared<PodPacker>());
  const auto bad = read(Pod("web-0", "much"));
  ASSERT_TRUE(bad.ok()) << bad.error().message;
  EXPECT_EQ(bad->id.key.Print(), "shop/web-0");
  ASSERT_FALSE(bad->object.ok());
  EXPECT_THAT(bad->object.error().message, HasSubstr("spec.containers[0].resources.requests.cpu"));
  const auto good = read(Pod("web-0"));
  ASSERT_TRUE(good.ok() && good->object.ok());
  EXPECT_EQ(good->id.resource_version, "7");
  for (const char* text : {"", "7", "{}", R"({"metadata":{"name":"a"}})"}) {
    EXPECT_FALSE(read(text).ok()) << text;
  }
}

}  // namespace
}  // namespace ballast::cluster
