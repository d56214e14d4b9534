#include "cli/command.h"
#include "cli/output.h"
#include "foreflow/base/text.h"
#include "foreflow/platform/describe.h"
#include "foreflow/platform/load.h"

namespace foreflow::cli::definitions {
namespace {

struct Options {
  std::string name, json, output;
  int nodes = 0;  // 0: the topology's default
  std::vector<std::string> route;
};

bool is_file(const std::string& name) { return name.ends_with(".xml"); }

const platform::TopologyDef& topology_of(const Options& options) {
  return platform::topologies().get(options.name, "foreflow platform");
}

int nodes_of(const Options& options) { return options.nodes != 0 ? options.nodes : topology_of(options).default_nodes; }

void check_nodes(const Options& options) {
  if (is_file(options.name) && options.nodes != 0)
    throw Error("--nodes", "a file has the nodes that it has; give the name of a topology");
  if (options.nodes < 0) throw Error("--nodes", std::to_string(options.nodes) + " is too small; use 1 or more");
}

void run(const Options& options) {
  check_nodes(options);
  if (!options.output.empty()) {
    write_file(options.output,
               is_file(options.name) ? read_file(options.name) : topology_of(options).write(nodes_of(options)));
    return;
  }
  const platform::Platform platform = is_file(options.name) ? platform::load_file(options.name)
                                                            : platform::make(topology_of(options), nodes_of(options));
  if (options.route.empty()) return answer(options.json, platform::to_json(platform), platform::describe(platform));
  const std::string &from = options.route[0], &to = options.route[1];
  answer(options.json, platform::route_to_json(platform, from, to), platform::describe_route(platform, from, to));
}

Action declare(CLI::App& command) {
  const auto options = std::make_shared<Options>();
  command.add_option("NAME", options->name, "a topology (see: foreflow list topologies) or FILE.xml")->required();
  command.add_option("--nodes", options->nodes, "servers of the topology");
  command.add_option("--route", options->route, "A B: what a message from A to B crosses")->expected(2);
  command.add_option("--json", options->json, "write the description to FILE (- for stdout)");
  command.add_option("-o,--output", options->output, "write the SimGrid XML to FILE (- for stdout) and nothing else");
  return [options] { run(*options); };
}

}  // namespace

CommandDef platform() {
  return {"platform", "describe or generate a platform: devices, links, bisection bandwidth, routes",
          "foreflow platform dgx_a100 --nodes 4 --route node0-gpu0 node1-gpu0", declare};
}

}  // namespace foreflow::cli::definitions
