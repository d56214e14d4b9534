#include <iostream>

#include "cli/command.h"
#include "cli/files.h"
#include "cli/output.h"
#include "cli/platform_words.h"
#include "foreflow/base/escape.h"
#include "foreflow/base/text.h"
#include "foreflow/platform/describe.h"
#include "foreflow/platform/draw.h"
#include "foreflow/platform/import.h"
#include "foreflow/platform/load.h"
#include "foreflow/scenario/run.h"

namespace foreflow::cli::definitions::platform_command {
namespace {

struct Options {
  PlatformWords words;
  std::string json, output, from;
  bool draw = false;
  std::vector<std::string> route;
};

void check_xml_name(const std::string& path) { check_extension(path, "a platform", {"FILE.xml"}); }

std::string xml_of(const scenario::PlatformChoice& choice) {
  if (choice.path.empty()) return platform::write_xml(choice.recipe);
  if (choice.changes.empty() && choice.devices.empty()) return read_file(choice.path);
  throw Error("-o", "writes a file as it is, without other links or devices; give the name of a topology");
}

std::string picture_of(const platform::Platform& platform, const Options& options) {
  if (options.output.empty()) throw Error("--draw", "needs -o FILE.svg, or -o FILE.dot for Graphviz");
  check_extension(options.output, "a picture", {"FILE.svg", "FILE.dot"});
  return options.output.ends_with(".svg") ? platform::draw_svg(platform) : platform::draw_dot(platform);
}

// "device=..." and "network=..." of --set, and --nodes.
platform::ImportOptions import_options(const PlatformWords& words) {
  Json known = Json::object();
  for (const std::string& setting : words.settings) scenario::override_with(known, setting);
  const JsonView view(known, "--set");
  view.allow_only({"device", "network"});
  platform::ImportOptions options;
  if (view.has("device")) options.device = platform::read_device(view.at("device"));
  if (view.has("network"))
    options.network = &platform::networks().get(view.at("network").as_string(), view.at("network").where());
  options.nodes       = words.nodes.value_or(1);
  constexpr int kMost = 4096;
  if (options.nodes < 1 || options.nodes > kMost)
    throw Error("--nodes", std::to_string(options.nodes) + " is not possible; use 1 to " + std::to_string(kMost));
  return options;
}

void write_imported(const Options& options) {
  if (!options.words.name.empty()) throw Error("--from", "takes the place of NAME; leave out " + options.words.name);
  if (options.draw || !options.route.empty())
    throw Error("--from", "writes a platform; give -o FILE.xml, and then --draw or --route with that file");
  check_xml_name(options.output);
  const platform::Imported imported =
      platform::import_platform(read_file(options.from), options.from, import_options(options.words));
  for (const std::string& remark : imported.remarks) std::cerr << escape::terminal("foreflow: note: " + remark) << "\n";
  if (!options.output.empty()) return write_file(options.output, imported.xml);
  const platform::Platform loaded = platform::load(imported.xml, options.from);
  std::string text = platform::describe(loaded) + "read as " + std::string(imported.format) + "; assumed\n";
  Json assumed     = Json::array();
  for (const std::string& what : imported.assumed) {
    text += "  " + what + "\n";
    assumed.push(what);
  }
  Json json = options.json.empty() ? Json() : platform::to_json(loaded).set("assumed", std::move(assumed));
  answer(options.json, json, text);
}

void run(const Options& options) {
  if (!options.from.empty()) return write_imported(options);
  if (options.words.name.empty())
    throw Error("NAME", "is missing; give a topology, FILE.xml, SCENARIO.json or --from FILE");
  const scenario::PlatformChoice choice = read_words(options.words, "foreflow platform");
  if (!options.draw) check_xml_name(options.output);
  if (options.draw) return write_file(options.output, picture_of(*scenario::load_platform(choice), options));
  if (!options.output.empty()) return write_file(options.output, xml_of(choice));
  const scenario::PlatformRef loaded = scenario::load_platform(choice);
  const bool json                    = !options.json.empty();  // it lists every device, the text does not
  if (options.route.empty())
    return answer(options.json, json ? platform::to_json(*loaded) : Json(), platform::describe(*loaded));
  const std::string &from = options.route[0], &to = options.route[1];
  answer(options.json, json ? platform::route_to_json(*loaded, from, to) : Json(),
         platform::describe_route(*loaded, from, to));
}

Action declare(CLI::App& command) {
  const auto options = std::make_shared<Options>();
  reads_scenario(
      command.add_option("NAME", options->words.name,
                         "a topology or a cloud's instance (see: foreflow list topologies, instances), FILE.xml, or "
                         "SCENARIO.json for its platform"));
  reads(command.add_option("--from", options->from,
                           "FILE: the text of nvidia-smi topo -m or rocm-smi --showtopo, hwloc's XML (lstopo "
                           "--of xml), or an ASTRA-sim network file, as a platform; --set device=NAME and "
                           "network=NAME say what it cannot know"));
  command.add_option("--nodes", options->words.nodes, "servers of the topology");
  command
      .add_option("--set", options->words.settings,
                  "KEY=VALUE: a parameter (see: foreflow list topologies, fabrics), such as fabric=fat_tree2 or "
                  "links.nic.bandwidth=50GBps; repeatable")
      ->take_all();
  command.add_option("--route", options->route, "A B: what a message from A to B crosses")->expected(2);
  writes(command.add_option("--json", options->json, "write the description to FILE (- for stdout)"));
  command.add_flag("--draw", options->draw, "write a picture to FILE of -o: SVG by its extension, DOT otherwise");
  writes(command.add_option("-o,--output", options->output,
                            "write the SimGrid XML to FILE (- for stdout) and nothing else"));
  return [options] { run(*options); };
}

}  // namespace

CommandDef row() {
  return {"platform", "describe or generate a platform: devices, links, bisection bandwidth, routes",
          "foreflow platform dgx_a100 --nodes 4 --set fabric=fat_tree2 --route node0-gpu0 node1-gpu0", declare};
}

}  // namespace foreflow::cli::definitions::platform_command
