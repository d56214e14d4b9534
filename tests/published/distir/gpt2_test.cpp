// GPT-2 1.6B on 16 GPUs of a DGX-2: all strategies and batches that the DistIR authors published, from the graph of the
// ONNX export.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "published/distir/rows.h"
#include "support/data.h"

namespace foreflow::published::gpt2_test {
namespace {

const std::string kBase = FOREFLOW_SOURCE_DIR "/tests/published/distir/gpt2_1.6b_dgx2.json";

// Without pipeline the two simulators price the same ops; what is left are integer shape ops on other shapes.
constexpr double kWithoutPipeline = 2e-5;
// With one, theirs also joins the outputs of the microbatches (a Concat with its 10 us launch each) and cuts before the
// residual Add, so that two tensors cross instead of one, at one bandwidth for each pair of GPUs. 16 stages send most.
constexpr double kWithPipeline = 0.021;

// The authors deal 25 blocks, 24 layers and the final normalisation, to the stages; the first stages get one more.
std::string their_stages(int stages) {
  constexpr int kBlocks = 25;
  std::string shares;
  for (int s = 0; s < stages; ++s) {
    const int blocks = kBlocks / stages + (s < kBlocks % stages ? 1 : 0);
    // The last block is the normalisation: next to no work.
    const std::string share = s + 1 < stages ? std::to_string(blocks)
                              : blocks > 1   ? std::to_string(blocks - 1)
                                             : "0.05";
    shares += (s > 0 ? ":" : "") + share;
  }
  return shares;
}

struct Compared {
  Row row;
  double ours, theirs;  // samples/s
  double peak;          // ours / theirs
};

std::vector<Compared> compare_all(const std::string& csv) {
  std::vector<Compared> compared;
  std::map<std::string, scenario::Sequential> programs;  // by batch
  const auto platform = scenario::load_platform(scenario::load_file(kBase).platform);
  for (const Row& row : read_csv(csv)) {
    if (row.word("model") != "gpt3-xl") continue;
    std::vector<std::string> settings;
    if (row.degree("p") > 1) settings.push_back("strategy.stage_shares=" + their_stages(row.degree("p")));
    const scenario::Scenario scenario = at(kBase, row, settings);
    auto program                      = programs.find(row.word("batch"));
    if (program == programs.end()) program = programs.emplace(row.word("batch"), scenario::build(scenario)).first;
    const report::Summary summary = scenario::run(scenario, program->second, platform).summary;
    Bytes peak;
    for (const auto& device : summary.devices) peak = std::max(peak, device.peak_memory);
    compared.push_back({row, summary.samples_per_second, row.number("distir_sim_throughput"),
                        peak.value() / (row.number("distir_sim_peak_memory_GB") * 1e9)});
  }
  return compared;
}

std::vector<double> ranks(const std::vector<Compared>& rows, double Compared::*value) {
  std::vector<size_t> order(rows.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return rows[a].*value < rows[b].*value; });
  std::vector<double> rank(rows.size());
  for (size_t i = 0; i < order.size(); ++i) rank[order[i]] = static_cast<double>(i);
  return rank;
}

// Spearman's rank correlation, without ties: 1 - 6 sum d^2 / (n (n^2 - 1)).
double spearman(const std::vector<Compared>& rows) {
  const std::vector<double> ours = ranks(rows, &Compared::ours), theirs = ranks(rows, &Compared::theirs);
  double squares = 0;
  for (size_t i = 0; i < rows.size(); ++i) squares += (ours[i] - theirs[i]) * (ours[i] - theirs[i]);
  const auto n = static_cast<double>(rows.size());
  return 1 - 6 * squares / (n * (n * n - 1));
}

TEST(PublishedGpt2, ThroughputsAndTheirOrderAreOurs) {
  const std::vector<Compared> rows = compare_all(test::data("distir/dgx2_mlp_1b_gpt2_1.6b.csv"));
  ASSERT_EQ(rows.size(), 279U);
  for (const Compared& point : rows) {
    const bool pipeline = point.row.degree("p") > 1;
    EXPECT_NEAR(point.ours / point.theirs, 1, pipeline ? kWithPipeline : kWithoutPipeline) << describe(point.row);
    if (pipeline) continue;
    EXPECT_NEAR(point.peak, 1, kWithoutPipeline) << describe(point.row);
  }
  EXPECT_GT(spearman(rows), 0.9995);
}

}  // namespace
}  // namespace foreflow::published::gpt2_test
