// Collectives as NCCL and MSCCL were measured, against what their rows and the calibrations of devices predict. Prints
// the median of the absolute relative errors below 1 MiB and from there on, for `auto`, for the library, and for the
// library with `cost.model: calibrated`: the table in docs/design/collective.md.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iostream>
#include <map>

#include "foreflow/base/nth.h"
#include "foreflow/base/text.h"
#include "foreflow/collective/library.h"
#include "foreflow/platform/load.h"
#include "foreflow/scenario/scenario.h"
#include "foreflow/simulate/alone.h"
#include "support/shared.h"

namespace foreflow::published::libraries_test {
namespace {

using collective::AlgorithmDef;
using collective::Kind;
using Cells = std::map<std::string, std::string>;

constexpr double kLong = 1024 * 1024;  // bytes

struct Measurement {
  Kind kind;
  int ranks, nodes;
  double bytes, seconds;
};

// Rows of a file that belong to a series; nothing for others.
struct Series {
  const char *name, *file, *topology, *library;
  std::function<std::optional<Measurement>(const Cells&)> read;
  // What must hold, in percent: medians below 1 MiB and from there on, of the library and with the calibration.
  double library_short, library_long, measured_short, measured_long;
};

double number(const Cells& row, const char* column) { return std::stod(row.at(column)); }

std::function<std::optional<Measurement>(const Cells&)> one_server(const std::string& system, const std::string& kind) {
  return [=](const Cells& row) -> std::optional<Measurement> {
    if (row.at("system") != system || row.at("collective") != kind) return std::nullopt;
    const std::string name = kind == "alltoall" ? "all_to_all" : kind;
    return Measurement{collective::kind_named(name, "test"), std::stoi(row.at("gpus")), 1, number(row, "message_bytes"),
                       number(row, "latency_ms") * 1e-3};
  };
}

std::function<std::optional<Measurement>(const Cells&)> vtrain(const std::string& gpu) {
  return [=](const Cells& row) -> std::optional<Measurement> {
    if (row.at("gpu") != gpu) return std::nullopt;
    return Measurement{Kind::all_reduce, std::stoi(row.at("gpus")), 1, number(row, "size_bytes"),
                       number(row, "time_ns") * 1e-9};
  };
}

std::function<std::optional<Measurement>(const Cells&)> azure(int ranks) {
  return [=](const Cells& row) -> std::optional<Measurement> {
    if (std::stoi(row.at("gpus")) != ranks) return std::nullopt;
    return Measurement{Kind::all_reduce, ranks, std::stoi(row.at("nodes")), number(row, "size_bytes"),
                       number(row, "oop_time_us") * 1e-6};
  };
}

std::function<std::optional<Measurement>(const Cells&)> msccl(const std::string& kind, const char* column) {
  return [=](const Cells& row) -> std::optional<Measurement> {
    if (row.at("op") != kind) return std::nullopt;
    return Measurement{collective::kind_named(kind, "test"), std::stoi(row.at("gpus")), 1, number(row, "size_bytes"),
                       number(row, column) * 1e-6};
  };
}

std::optional<Measurement> four(const Cells& row) {
  return Measurement{Kind::all_reduce, 4, 1, number(row, "size_bytes"), number(row, "latency_us") * 1e-6};
}

std::vector<Series> all_series() {
  const char *nodes = "nccl_single_node.csv", *rings = "nccl_allreduce_a100_v100_1MB_to_1GB.csv",
             *cloud = "nccl_allreduce_azure_a100_1_to_16gpu.csv", *pairs = "msccl_azure_ndv5_h100_1node.csv";
  std::vector<Series> all;
  const auto add = [&](const char* name, const char* file, const char* topology, const char* library, auto read,
                       std::array<double, 4> limits) {
    all.push_back({name, file, topology, library, read, limits[0], limits[1], limits[2], limits[3]});
  };
  struct Server {
    const char *name, *system, *topology;
    std::array<std::array<double, 4>, 4> limits;  // by kind
  };
  // Eight L40S meet over two sockets at 1.4 GB/s, which no data sheet says.
  const Server servers[] = {
      {"A100", "a100_sxm", "dgx_a100", {{{32, 20, 4, 5}, {33, 33, 4, 9}, {29, 28, 5, 6}, {44, 40, 8, 4}}}},
      {"H100", "h100_sxm", "dgx_h100", {{{10, 16, 4, 5}, {11, 17, 5, 6}, {13, 19, 6, 7}, {16, 25, 10, 6}}}},
      {"H200", "h200_sxm", "dgx_h200", {{{13, 16, 7, 4}, {17, 17, 10, 6}, {16, 17, 7, 6}, {24, 22, 12, 5}}}},
      {"B200", "b200_sxm", "dgx_b200", {{{33, 22, 6, 6}, {29, 21, 5, 7}, {27, 23, 5, 7}, {35, 37, 6, 8}}}},
      {"L40S", "l40s", "pcie_l40s", {{{22, 80, 5, 2}, {15, 82, 12, 3}, {23, 81, 7, 4}, {34, 82, 15, 3}}}}};
  const char* kinds[] = {"all_reduce", "all_gather", "reduce_scatter", "alltoall"};
  for (const Server& server : servers) {
    for (size_t i = 0; i < std::size(kinds); ++i)
      add(server.name, nodes, server.topology, "nccl@2.23", one_server(server.system, kinds[i]), server.limits[i]);
  }
  add("A100, vTrain", rings, "dgx_a100", "nccl@2.18", vtrain("a100"), {0, 16, 0, 4});
  add("V100, vTrain", rings, "dgx1", "nccl@2.18", vtrain("v100"), {0, 15, 0, 2});
  add("A100, Azure", cloud, "ndv4_a100", "nccl@2.18", azure(2), {17, 34, 17, 7});
  add("A100, Azure", cloud, "ndv4_a100", "nccl@2.18", azure(4), {39, 17, 17, 7});
  add("A100, Azure", cloud, "ndv4_a100", "nccl@2.18", azure(8), {54, 19, 33, 6});
  add("A100, Azure, two servers", cloud, "ndv4_a100", "nccl@2.18", azure(16), {41, 46, 41, 46});
  add("A100, LLMCompass", "allreduce_A100x4.csv", "dgx_a100", "nccl@2.18", four, {34, 12, 11, 7});
  add("H100, Azure", pairs, "dgx_h100", "nccl@2.18", msccl("all_reduce", "nccl_time_us"), {16, 14, 13, 5});
  add("H100, Azure", pairs, "dgx_h100", "nccl@2.18", msccl("all_gather", "nccl_time_us"), {13, 7, 11, 5});
  add("H100, Azure, MSCCL", pairs, "dgx_h100", "msccl@2.12", msccl("all_reduce", "msccl_time_us"), {17, 21, 17, 21});
  add("H100, Azure, MSCCL", pairs, "dgx_h100", "msccl@2.12", msccl("all_gather", "msccl_time_us"), {5, 7, 5, 7});
  return all;
}

std::vector<Measurement> read(const std::filesystem::path& path, const Series& series) {
  std::vector<Measurement> rows;
  const auto lines = split(read_file(path.string()), '\n');
  const auto names = split(trim(lines.front()), ',');
  for (size_t i = 1; i < lines.size(); ++i) {
    const auto values = split(trim(lines[i]), ',');
    if (values.size() != names.size()) continue;
    Cells cells;
    for (size_t c = 0; c < names.size(); ++c) cells[std::string(names[c])] = values[c];
    if (const auto row = series.read(cells)) rows.push_back(*row);
  }
  return rows;
}

// The algorithm that a scenario takes.
const AlgorithmDef& algorithm(Kind kind, const std::string& library, const std::string& cost) {
  const std::string choice =
      library.empty() ? std::string(collective::name(kind)) + R"(": "auto")" : R"(library": ")" + library + R"(")";
  const std::string text = R"({"workload": {"model": "gpt", "layers": 1, "hidden": 64, "heads": 1, "sequence": 8,
      "vocabulary": 64}, "platform": {"topology": "dgx_a100"}, "strategy": {}, "cost": {"model": ")" +
                           cost + R"("}, "collective": {")" + choice + "}}";
  return *nth(scenario::load(parse_json(text, "test.json"), "test.json").collectives.algorithms, kind);
}

Seconds predicted(const platform::Platform& platform, const AlgorithmDef& algorithm, const Measurement& row) {
  std::vector<int> places;
  const int each = row.ranks / row.nodes;
  for (int node = 0, first = 0; node < row.nodes; ++node) {
    for (int i = 0; i < each; ++i) places.push_back(first + i);
    first += static_cast<int>(platform.devices().size()) / platform.nodes();
  }
  return simulate::run_alone(platform, algorithm, row.kind, Bytes(row.bytes), places,
                             simulate::engines().get("analytic", "test"))
      .time;
}

// In percent; nothing without rows.
struct Errors {
  std::vector<double> shorter, longer;
  static double median(std::vector<double> values) {
    if (values.empty()) return 0;
    std::sort(values.begin(), values.end());
    return 100 * values[values.size() / 2];
  }
};

TEST(Libraries, PredictMeasuredCollectivesAsWellAsTheirPageSays) {
  FOREFLOW_SHARED_OR_SKIP(folder, "data/collectives");
  std::cout << "| measured | kind | ranks | rows | auto | library | calibrated |\n|---|---|---|---|---|---|---|\n";
  for (const Series& series : all_series()) {
    const auto rows = read(folder / series.file, series);
    ASSERT_FALSE(rows.empty()) << series.name;
    const Kind kind        = rows.front().kind;
    const int nodes        = rows.front().nodes;
    const auto platform    = platform::make(platform::topologies().get(series.topology, "test"), nodes);
    const auto errors_with = [&](const AlgorithmDef& taken) {
      Errors errors;
      for (const Measurement& row : rows) {
        if (row.ranks < 2) continue;
        const double error = std::abs(predicted(platform, taken, row).value() / row.seconds - 1);
        (row.bytes < kLong ? errors.shorter : errors.longer).push_back(error);
      }
      return errors;
    };
    const Errors plain    = errors_with(algorithm(kind, "", "roofline"));
    const Errors library  = errors_with(algorithm(kind, series.library, "roofline"));
    const Errors measured = errors_with(algorithm(kind, series.library, "calibrated"));
    const auto text       = [](const std::vector<double>& values) {
      return values.empty() ? std::string("-") : std::to_string(std::lround(Errors::median(values)));
    };
    const auto both = [&](const Errors& of) { return text(of.shorter) + ", " + text(of.longer); };
    int least = 99, most = 0;
    for (const Measurement& row : rows) least = std::min(least, row.ranks), most = std::max(most, row.ranks);
    const std::string ranks =
        least == most ? std::to_string(most) : std::to_string(least) + " to " + std::to_string(most);
    std::cout << "| " << series.name << " | " << collective::name(kind) << " | " << ranks << " | " << rows.size()
              << " | " << both(plain) << " | " << both(library) << " | " << both(measured) << " |\n";
    EXPECT_LE(Errors::median(library.shorter), series.library_short) << series.name << " " << collective::name(kind);
    EXPECT_LE(Errors::median(library.longer), series.library_long) << series.name << " " << collective::name(kind);
    EXPECT_LE(Errors::median(measured.shorter), series.measured_short) << series.name << " " << collective::name(kind);
    EXPECT_LE(Errors::median(measured.longer), series.measured_long) << series.name << " " << collective::name(kind);
  }
}

}  // namespace
}  // namespace foreflow::published::libraries_test
