// How many messages cross each cable of a tree of switches when every device sends to every other.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "foreflow/base/nth.h"
#include "foreflow/platform/load.h"
#include "support/graph_text.h"

namespace foreflow::platform::ecmp_test {
namespace {

using test::GraphText;

struct Tree {
  int pods, leaves, spines, cores, per_leaf;  // leaves and spines in a pod, cores above each spine
};

// Every leaf of a pod to its spines; every spine to its cores, which join spine i of all pods. Without cores there is
// one pod.
std::string fat_tree(const Tree& tree, const std::string& ecmp) {
  GraphText text;
  text.zone_prop("ecmp", ecmp);
  const auto name = [](const char* kind, int pod, int i) { return fmt::format("{}{}.{}", kind, pod, i); };
  for (int pod = 0; pod < tree.pods; ++pod) {
    for (int i = 0; i < tree.leaves * tree.per_leaf; ++i) text.device(name("d", pod, i), name("d", pod, i));
    for (int leaf = 0; leaf < tree.leaves; ++leaf) text.router(name("leaf", pod, leaf));
    for (int spine = 0; spine < tree.spines; ++spine) text.router(name("spine", pod, spine));
  }
  for (int spine = 0; spine < tree.spines; ++spine) {
    for (int core = 0; core < tree.cores; ++core) text.router(name("core", spine, core));
  }
  for (int pod = 0; pod < tree.pods; ++pod) {
    for (int i = 0; i < tree.leaves * tree.per_leaf; ++i)
      text.cable(name("d", pod, i), name("leaf", pod, i / tree.per_leaf), "nic");
    for (int leaf = 0; leaf < tree.leaves; ++leaf) {
      for (int spine = 0; spine < tree.spines; ++spine)
        text.cable(name("leaf", pod, leaf), name("spine", pod, spine), "fabric");
    }
    for (int spine = 0; spine < tree.spines; ++spine) {
      for (int core = 0; core < tree.cores; ++core)
        text.cable(name("spine", pod, spine), name("core", spine, core), "up");
    }
  }
  return text.xml();
}

// By kind of link, "" for the unused: least and most messages of a link, and their sum.
struct Load {
  int least = 1 << 30, most = 0, sum = 0;
};

std::map<std::string, Load> all_to_all(const Platform& platform) {
  std::vector<int> messages(platform.links().size());
  const int count = static_cast<int>(platform.devices().size());
  for (int from = 0; from < count; ++from) {
    for (int to = 0; to < count; ++to) {
      for (const int link : platform.route(from, to).links) ++nth(messages, link);
    }
  }
  std::map<std::string, Load> loads;
  for (size_t i = 0; i < messages.size(); ++i) {
    Load& load = loads[platform.links()[i].kind];
    load       = {std::min(load.least, messages[i]), std::max(load.most, messages[i]), load.sum + messages[i]};
  }
  return loads;
}

// n devices of a leaf send to the n (leaves - 1) others: n^2 (leaves - 1) messages over its spines, evenly.
TEST(Dmodk, LoadsAllCablesOfATwoLevelTreeAlike) {
  const std::vector<Tree> trees = {{1, 2, 2, 0, 2}, {1, 4, 4, 0, 4}, {1, 3, 2, 0, 6}, {1, 8, 4, 0, 8}};
  for (const Tree& tree : trees) {
    const Load fabric  = all_to_all(load(fat_tree(tree, "dmodk"), "tree"))["fabric"];
    const int of_cable = tree.per_leaf * tree.per_leaf * (tree.leaves - 1) / tree.spines;
    EXPECT_EQ(fabric.least, of_cable);
    EXPECT_EQ(fabric.most, of_cable);
  }
}

// Above that, the messages that leave a pod: (leaves n)^2 (pods - 1) over spines * cores cables.
TEST(Dmodk, LoadsAllCablesOfAThreeLevelTreeAlike) {
  const std::vector<Tree> trees = {{2, 2, 2, 2, 2}, {4, 2, 2, 2, 2}, {3, 4, 2, 4, 2}};
  for (const Tree& tree : trees) {
    const auto loads   = all_to_all(load(fat_tree(tree, "dmodk"), "tree"));
    const int of_pod   = tree.leaves * tree.per_leaf;
    const int of_cable = of_pod * of_pod * (tree.pods - 1) / tree.spines / tree.cores;
    EXPECT_EQ(loads.at("up").least, of_cable);
    EXPECT_EQ(loads.at("up").most, of_cable);
    EXPECT_EQ(loads.at("fabric").least, loads.at("fabric").most);
  }
}

// A shift sends to the device k places further on: D-mod-k's claim is that no two messages share a cable.
TEST(Dmodk, CarriesEveryShiftWithoutSharing) {
  const Platform platform = load(fat_tree({4, 4, 4, 4, 4}, "dmodk"), "tree");
  const int count         = static_cast<int>(platform.devices().size());
  for (int shift = 1; shift < count; ++shift) {
    std::vector<int> messages(platform.links().size());
    for (int from = 0; from < count; ++from) {
      for (const int link : platform.route(from, (from + shift) % count).links) ++nth(messages, link);
    }
    EXPECT_EQ(*std::max_element(messages.begin(), messages.end()), 1) << shift;
  }
}

// As many messages as by D-mod-k, less evenly. 448 of a cable by chance spread by about 21 (their square root): five
// times that is far.
TEST(Hashing, SpreadsByChance) {
  const Tree tree  = {1, 8, 4, 0, 16};
  const Load even  = all_to_all(load(fat_tree(tree, "dmodk"), "tree"))["fabric"];
  const Load other = all_to_all(load(fat_tree(tree, "hash"), "tree"))["fabric"];
  EXPECT_EQ(other.sum, even.sum);
  EXPECT_LT(other.least, even.least);
  EXPECT_EQ(even.most, 448);
  EXPECT_LT(other.most, 448 + 5 * 21);
  EXPECT_GT(other.least, 448 - 5 * 21);
}

}  // namespace
}  // namespace foreflow::platform::ecmp_test
