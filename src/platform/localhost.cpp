#include <fmt/core.h>

#include "foreflow/platform/topologies.h"

namespace foreflow::platform::definitions {
namespace {

// A node is a process on a core of its own, with one device. A message is copied out of the sender's memory and into
// the receiver's: two links, each with half the latency.
//
//   node0-gpu0 --memory up--> (shared segment, no object) --memory down--> node1-gpu0
std::string write(int nodes) {
  std::string xml = fmt::format(
      "<?xml version=\"1.0\"?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
      "<!-- Processes on one machine: {}.\n"
      "     memory links: Open MPI 4.1.4 through shared memory on a 2-core virtual machine, 2 MiB messages at 10 GB/s "
      "and\n"
      "       1 us for small ones (ping-pong, 2026-11-21)\n"
      "     peak: one AVX2 unit with fused multiply-add at 3 GHz, 8 x 2 x 3 Gflop/s; the reference kernels are far "
      "slower,\n"
      "       `foreflow calibrate` measures how much\n"
      "     memory: 4 GB each at 10 GB/s, an assumption\n"
      "-->\n<platform version=\"4.1\">\n  <zone id=\"machine\" routing=\"Full\">\n",
      nodes);
  for (int n = 0; n < nodes; ++n) {
    xml += fmt::format("    <host id=\"node{}-gpu0\" speed=\"48Gf\">\n", n);
    const auto prop = [&](const char* id, const std::string& value) {
      xml += fmt::format("      <prop id=\"{}\" value=\"{}\"/>\n", id, value);
    };
    prop("kind", "CPU-core");
    prop("node", fmt::format("node{}", n));
    prop("memory", "4GB");
    prop("memory_bandwidth", "10GBps");
    prop("launch", "1us");
    prop("peak_f32", "48Gf");
    xml += "    </host>\n";
  }
  for (int n = 0; n < nodes; ++n) {
    xml += fmt::format(
        "    <link id=\"node{}-memory\" bandwidth=\"10GBps\" latency=\"500ns\" sharing_policy=\"SPLITDUPLEX\"><prop "
        "id=\"kind\" "
        "value=\"memory\"/></link>\n",
        n);
  }
  for (int from = 0; from < nodes; ++from) {
    for (int to = from + 1; to < nodes; ++to) {
      xml += fmt::format(
          "    <route src=\"node{0}-gpu0\" dst=\"node{1}-gpu0\"><link_ctn id=\"node{0}-memory\" "
          "direction=\"UP\"/><link_ctn "
          "id=\"node{1}-memory\" direction=\"DOWN\"/></route>\n",
          from, to);
    }
  }
  return xml + "  </zone>\n</platform>\n";
}

}  // namespace

TopologyDef localhost() {
  return {"localhost", "processes on one machine, a core each, that talk through shared memory", 2, write};
}

}  // namespace foreflow::platform::definitions
