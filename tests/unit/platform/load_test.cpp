#include "foreflow/platform/load.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "foreflow/base/error.h"

namespace foreflow::platform::load_test {
namespace {

const std::string kHead =
    "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n<platform version=\"4.1\">\n";

std::string host(const std::string& id) {
  return "<host id=\"" + id +
         "\" speed=\"1Tf\"><prop id=\"kind\" value=\"K\"/><prop id=\"node\" value=\"n\"/><prop id=\"memory\" "
         "value=\"1GiB\"/>"
         "<prop id=\"memory_bandwidth\" value=\"8Gbps\"/><prop id=\"launch\" value=\"1us\"/><prop id=\"peak_f32\" "
         "value=\"1Tf\"/></host>\n";
}

TEST(Load, KeepsTheOrderOfTheFileAndTheNumbersOfItsLinks) {
  const Platform platform =
      load(kHead + "<zone id=\"z\" routing=\"Full\">" + host("b") + host("a") +
               "<link id=\"up\" bandwidth=\"3GBps\" latency=\"2us\" sharing_policy=\"SPLITDUPLEX\"/>"
               "<link id=\"bus\" bandwidth=\"8Gbps\" latency=\"500ns\"><prop id=\"kind\" value=\"pcie\"/></link>"
               "<route src=\"b\" dst=\"a\"><link_ctn id=\"up\" direction=\"UP\"/><link_ctn id=\"bus\"/></route>"
               "</zone></platform>",
           "tiny.xml");
  EXPECT_EQ(platform.name(), "tiny.xml");
  ASSERT_EQ(platform.devices().size(), 2u);
  EXPECT_EQ(platform.devices()[0].name, "b");
  EXPECT_EQ(platform.devices()[0].memory.value(), 1024.0 * 1024 * 1024);
  EXPECT_EQ(platform.devices()[0].memory_bandwidth.value(), 1e9);
  ASSERT_EQ(platform.links().size(), 3u);
  EXPECT_EQ(platform.links()[0].name, "up_UP");
  EXPECT_EQ(platform.links()[1].name, "up_DOWN");
  EXPECT_EQ(platform.links()[1].kind, "");
  EXPECT_EQ(platform.links()[1].bandwidth.value(), 3e9);
  EXPECT_DOUBLE_EQ(platform.links()[1].latency.value(), 2e-6);
  EXPECT_EQ(platform.links()[2].kind, "pcie");
  EXPECT_DOUBLE_EQ(platform.links()[2].bandwidth.value(), 1e9);
  EXPECT_EQ(platform.route(0, 1).links, (std::vector<int>{0, 2}));
  EXPECT_EQ(platform.route(1, 0).links, (std::vector<int>{2, 1}));
  EXPECT_DOUBLE_EQ(platform.route(0, 1).latency.value(), 2.5e-6);
  EXPECT_TRUE(platform.route(0, 0).links.empty());
}

TEST(Load, TakesOneHostAlone) {
  const Platform platform =
      load(kHead + "<zone id=\"z\" routing=\"None\">" + host("a") + "</zone></platform>", "one.xml");
  EXPECT_EQ(platform.devices().size(), 1u);
  EXPECT_TRUE(platform.links().empty());
}

TEST(Load, FindsShortestPathsInZonesThatSimgridRoutes) {
  for (const std::string routing : {"Floyd", "DijkstraCache"}) {
    const std::string link  = "bandwidth=\"1GBps\" latency=\"1us\"/>";
    const Platform platform = load(kHead + "<zone id=\"z\" routing=\"" + routing + "\">" + host("a") + host("b") +
                                       host("c") + "<link id=\"ab\" " + link + "<link id=\"bc\" " + link +
                                       "<route src=\"a\" dst=\"b\"><link_ctn id=\"ab\"/></route>" +
                                       "<route src=\"b\" dst=\"c\"><link_ctn id=\"bc\"/></route></zone></platform>",
                                   routing);
    EXPECT_EQ(platform.route(0, 2).links, (std::vector<int>{0, 1})) << routing;
    EXPECT_EQ(platform.route(2, 0).links, (std::vector<int>{1, 0})) << routing;
  }
}

TEST(Load, IsTheSameTwice) {
  const TopologyDef& dgx2 = topologies().get("dgx2", "test");
  const Platform first    = make(dgx2, 2);
  const Platform second   = make(dgx2, 2);
  for (int from = 0; from < 32; ++from) {
    for (int to = 0; to < 32; ++to) EXPECT_EQ(first.route(from, to).links, second.route(from, to).links);
  }
}

TEST(Load, NamesTheFileThatCannotBeRead) {
  try {
    load_file("/nowhere/p.xml");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.where(), "/nowhere/p.xml");
  }
}

}  // namespace
}  // namespace foreflow::platform::load_test
