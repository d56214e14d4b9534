// Network files of ASTRA-sim's analytical backend: dimensions, each a ring, a switch, or all pairs of a number of NPUs.
//
//   topology: [ Ring, Switch ]        {"topologies-per-dim": ["Ring", "Switch"], "units-count": [4, 2],
//   npus_count: [ 4, 2 ]               "link-bandwidth": [200, 50], "link-latency": [500, 1000]}
//   bandwidth: [ 200.0, 50.0 ]
//   latency: [ 500.0, 1000.0 ]
//
// GB/s and ns of a link. (Won et al., ASTRA-sim2.0, ISPASS 2023.)
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "foreflow/base/json.h"
#include "foreflow/base/nth.h"
#include "foreflow/base/text.h"
#include "platform/imports/imports.h"
#include "platform/link_units.h"
#include "platform/parameters.h"

namespace foreflow::platform::imports {
namespace {

enum class Joint : uint8_t { ring, all_pairs, one_switch };

struct Dimension {
  Joint shape;
  int npus;
  Port port;  // of a link
};

constexpr int kMostNpus = 65'536;

// The four lists, as words.
struct Lists {
  std::vector<std::string> shapes, npus, bandwidths, latencies;
};

std::string lower_case(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

Joint shape_named(const Text& text, const std::string& name) {
  const std::string lower = lower_case(name);
  if (lower == "ring") return Joint::ring;
  if (lower == "fullyconnected" || lower == "fc") return Joint::all_pairs;
  if (lower == "switch" || lower == "sw") return Joint::one_switch;
  text.fail(fmt::format("topology \"{}\" is not known; use Ring, FullyConnected or Switch", name));
}

// No network is slower or faster, and times in these ranges can be added up exactly in a platform of any size.
constexpr double kLeastBandwidth = 1e-6, kMostBandwidth = 1e9;  // in GB/s
constexpr double kMostLatency = 1e8;                            // in ns

double number_in(const Text& text, const char* key, const std::string& word, double least, double most) {
  const auto number = parse_number<double>(word);
  if (!number || !(*number >= least && *number <= most))
    text.fail(fmt::format("{} \"{}\" must be a number from {:g} to {:g}", key, word, least, most));
  return *number;
}

// "key: [ a, b ]", "key: a", or a line "- a" of a list below its key; what follows # is a comment.
std::vector<std::string> list_after(std::string line) {
  line = line.substr(0, line.find('#'));
  for (char& c : line) {
    if (c == '[' || c == ']' || c == ',' || c == '"' || c == '\'') c = ' ';
  }
  return words_of(line);
}

Lists read_yaml(const Text& text) {
  Lists lists;
  const std::map<std::string, std::vector<std::string>*> keys = {{"topology", &lists.shapes},
                                                                 {"npus_count", &lists.npus},
                                                                 {"bandwidth", &lists.bandwidths},
                                                                 {"latency", &lists.latencies}};
  const std::vector<std::string> lines                        = lines_of(text.text);
  std::vector<std::string>* below                             = nullptr;  // the list whose lines follow
  for (size_t line = 0; line < lines.size(); ++line) {
    const std::vector<std::string> items = list_after(lines[line]);
    if (items.size() == 2 && items.front() == "-" && below != nullptr) {
      below->push_back(items.back());
      continue;
    }
    if (items.empty()) continue;
    below              = nullptr;
    const size_t colon = lines[line].find(':');
    if (colon == std::string::npos) continue;
    const std::vector<std::string> words = words_of(lines[line].substr(0, colon));
    const auto key                       = words.empty() ? keys.end() : keys.find(words.front());
    if (key == keys.end()) continue;
    if (!key->second->empty()) text.fail_at(line + 1, fmt::format("the key {} stands twice; keep one", key->first));
    *key->second = list_after(lines[line].substr(colon + 1));
    if (key->second->empty()) below = key->second;
  }
  return lists;
}

std::vector<std::string> words_in(const JsonView& json, const char* key, const char* other) {
  const JsonView list = json.at(json.has(key) || !json.has(other) ? key : other);
  std::vector<std::string> words;
  for (const JsonView& item : list.items())
    words.push_back(item.json().if_string() != nullptr ? item.as_string() : fmt::format("{}", item.as_number()));
  return words;
}

Lists read_json(const Text& text) {
  const Json json = parse_json(text.text, text.file);
  const JsonView view(json, text.file);
  return {words_in(view, "topologies-per-dim", "topology"), words_in(view, "units-count", "npus_count"),
          words_in(view, "link-bandwidth", "bandwidth"), words_in(view, "link-latency", "latency")};
}

std::vector<Dimension> read_dimensions(const Text& text) {
  const size_t first = text.text.find_first_not_of(" \t\r\n");
  const Lists lists  = text.text[first] == '{' ? read_json(text) : read_yaml(text);
  const size_t count = lists.shapes.size();
  if (count == 0) text.fail("names no topology; give Ring, FullyConnected or Switch for each dimension");
  for (const auto& [key, list] : {std::pair{"npus_count", &lists.npus}, std::pair{"bandwidth", &lists.bandwidths},
                                  std::pair{"latency", &lists.latencies}}) {
    if (list->size() != count)
      text.fail(fmt::format("{} has {} numbers for {} dimensions; give one for each", key, list->size(), count));
  }
  std::vector<Dimension> dimensions;
  double npus = 1;
  for (size_t d = 0; d < count; ++d) {
    const double size = number_in(text, "npus_count", lists.npus[d], 1, kMostNpus);
    npus *= size;
    if (size != std::floor(size)) text.fail(fmt::format("npus_count \"{}\" must be a whole number", lists.npus[d]));
    if (npus > kMostNpus) text.fail(fmt::format("{:.0f} NPUs are too many; use at most {}", npus, kMostNpus));
    const double bandwidth = number_in(text, "bandwidth", lists.bandwidths[d], kLeastBandwidth, kMostBandwidth);
    dimensions.push_back({shape_named(text, lists.shapes[d]),
                          static_cast<int>(size),
                          {"fabric", BytesPerSecond(bandwidth * 1e9),
                           Seconds(number_in(text, "latency", lists.latencies[d], 0, kMostLatency) * 1e-9)}});
  }
  return dimensions;
}

// Links of an NPU in the dimension.
int links_of(const Dimension& dimension) {
  if (dimension.npus < 2) return 0;
  if (dimension.shape == Joint::one_switch) return 1;
  return dimension.shape == Joint::ring ? std::min(2, dimension.npus - 1) : dimension.npus - 1;
}

class NpuNetwork {
 public:
  NpuNetwork(const std::vector<Dimension>& dimensions, const DataSheet& sheet) : dimensions_(dimensions) {
    blueprint_.props  = {{"ecmp", "dmodk"}};
    blueprint_.sheets = {{sheet}};
    for (const Dimension& dimension : dimensions) npus_ *= dimension.npus;
  }

  Blueprint build() {
    add_npus();
    int stride = 1;
    for (size_t d = 0; d < dimensions_.size(); ++d) {
      for (int npu = 0; npu < npus_; ++npu) {
        if (npu / stride % dimensions_[d].npus == 0) join(static_cast<int>(d), npu, stride);
      }
      stride *= dimensions_[d].npus;
    }
    return std::move(blueprint_);
  }

 private:
  // Each NPU has a router that passes on what is not for it, behind all its links together.
  void add_npus() {
    BytesPerSecond all;
    for (const Dimension& dimension : dimensions_)
      all += static_cast<double>(links_of(dimension)) * dimension.port.bandwidth;
    if (all.value() <= 0) all = dimensions_.front().port.bandwidth;
    const int of_node = dimensions_.front().npus;
    for (int npu = 0; npu < npus_; ++npu) {
      blueprint_.vertices.push_back(fmt::format("npu{}", npu));
      blueprint_.hosts.push_back({npu, fmt::format("node{}", npu / of_node), 0, 0});
    }
    for (int npu = 0; npu < npus_; ++npu) {
      add_router(fmt::format("router{}", npu));
      join_two(npu, npus_ + npu, {"nic", all, Seconds(0)});
    }
  }

  int add_router(const std::string& name) {
    const int vertex = static_cast<int>(blueprint_.vertices.size());
    blueprint_.vertices.push_back(name);
    blueprint_.routers.push_back(vertex);
    return vertex;
  }

  void join_two(int from, int to, const Port& port) {
    const std::string name = fmt::format("{}-{}", nth(blueprint_.vertices, from), nth(blueprint_.vertices, to));
    blueprint_.cables.push_back({name, port, from, to});
  }

  // The group of NPUs that begins with `first`.
  void join(int number, int first, int stride) {
    const Dimension& dimension = nth(dimensions_, number);
    const auto router          = [&](int i) { return npus_ + first + i * stride; };
    if (dimension.npus < 2) return;
    if (dimension.shape == Joint::one_switch) {
      const int centre = add_router(fmt::format("dim{}-switch{}", number, first));
      for (int i = 0; i < dimension.npus; ++i) join_two(router(i), centre, dimension.port);
    } else if (dimension.shape == Joint::ring) {
      for (int i = 0; i < (dimension.npus == 2 ? 1 : dimension.npus); ++i)
        join_two(router(i), router((i + 1) % dimension.npus), dimension.port);
    } else {
      for (int i = 0; i < dimension.npus; ++i) {
        for (int j = i + 1; j < dimension.npus; ++j) join_two(router(i), router(j), dimension.port);
      }
    }
  }

  const std::vector<Dimension>& dimensions_;
  int npus_ = 1;
  Blueprint blueprint_;
};

void check_links(const Text& text, const std::vector<Dimension>& dimensions) {
  double npus = 1, links = 0;
  for (const Dimension& dimension : dimensions) npus *= dimension.npus;
  for (const Dimension& dimension : dimensions) links += npus * links_of(dimension);
  if (links > kMostLinks) text.fail(fmt::format("{:.0f} links are too many; use at most {}", links, kMostLinks));
}

bool recognises_astra(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return false;
  if (text[first] == '{')
    return text.find("topologies-per-dim") != std::string_view::npos ||
           text.find("npus_count") != std::string_view::npos;
  return text.find("npus_count:") != std::string_view::npos;
}

Imported read_astra(const Text& text, const ImportOptions& options) {
  if (options.nodes != 1) text.fail("has all its NPUs; leave out --nodes");
  const std::vector<Dimension> dimensions = read_dimensions(text);
  check_links(text, dimensions);
  Imported imported;
  const DataSheet sheet = sheet_or(options, "A100-SXM4-80GB", "which the file does not name", imported.assumed);
  imported.assumed.emplace_back("servers: the NPUs of the first dimension are one");
  imported.assumed.emplace_back("NPUs pass on messages of others, as fast as all their links together");
  Blueprint blueprint = NpuNetwork(dimensions, sheet).build();
  blueprint.comment   = {"Network file of ASTRA-sim: " + text.file + "."};
  for (const std::string& source : sheet.sources) blueprint.comment.push_back("  " + source);
  for (const std::string& what : imported.assumed) blueprint.comment.push_back("  assumed: " + what);
  imported.xml = write(blueprint);
  return imported;
}

}  // namespace

Reader astra_sim() { return {{"an ASTRA-sim network file", "analytical, YAML or JSON"}, recognises_astra, read_astra}; }

}  // namespace foreflow::platform::imports
