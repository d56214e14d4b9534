// Steps that several formats share.
#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <set>

#include "foreflow/base/error.h"
#include "foreflow/base/text.h"
#include "platform/imports/imports.h"
#include "platform/nodes/ports.h"
#include "platform/nodes/wiring.h"

namespace foreflow::platform::imports {
namespace {

void check_names(const Node& node, const Text& text) {
  std::set<std::string> vertices, links;
  const auto take = [&](std::set<std::string>& names, const std::string& name) {
    if (!names.insert(name).second) text.fail(fmt::format("two parts of a server have the name \"{}\"", name));
  };
  for (int gpu = 0; gpu < node.gpus; ++gpu) take(vertices, fmt::format("gpu{}", gpu));
  for (const std::string& name : node.switches) take(vertices, name);
  for (const Cable& cable : node.cables) take(links, cable.name);
  for (const Nic& nic : node.nics) take(links, nic.name);
}

// The length of a terminal's colour, "\x1b[4m", that begins here; 0: none does. Texts that were copied have often lost
// the first character of it.
size_t colour_at(std::string_view text, size_t begin) {
  size_t at = begin;
  if (text[at] == '\x1b') ++at;
  if (at == text.size() || text[at] != '[') return at - begin;
  size_t end = at + 1;
  while (end < text.size() && (std::isdigit(static_cast<unsigned char>(text[end])) != 0 || text[end] == ';')) ++end;
  return end > at + 1 && end < text.size() && text[end] == 'm' ? end + 1 - begin : at - begin;
}

}  // namespace

void Text::fail(const std::string& what) const { throw Error(file, what); }
void Text::fail_at(size_t line, const std::string& what) const { throw Error(fmt::format("{}:{}", file, line), what); }

DataSheet sheet_or(const ImportOptions& options, std::string_view guess, std::string_view why,
                   std::vector<std::string>& assumed) {
  if (!options.device.sheet) {
    assumed.push_back(fmt::format("device: {}, {}; --set device=NAME says which it is", guess, why));
  }
  return changed(options.device, devices().get(guess, "import").sheet);
}

Port pcie_of(const DataSheet& sheet) {
  const auto begins = [&](std::initializer_list<std::string_view> names) {
    return std::any_of(names.begin(), names.end(), [&](std::string_view name) { return sheet.kind.starts_with(name); });
  };
  if (begins({"V100", "T4"})) return pcie3_port();
  if (begins({"A100", "A40", "A10", "L4", "RTX", "TPU"})) return pcie4_port();
  return pcie5_port();
}

BytesPerSecond nvlink_rate(int generation) {
  constexpr int kFirstOf50 = 5;
  return generation >= kFirstOf50 ? 50_GBps : 25_GBps;
}

Port nic_of(const ImportOptions& options, std::vector<std::string>& assumed) {
  if (options.network != nullptr) return nic_port(options.network->port);
  assumed.emplace_back("network cards: 200 Gb/s each way; --set network=NAME says what they are");
  return nic_port(25_GBps);
}

void add_card(Node& node, const std::string& name, const Port& nic, int vertex) {
  const int card = add_switch(node, name);
  connect(node, name + "-pcie", uplink(pcie5_port()), vertex, card);
  node.nics.push_back({name + "-port", nic, card});
}

void assume_card(Server& server, const ImportOptions& options, int vertex) {
  server.assumed.emplace_back("network: the file lists no card; one, at the first socket");
  add_card(server.node, "nic0", nic_of(options, server.assumed), vertex);
}

std::string plain(const std::string& name) {
  constexpr std::string_view kAllowed = "_.:-";
  std::string text                    = name;
  for (char& c : text) {
    const bool stays = std::isalnum(static_cast<unsigned char>(c)) != 0 || kAllowed.find(c) != std::string_view::npos;
    if (!stays) c = '_';
  }
  return text;
}

Imported write_servers(Server server, const ImportOptions& options, const Text& text) {
  check_names(server.node, text);
  for (const std::string& what : server.assumed) server.node.sources.push_back("assumed: " + what);
  const Node& node = server.node;
  const int nics   = static_cast<int>(node.nics.size());
  const TopologyDef topology{.name          = "imported",
                             .doc           = node.title,
                             .default_nodes = options.nodes,
                             .gpus          = {node.gpus, node.gpus},
                             .nics          = {nics, nics},
                             .build         = [&node](int, int) { return node; }};
  Recipe recipe;
  recipe.parts    = {Part{&topology, options.nodes, node.gpus, nics}};
  recipe.fabric   = &*fabrics().begin();
  const Json none = Json::object();
  recipe.settings = recipe.fabric->read(JsonView(none, "import"), outlets_of(recipe.parts));
  return {write_xml(recipe), {}, server.assumed};
}

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines(1);
  for (size_t i = 0; i < text.size(); ++i) {
    if (const size_t colour = colour_at(text, i); colour > 0) {
      i += colour - 1;
    } else if (text[i] == '\n') {
      lines.emplace_back();
    } else if (text[i] != '\r') {
      lines.back() += text[i];
    }
  }
  return lines;
}

std::vector<std::string> words_of(std::string_view line) {
  std::vector<std::string> words;
  for (size_t at = 0; at < line.size();) {
    const size_t begin = line.find_first_not_of(" \t", at);
    if (begin == std::string_view::npos) break;
    at = std::min(line.find_first_of(" \t", begin), line.size());
    words.emplace_back(line.substr(begin, at - begin));
  }
  return words;
}

}  // namespace foreflow::platform::imports
