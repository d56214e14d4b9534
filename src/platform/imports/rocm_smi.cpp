// The matrix of link types of `rocm-smi --showtopo`.
//
//   ======================== Link Type between two GPUs ========================
//          GPU0         GPU1
//   GPU0   0            XGMI
//   GPU1   XGMI         0
#include <fmt/core.h>

#include <algorithm>

#include "foreflow/base/nth.h"
#include "foreflow/base/text.h"
#include "platform/imports/imports.h"
#include "platform/imports/pcie_tree.h"
#include "platform/nodes/ports.h"
#include "platform/nodes/wiring.h"

namespace foreflow::platform::imports {
namespace {

constexpr std::string_view kTitle = "Link Type between two GPUs";

bool is_rocm_gpu(std::string_view word) { return word.starts_with("GPU") && parse_number<int>(word.substr(3)); }

// [gpu][gpu]: joined by Infinity Fabric.
std::vector<std::vector<bool>> read_types(const Text& text) {
  const std::vector<std::string> lines = lines_of(text.text);
  size_t line                          = 0;
  while (line < lines.size() && lines[line].find(kTitle) == std::string::npos) ++line;
  std::vector<std::string> columns;
  for (++line; line < lines.size() && columns.empty(); ++line) columns = words_of(lines[line]);
  if (columns.empty() || !std::all_of(columns.begin(), columns.end(), is_rocm_gpu))
    text.fail(fmt::format("has no matrix below \"{}\"; give all that rocm-smi --showtopo prints", kTitle));
  if (columns.size() > kMostOfServer)
    text.fail_at(line, fmt::format("{} GPUs are too many; use at most {}", columns.size(), kMostOfServer));
  std::vector<std::vector<bool>> joined;
  for (; line < lines.size() && joined.size() < columns.size(); ++line) {
    const std::vector<std::string> words = words_of(lines[line]);
    if (words.empty()) continue;
    if (words[0] != columns[joined.size()] || words.size() != columns.size() + 1)
      text.fail_at(line + 1,
                   fmt::format("should be the row of {} with {} entries", columns[joined.size()], columns.size()));
    std::vector<bool>& row = joined.emplace_back();
    for (size_t column = 0; column < columns.size(); ++column) {
      const std::string& code = words[column + 1];
      const bool self         = column + 1 == joined.size();
      if (self ? code != "0" : code != "XGMI" && code != "PCIE") {
        text.fail_at(line + 1,
                     fmt::format("\"{}\" of {} and {} is neither XGMI nor PCIE", code, words[0], columns[column]));
      }
      row.push_back(code == "XGMI");
    }
  }
  if (joined.size() < columns.size()) text.fail(fmt::format("the matrix has no row of {}", columns[joined.size()]));
  for (size_t a = 0; a < joined.size(); ++a) {
    for (size_t b = 0; b < a; ++b) {
      if (joined[a][b] != joined[b][a])
        text.fail(fmt::format("{} to {} differs from the way back; check the matrix", columns[b], columns[a]));
    }
  }
  return joined;
}

bool recognises_rocm(std::string_view text) { return text.find(kTitle) != std::string_view::npos; }

Imported read_rocm(const Text& text, const ImportOptions& options) {
  const std::vector<std::vector<bool>> joined = read_types(text);
  Server server;
  Node& node   = server.node;
  node.title   = "Server as rocm-smi --showtopo shows it";
  node.sources = {"nodes: " + text.file, kLatencySource};
  node.gpus    = static_cast<int>(joined.size());
  node.gpu     = sheet_or(options, "MI300X-192GB", "which the file does not name", server.assumed);
  server.assumed.emplace_back("Infinity Fabric: 64 GB/s each way for each pair, as MI300X have it");
  for (int a = 0; a < node.gpus; ++a) {
    for (int b = a + 1; b < node.gpus; ++b) {
      if (nth(nth(joined, a), b))
        connect(node, fmt::format("gpu{}-gpu{}", a, b), {"xgmi", 64_GBps, kDirectLatency}, a, b);
    }
  }
  Relations relations;
  const auto count = static_cast<size_t>(node.gpus);
  for (int gpu = 0; gpu < node.gpus; ++gpu) relations.names.push_back(fmt::format("gpu{}", gpu));
  relations.nearness.assign(count, std::vector<Nearness>(count, Nearness::node));
  const Port pcie = pcie_of(node.gpu);
  server.assumed.push_back(
      fmt::format("PCIe: all GPUs on one root complex, x16 of {} each way", format(pcie.bandwidth)));
  const Tree tree = add_pcie_tree(node, relations, pcie, {}, text);
  assume_card(server, options, tree.roots.front());
  return write_servers(std::move(server), options, text);
}

}  // namespace

Reader rocm_smi() { return {{"rocm-smi --showtopo", "AMD's matrices of GPUs"}, recognises_rocm, read_rocm}; }

}  // namespace foreflow::platform::imports
