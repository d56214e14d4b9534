#include "support/graph_text.h"

#include <fmt/core.h>

namespace foreflow::test {

std::string prop(const std::string& id, const std::string& value) {
  return fmt::format("<prop id=\"{}\" value=\"{}\"/>", id, value);
}

GraphText& GraphText::zone_prop(const std::string& id, const std::string& value) {
  props_ += prop(id, value) + "\n";
  return *this;
}

GraphText& GraphText::device(const std::string& name, const std::string& node, const std::string& props) {
  vertices_ += fmt::format("<host id=\"{}\" speed=\"1Tf\">{}{}{}{}{}{}{}</host>\n", name, prop("kind", "K"),
                           prop("node", node), prop("memory", "1GB"), prop("memory_bandwidth", "1GBps"),
                           prop("launch", "1us"), prop("peak_f32", "1Tf"), props);
  return *this;
}

GraphText& GraphText::router(const std::string& name) {
  vertices_ += fmt::format("<router id=\"{}\"/>\n", name);
  return *this;
}

GraphText& GraphText::cable(const std::string& from, const std::string& to, const std::string& kind, int links,
                            const std::string& bandwidth, const std::string& latency) {
  std::string crossed;
  for (int i = 0; i < links; ++i) {
    const std::string name = fmt::format("{}-{}{}", from, to, i == 0 ? "" : fmt::format("-{}", i));
    links_ += fmt::format("<link id=\"{}\" bandwidth=\"{}\" latency=\"{}\" sharing_policy=\"SPLITDUPLEX\">{}</link>\n",
                          name, bandwidth, latency, prop("kind", kind));
    crossed += fmt::format("<link_ctn id=\"{}\" direction=\"UP\"/>", name);
  }
  routes_ += fmt::format("<route src=\"{}\" dst=\"{}\">{}</route>\n", from, to, crossed);
  return *this;
}

GraphText& GraphText::raw(const std::string& xml) {
  routes_ += xml;
  return *this;
}

std::string GraphText::xml() const {
  return "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n<platform version=\"4.1\">\n"
         "<zone id=\"z\" routing=\"Dijkstra\">\n" +
         props_ + vertices_ + links_ + routes_ + "</zone>\n</platform>\n";
}

}  // namespace foreflow::test
