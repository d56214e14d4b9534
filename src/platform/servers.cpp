#include "platform/servers.h"

#include <fmt/core.h>

namespace foreflow::platform {
namespace {

void write_host(std::string& xml, const std::string& name, const std::string& node, const Gpu& gpu) {
  xml += fmt::format("      <host id=\"{}\" speed=\"{}\">\n", name, gpu.peaks.front().second);
  const auto prop = [&](const std::string& id, const std::string& value) {
    xml += fmt::format("        <prop id=\"{}\" value=\"{}\"/>\n", id, value);
  };
  prop("kind", gpu.kind);
  prop("node", node);
  prop("memory", gpu.memory);
  prop("memory_bandwidth", gpu.memory_bandwidth);
  prop("launch", gpu.launch);
  for (const auto& [dtype, peak] : gpu.peaks) prop("peak_" + dtype, peak);
  xml += "      </host>\n";
}

void write_link(std::string& xml, const char* indent, const std::string& name, const Port& port) {
  xml += fmt::format(
      "{}<link id=\"{}\" bandwidth=\"{}\" latency=\"{}\" sharing_policy=\"SPLITDUPLEX\"><prop id=\"kind\" "
      "value=\"{}\"/></link>\n",
      indent, name, port.bandwidth, port.latency, port.kind);
}

std::string crossing(const std::string& link, const char* direction) {
  return fmt::format("<link_ctn id=\"{}\" direction=\"{}\"/>", link, direction);
}

void write_node(std::string& xml, const Server& server, const std::string& node) {
  const auto gpu = [&](int i) { return fmt::format("{}-gpu{}", node, i); };
  const auto nic = [&](int i) { return fmt::format("{}-nic{}", node, i); };
  xml += fmt::format("    <zone id=\"{}\" routing=\"Full\">\n", node);
  for (int i = 0; i < server.gpus; ++i) write_host(xml, gpu(i), node, server.gpu);
  xml += fmt::format("      <router id=\"{}-gateway\"/>\n", node);
  for (int i = 0; i < server.gpus; ++i) {
    write_link(xml, "      ", gpu(i) + "-nvlink", server.nvlink);
    write_link(xml, "      ", gpu(i) + "-pcie", server.pcie);
  }
  for (int i = 0; server.nic && i * server.gpus_per_nic < server.gpus; ++i)
    write_link(xml, "      ", nic(i), *server.nic);
  for (int i = 0; i < server.gpus; ++i) {
    for (int j = i + 1; j < server.gpus; ++j) {
      xml += fmt::format("      <route src=\"{}\" dst=\"{}\">{}{}</route>\n", gpu(i), gpu(j),
                         crossing(gpu(i) + "-nvlink", "UP"), crossing(gpu(j) + "-nvlink", "DOWN"));
    }
  }
  for (int i = 0; i < server.gpus; ++i) {
    xml +=
        fmt::format("      <route src=\"{}\" dst=\"{}-gateway\">{}{}</route>\n", gpu(i), node,
                    crossing(gpu(i) + "-pcie", "UP"), server.nic ? crossing(nic(i / server.gpus_per_nic), "UP") : "");
  }
  xml += "    </zone>\n";
}

}  // namespace

std::string write_servers(const Server& server, int nodes) {
  std::string xml = "<?xml version=\"1.0\"?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n";
  xml += fmt::format("<!-- {}: {} {}.\n", server.title, nodes, nodes == 1 ? "node" : "nodes");
  for (const std::string& source : server.sources) xml += fmt::format("     {}\n", source);
  xml += "-->\n<platform version=\"4.1\">\n  <zone id=\"cluster\" routing=\"Floyd\">\n";
  for (int n = 0; n < nodes; ++n) write_node(xml, server, fmt::format("node{}", n));
  xml += "    <zone id=\"fabric\" routing=\"None\"><router id=\"fabric-core\"/></zone>\n";
  for (int n = 0; n < nodes; ++n)
    write_link(xml, "    ", fmt::format("node{}-{}", n, server.uplink.kind), server.uplink);
  for (int n = 0; n < nodes; ++n) {
    xml += fmt::format(
        "    <zoneRoute src=\"node{0}\" dst=\"fabric\" gw_src=\"node{0}-gateway\" "
        "gw_dst=\"fabric-core\">{1}</zoneRoute>\n",
        n, crossing(fmt::format("node{}-{}", n, server.uplink.kind), "UP"));
  }
  return xml + "  </zone>\n</platform>\n";
}

}  // namespace foreflow::platform
