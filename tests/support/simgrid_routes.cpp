#include "support/simgrid_routes.h"

#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <simgrid/s4u.hpp>
#include <sstream>

#include "foreflow/base/process.h"

namespace foreflow::test {
namespace {

namespace s4u = simgrid::s4u;

SimgridRoute route_of(const std::string& from, const std::string& to) {
  std::vector<s4u::Link*> links;
  SimgridRoute route;
  try {
    s4u::Host::by_name(from)->route_to(s4u::Host::by_name(to), links, &route.latency);
  } catch (const std::exception&) {  // no way by Floyd's or Dijkstra's rule
    return {};
  }
  double least = std::numeric_limits<double>::infinity();
  for (const s4u::Link* link : links) {
    route.links.push_back(link->get_name());
    least = std::min(least, link->get_bandwidth());
  }
  route.bandwidth = links.empty() ? 0 : least;
  return route;
}

// A line for each route: latency, bandwidth, and the links behind tabulators.
std::string ask(const std::string& path, const std::vector<std::pair<std::string, std::string>>& pairs) {
  std::vector<std::string> words = {"routes", "--log=root.thresh:critical"};
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  int count = static_cast<int>(arguments.size());
  arguments.push_back(nullptr);
  s4u::Engine engine(&count, arguments.data());
  engine.load_platform(path);
  engine.seal_platform();
  std::string text;
  for (const auto& [from, to] : pairs) {
    const SimgridRoute route = route_of(from, to);
    text += fmt::format("{:.17g}\t{:.17g}", route.latency, route.bandwidth);
    for (const std::string& link : route.links) text += "\t" + link;
    text += "\n";
  }
  return text;
}

}  // namespace

std::vector<SimgridRoute> simgrid_routes(const std::string& path,
                                         const std::vector<std::pair<std::string, std::string>>& pairs) {
  std::istringstream lines(run_in_child(path, [&] { return ask(path, pairs); }));
  std::vector<SimgridRoute> routes;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    SimgridRoute route;
    std::string word;
    std::getline(words, word, '\t');
    route.latency = std::stod(word);
    std::getline(words, word, '\t');
    route.bandwidth = std::stod(word);
    while (std::getline(words, word, '\t')) route.links.push_back(word);
    routes.push_back(std::move(route));
  }
  return routes;
}

}  // namespace foreflow::test
