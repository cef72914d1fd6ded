#include "operator/cluster/pod_cache.h"
#include "api/kubernetes/parse_selector.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <random>

namespace ballast::cluster {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

class PodStoreTest : public testing::Test {
 protected:
  void Put(const api::ObjectKey& key, const api::Labels& labels, const std::string& uid = "u",
           const std::string& controller = "") {
    api::Pod pod;
    if (!controller.empty()) {
      pod.metadata.owner_references = {{.uid = "no controller"},
                                       {.uid = controller, .controller = true}};
    }
    pod.metadata.namespace_ = key.namespace_;
    pod.metadata.name = key.name;
    pod.metadata.uid = uid;
    pod.metadata.resource_version = "1";
    pod.metadata.labels = labels;
    store_.Put(key, {uid, "1", std::make_shared<const PackedPod>(packer_.Pack(pod))});
  }
  static std::vector<std::string> NamesOf(const PodCache::Pods& pods) {
    std::vector<std::string> names;
    for (const auto& pod : pods) {
      names.push_back(pod->metadata.name);
    }
    return names;
  }
  std::vector<std::string> Select(const std::string& namespace_, const std::string& selector) {
    return NamesOf(store_.Select(namespace_, api::ParseSelector(selector).value()));
  }
  // By the controller's uid.
  std::map<std::string, std::vector<std::string>> SelectByController(const std::string& namespace_,
                                                                     const std::string& selector) {
    std::map<std::string, std::vector<std::string>> all;
    for (const auto& [controller, pods] :
         store_.SelectByController(namespace_, api::ParseSelector(selector).value())) {
      EXPECT_TRUE(all.emplace(controller.uid, NamesOf(PodCache::Unpack(pods))).second)
          << "twice: " << controller.uid;
    }
    return all;
  }

  PodPacker packer_;
  PodCache store_;
};

TEST_F(PodStoreTest, SelectsByLabelsWithinANamespace) {
  Put({"shop", "b"}, {{"app", "web"}, {"tier", "front"}});
  Put({"shop", "a"}, {{"app", "web"}, {"tier", "back"}});
  Put({"shop", "c"}, {{"app", "db"}});
  Put({"other", "d"}, {{"app", "web"}});
  EXPECT_THAT(Select("shop", "app=web"), ElementsAre("a", "b"));
  EXPECT_THAT(Select("shop", "app=web,tier=back"), ElementsAre("a"));
  EXPECT_THAT(Select("shop", "app in (db,web),tier!=back"), ElementsAre("b", "c"));
  EXPECT_THAT(Select("shop", "!tier"), ElementsAre("c"));
  EXPECT_THAT(Select("shop", ""), ElementsAre("a", "b", "c"));
  EXPECT_THAT(Select("shop", "app=none"), IsEmpty());
  EXPECT_THAT(Select("nowhere", "app=web"), IsEmpty());
}

TEST_F(PodStoreTest, SelectsByALabelThatEachPodHasItsOwnOf) {
  for (const char* index : {"0", "1", "2"}) {
    Put({"shop", std::string("web-") + index},
        {{"app", "web"}, {"apps.kubernetes.io/pod-index", index}});
  }
  EXPECT_THAT(Select("shop", "apps.kubernetes.io/pod-index=1"), ElementsAre("web-1"));
  EXPECT_THAT(Select("shop", "app=web,apps.kubernetes.io/pod-index!=1"),
              ElementsAre("web-0", "web-2"));
  EXPECT_THAT(SelectByController("shop", "apps.kubernetes.io/pod-index=1"),
              ElementsAre(Pair("", ElementsAre("web-1"))));
  EXPECT_THAT(SelectByController("shop", "apps.kubernetes.io/pod-index=3"), IsEmpty());
}

TEST_F(PodStoreTest, SelectsByWhoControlsThem) {
  Put({"shop", "a"}, {{"app", "web"}, {"hash", "1"}}, "u", "old");
  Put({"shop", "b"}, {{"app", "web"}, {"hash", "2"}}, "u", "new");
  Put({"shop", "c"}, {{"app", "web"}, {"hash", "2"}}, "u", "new");
  Put({"shop", "d"}, {{"app", "web"}}, "u", "job");
  Put({"shop", "e"}, {{"app", "web"}});
  Put({"shop", "f"}, {{"app", "db"}}, "u", "new");
  Put({"other", "g"}, {{"app", "web"}}, "u", "new");
  EXPECT_THAT(SelectByController("shop", "app=web"),
              ElementsAre(Pair("", ElementsAre("e")), Pair("job", ElementsAre("d")),
                          Pair("new", ElementsAre("b", "c")), Pair("old", ElementsAre("a"))));
  EXPECT_THAT(SelectByController("shop", "app=web,hash=2"),
              ElementsAre(Pair("new", ElementsAre("b", "c"))));
  EXPECT_THAT(SelectByController("nowhere", "app=web"), IsEmpty());
  Put({"shop", "d"}, {{"app", "web"}}, "u", "new");  // adopted
  store_.Remove({"shop", "a"});
  EXPECT_THAT(SelectByController("shop", "app=web"),
              ElementsAre(Pair("", ElementsAre("e")), Pair("new", ElementsAre("b", "c", "d"))));
}

TEST_F(PodStoreTest, FollowsChangesAndRemovals) {
  Put({"shop", "a"}, {{"app", "web"}}, "u1");
  Put({"shop", "a"}, {{"app", "db"}}, "u2");
  EXPECT_THAT(Select("shop", "app=web"), IsEmpty());
  EXPECT_THAT(Select("shop", "app=db"), ElementsAre("a"));
  EXPECT_THAT(store_.Keys(), ElementsAre(api::ObjectKey{"shop", "a"}));
  EXPECT_EQ(store_.Remove({"shop", "a"}).uid, "u2");
  EXPECT_EQ(store_.Remove({"shop", "a"}).object, nullptr);
  EXPECT_EQ(store_.size(), 0U);
  EXPECT_THAT(Select("shop", ""), IsEmpty());
}

// After any sequence of changes a selector finds what a full scan finds.
TEST_F(PodStoreTest, FindsWhatAScanWouldFind) {
  std::minstd_rand random(7);
  const auto pick = [&random](int n) {
    return static_cast<int>(random() % static_cast<unsigned>(n));
  };
  struct Known {
    api::Labels labels;
    std::string controller;
  };
  std::map<std::string, Known> pods;
  const char* selectors[] = {
      "a=1",           "a=1,b=0", "a in (0,2)", "a!=1",
      "b,c notin (1)", "!c",      "a>0",        "apps.kubernetes.io/pod-index=3"};
  for (int step = 0; step < 3'000; ++step) {
    const std::string name = "p" + std::to_string(pick(60));
    if (pick(3) == 0) {
      pods.erase(name);
      store_.Remove({"n", name});
    } else {
      api::Labels labels;
      for (const char* key : {"a", "b", "c", "apps.kubernetes.io/pod-index"}) {
        if (pick(3) != 0) {
          labels[key] = std::to_string(pick(4));
        }
      }
      const std::string controller = pick(4) == 0 ? "" : std::to_string(pick(4));
      pods[name] = {labels, controller};
      Put({"n", name}, labels, "u", controller);
    }
    const char* selector = selectors[pick(std::size(selectors))];
    std::vector<std::string> expected;
    std::map<std::string, std::vector<std::string>> expected_by_controller;
    for (const auto& [pod, known] : pods) {
      if (api::ParseSelector(selector).value().Matches(known.labels)) {
        expected.push_back(pod);
        expected_by_controller[known.controller].push_back(pod);
      }
    }
    ASSERT_EQ(Select("n", selector), expected) << selector;
    ASSERT_EQ(SelectByController("n", selector), expected_by_controller) << selector;
  }
}

}  // namespace
}  // namespace ballast::cluster
