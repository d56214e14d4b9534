// The matrix of `nvidia-smi topo -m`.
//
//         GPU0  GPU1  NIC0  CPU Affinity  NUMA Affinity
//   GPU0   X    NV12  PXB   0-23          0
//   GPU1  NV12   X    SYS   24-47         1
//   NIC0  PXB   SYS    X
//
//   NIC Legend:
//     NIC0: mlx5_0
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <set>

#include "foreflow/base/nth.h"
#include "foreflow/base/text.h"
#include "platform/imports/imports.h"
#include "platform/imports/pcie_tree.h"
#include "platform/nodes/ports.h"
#include "platform/nodes/wiring.h"

namespace foreflow::platform::imports {
namespace {

constexpr int kMostNvlinks = 18;  // NVLinks of a GPU

struct Matrix {
  std::vector<std::string> gpus, cards;
  Relations relations;
  std::vector<std::vector<int>> nvlinks;  // [gpu][gpu]
  std::vector<std::string> numa;          // of each GPU; empty: not said
};

bool is_gpu(std::string_view word) {
  return word.starts_with("GPU") && word.size() > 3 && parse_number<int>(word.substr(3)).has_value();
}

// The words before "CPU Affinity", which may be the names of any cards.
std::vector<std::string> columns_of(const std::vector<std::string>& words) {
  std::vector<std::string> columns;
  for (const std::string& word : words) {
    if (word == "CPU" || word == "NUMA" || word == "Affinity") break;
    columns.push_back(word);
  }
  return columns;
}

std::optional<Nearness> nearness_of(std::string_view code) {
  static const std::map<std::string_view, Nearness> kCodes = {
      {"PIX", Nearness::one_switch}, {"PXB", Nearness::some_switches}, {"PHB", Nearness::host_bridge},
      {"NODE", Nearness::node},      {"SYS", Nearness::system},        {"SOC", Nearness::system},
      {"X", Nearness::one_switch}};
  const auto found = kCodes.find(code);
  if (found != kCodes.end()) return found->second;
  if (code.starts_with("NV") && parse_number<int>(code.substr(2)).value_or(0) > 0) return Nearness::unknown;
  return std::nullopt;
}

int nvlinks_of(std::string_view code) { return code.starts_with("NV") ? *parse_number<int>(code.substr(2)) : 0; }

size_t header_line(const std::vector<std::string>& lines) {
  for (size_t i = 0; i < lines.size(); ++i) {
    const std::vector<std::string> words = words_of(lines[i]);
    if (!words.empty() && is_gpu(words[0]) && std::find(words.begin(), words.end(), "X") == words.end()) return i;
  }
  return lines.size();
}

// "NIC0: mlx5_0" of the legend.
std::map<std::string, std::string> legend_of(const std::vector<std::string>& lines) {
  std::map<std::string, std::string> names;
  for (const std::string& line : lines) {
    const std::vector<std::string> words = words_of(line);
    if (words.size() == 2 && words[0].starts_with("NIC") && words[0].ends_with(":"))
      names[words[0].substr(0, words[0].size() - 1)] = words[1];
  }
  return names;
}

class MatrixReader {
 public:
  explicit MatrixReader(const Text& text) : text_(text), lines_(lines_of(text.text)) {}

  Matrix read() {
    const size_t header = header_line(lines_);
    columns_            = columns_of(words_of(lines_[header]));
    check_columns(header + 1);
    name_parts();
    const size_t count = columns_.size();
    matrix_.relations.nearness.assign(count, std::vector<Nearness>(count, Nearness::unknown));
    matrix_.nvlinks.assign(matrix_.gpus.size(), std::vector<int>(matrix_.gpus.size()));
    matrix_.numa.resize(matrix_.gpus.size());
    for (size_t line = header + 1; line < lines_.size(); ++line) read_row(line);
    for (size_t i = 0; i < count; ++i) {
      if (!seen_.contains(i)) text_.fail(fmt::format("the matrix has no row of {}", columns_[i]));
    }
    check_symmetry();
    return std::move(matrix_);
  }

 private:
  void check_columns(size_t line) const {
    if (columns_.size() > kMostOfServer)
      text_.fail_at(line, fmt::format("{} columns are too many; use at most {}", columns_.size(), kMostOfServer));
    std::set<std::string> names;
    bool cards = false;
    for (const std::string& column : columns_) {
      if (!names.insert(column).second) text_.fail_at(line, fmt::format("the column {} stands twice", column));
      if (is_gpu(column) && cards) text_.fail_at(line, "a GPU stands after a network card; cards come last");
      cards = cards || !is_gpu(column);
    }
  }

  void name_parts() {
    const auto legend = legend_of(lines_);
    for (const std::string& column : columns_) {
      const auto known       = legend.find(column);
      const std::string name = plain(known == legend.end() ? column : known->second);
      matrix_.relations.names.push_back(name);
      (is_gpu(column) ? matrix_.gpus : matrix_.cards).push_back(name);
    }
  }

  void read_row(size_t line) {
    const std::vector<std::string> words = words_of(lines_[line]);
    if (words.empty()) return;
    const auto found = std::find(columns_.begin(), columns_.end(), words[0]);
    if (found == columns_.end()) return;
    const auto row = static_cast<size_t>(found - columns_.begin());
    if (!seen_.insert(row).second) text_.fail_at(line + 1, fmt::format("the row {} stands twice", words[0]));
    if (words.size() < columns_.size() + 1) {
      text_.fail_at(line + 1, fmt::format("the row {} has {} entries for {} columns", words[0], words.size() - 1,
                                          columns_.size()));
    }
    for (size_t column = 0; column < columns_.size(); ++column) read_entry(line + 1, row, column, words[column + 1]);
    // CPU affinity, NUMA affinity
    if (row < matrix_.gpus.size() && words.size() > columns_.size() + 2) matrix_.numa[row] = words[columns_.size() + 2];
  }

  void read_entry(size_t line, size_t row, size_t column, const std::string& code) {
    const std::optional<Nearness> nearness = nearness_of(code);
    if (!nearness || (code == "X") != (row == column)) {
      text_.fail_at(line, fmt::format("\"{}\" of {} and {} is none of NV1, NV2, ..., PIX, PXB, PHB, NODE, SYS", code,
                                      columns_[row], columns_[column]));
    }
    matrix_.relations.nearness[row][column] = *nearness;
    const int links                         = nvlinks_of(code);
    if (links == 0) return;
    if (row >= matrix_.gpus.size() || column >= matrix_.gpus.size() || links > kMostNvlinks) {
      text_.fail_at(line, fmt::format("{} and {} cannot have {} NVLinks; GPUs have at most {}", columns_[row],
                                      columns_[column], links, kMostNvlinks));
    }
    matrix_.nvlinks[row][column] = links;
  }

  void check_symmetry() const {
    for (size_t a = 0; a < columns_.size(); ++a) {
      for (size_t b = 0; b < a; ++b) {
        const bool same = matrix_.relations.nearness[a][b] == matrix_.relations.nearness[b][a] &&
                          (a >= matrix_.gpus.size() || matrix_.nvlinks[a][b] == matrix_.nvlinks[b][a]);
        if (!same)
          text_.fail(fmt::format("{} to {} differs from the way back; check the matrix", columns_[b], columns_[a]));
      }
    }
  }

  const Text& text_;
  std::vector<std::string> lines_;
  std::vector<std::string> columns_;
  std::set<size_t> seen_;
  Matrix matrix_;
};

// GPUs whose place in the PCIe tree nothing tells: those of one NUMA node are taken to be in it, no nearer.
void place_by_numa(Matrix& matrix, std::vector<std::string>& assumed) {
  const size_t gpus = matrix.gpus.size();
  bool guessed      = false;
  for (size_t a = 0; a < gpus; ++a) {
    const auto& row = matrix.relations.nearness[a];
    const bool told = std::any_of(row.begin(), row.end(), [&](const Nearness& one) {
      return one != Nearness::unknown && static_cast<size_t>(&one - row.data()) != a;
    });
    if (told) continue;
    guessed = gpus > 1;
    for (size_t b = 0; b < gpus; ++b) {
      if (a != b && !matrix.numa[a].empty() && matrix.numa[a] == matrix.numa[b])
        matrix.relations.nearness[a][b] = matrix.relations.nearness[b][a] = Nearness::node;
    }
  }
  if (guessed)
    assumed.emplace_back(
        "PCIe: the file does not say where GPUs joined by NVLink sit; each has a link of its own to its "
        "NUMA node");
}

int sum_of(const std::vector<int>& row) { return std::accumulate(row.begin(), row.end(), 0); }

// More links than a GPU has are the same ones, to a switch.
bool is_switched(const Matrix& matrix) {
  return std::any_of(matrix.nvlinks.begin(), matrix.nvlinks.end(),
                     [](const std::vector<int>& row) { return sum_of(row) > kMostNvlinks; });
}

// The NVLinks of the GPU that has most of them.
int most_nvlinks(const Matrix& matrix) {
  const bool switched = is_switched(matrix);
  int most            = 0;
  for (const auto& row : matrix.nvlinks)
    most = std::max(most, switched ? *std::max_element(row.begin(), row.end()) : sum_of(row));
  return most;
}

// The device with this number of NVLinks.
std::string_view guess_of(const Matrix& matrix) {
  constexpr int kOfHopper = 18, kOfAmpere = 12;
  const int most = most_nvlinks(matrix);
  if (most >= kOfHopper) return "H100-SXM5-80GB";
  if (most >= kOfAmpere) return "A100-SXM4-80GB";
  return most > 0 ? "V100-SXM2-32GB" : "A100-PCIE-80GB";
}

// Data sheets say a generation of NVLink. P100, V100, A100 and H100 were the first devices with 1 to 4, and had the
// most links of it. A device without a generation may have a bridge of four links, as an A40 has.
std::vector<std::string> remarks_on(const Matrix& matrix, const DataSheet& sheet) {
  constexpr std::array kMostOf = {4, 4, 6, 12, kMostNvlinks};
  const int generation         = std::min<int>(sheet.nvlink_generation, kMostOf.size() - 1);
  const int found = most_nvlinks(matrix), most = nth(kMostOf, generation);
  if (found <= most) return {};
  const std::string has =
      generation == 0 ? "none" : fmt::format("at most {}, those of generation {}", most, generation);
  return {
      fmt::format("{}: the matrix has {} NVLinks of a GPU, and its data sheet {}; --set device=NAME says which it is",
                  sheet.kind, found, has)};
}

void add_nvlinks(Server& server, const Matrix& matrix) {
  Node& node                = server.node;
  const BytesPerSecond rate = nvlink_rate(node.gpu.nvlink_generation);
  server.assumed.push_back(fmt::format("NVLink: {} each way of a link, as its generation has", format(rate)));
  if (!is_switched(matrix)) {
    for (int a = 0; a < node.gpus; ++a) {
      for (int b = a + 1; b < node.gpus; ++b) {
        const int links = nth(nth(matrix.nvlinks, a), b);
        if (links == 0) continue;
        connect(node, fmt::format("gpu{}-gpu{}", a, b), {"nvlink", static_cast<double>(links) * rate, kDirectLatency},
                a, b);
      }
    }
    return;
  }
  server.assumed.emplace_back("NVSwitch: more NVLinks than a GPU has, so all go to one switch that does not block");
  const int centre = add_switch(node, "nvswitch");
  for (int gpu = 0; gpu < node.gpus; ++gpu) {
    const auto& row = nth(matrix.nvlinks, gpu);
    const int links = *std::max_element(row.begin(), row.end());
    if (links == 0) continue;
    connect(node, fmt::format("gpu{}-nvlink", gpu), nvlink_port(static_cast<double>(links) * rate), gpu, centre);
  }
}

bool recognises(std::string_view text) {
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) return false;
  const std::vector<std::string> lines = lines_of(text);
  const size_t header                  = header_line(lines);
  if (header == lines.size()) return false;
  return std::any_of(lines.begin(), lines.end(), [](const std::string& line) {
    const std::vector<std::string> words = words_of(line);
    return words.size() > 1 && is_gpu(words[0]) && std::find(words.begin(), words.end(), "X") != words.end();
  });
}

Imported read(const Text& text, const ImportOptions& options) {
  Matrix matrix = MatrixReader(text).read();
  Server server;
  server.node.title   = "Server as nvidia-smi topo -m shows it";
  server.node.sources = {"nodes: " + text.file, kLatencySource};
  server.node.gpus    = static_cast<int>(matrix.gpus.size());
  server.node.gpu     = sheet_or(options, guess_of(matrix), "by the number of its NVLinks", server.assumed);
  const bool linked   = std::any_of(matrix.nvlinks.begin(), matrix.nvlinks.end(), [](const std::vector<int>& row) {
    return std::any_of(row.begin(), row.end(), [](int links) { return links > 0; });
  });
  if (linked) add_nvlinks(server, matrix);
  place_by_numa(matrix, server.assumed);
  const Port pcie = pcie_of(server.node.gpu);
  server.assumed.push_back(fmt::format("PCIe: x16 of {}, each way, for every link; between NUMA nodes {}",
                                       format(pcie.bandwidth), format(upi_port().bandwidth)));
  const Port nic  = matrix.cards.empty() ? Port{} : nic_of(options, server.assumed);
  const Tree tree = add_pcie_tree(server.node, matrix.relations, pcie, nic, text);
  if (matrix.cards.empty()) assume_card(server, options, tree.roots.front());
  std::vector<std::string> remarks = remarks_on(matrix, server.node.gpu);
  Imported imported                = write_servers(std::move(server), options, text);
  imported.remarks                 = std::move(remarks);
  return imported;
}

}  // namespace

Reader nvidia_smi() { return {{"nvidia-smi topo -m", "NVIDIA's matrix of GPUs and network cards"}, recognises, read}; }

}  // namespace foreflow::platform::imports
