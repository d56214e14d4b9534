// Activation memory of a transformer layer, Table 2 of Korthikanti et al., Reducing Activation Recomputation in Large
// Transformer Models (2022), and of the first pipeline stage (section 4.2.3); measured from simulated programs.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <vector>

#include "foreflow/base/nth.h"
#include "foreflow/scenario/run.h"
#include "foreflow/stream/storage.h"

namespace foreflow::published::activations_test {
namespace {

const std::string kBase     = FOREFLOW_SOURCE_DIR "/tests/published/korthikanti/gpt3_175b.json";
constexpr double kTolerance = 0.01;

using Settings = std::vector<std::string>;

struct Sizes {
  double s = 2048, b = 1, h = 12288, a = 96;
  double sbh() const { return s * b * h; }
};

// The most bytes of activations that the first device ever holds, and the same for every device.
std::vector<Bytes> most_activations(const Settings& settings) {
  const scenario::Scenario scenario = scenario::load_file(kBase, settings);
  const auto platform               = scenario::load_platform(scenario.platform);
  const auto program = scenario::lower_scenario(scenario, scenario::build(scenario), *platform).program();
  std::vector<Bytes> all;
  for (size_t d = 0; d < program.devices.size(); ++d) {
    const stream::Trail trail = stream::trail(program, static_cast<int>(d));
    Bytes level, most;
    for (const auto& change : trail.rows.at(0).changes) {
      const auto& buffer = nth(program.devices[d].storage->buffers, nth(trail.buffers, change.buffer));
      if (buffer.kind != stream::MemoryClass::activations) continue;
      level += (change.made ? 1.0 : -1.0) * buffer.size;
      most = std::max(most, level);
    }
    all.push_back(most);
  }
  return all;
}

Settings with(Settings settings, const Settings& more) {
  settings.insert(settings.end(), more.begin(), more.end());
  return settings;
}

// What one more layer adds on a device.
double of_a_layer(const Settings& settings) {
  const Bytes two = most_activations(with(settings, {"workload.layers=2"}))[0];
  return (most_activations(with(settings, {"workload.layers=3"}))[0] - two).value();
}

struct Row {
  std::string name;
  Settings settings;
  double bytes;
};

std::vector<Row> rows() {
  const Sizes z;
  const double t = 8, attention = 5 * z.a * z.s / z.h, mib = 1024 * 1024;
  const Settings tensor{"strategy.tp=8"}, sequence = with(tensor, {"strategy.sequence_parallel=true"});
  std::vector<Row> rows = {
      {"none", {}, z.sbh() * (34 + attention)},
      {"selective", {"strategy.recompute=selective"}, z.sbh() * 34},
      {"full", {"strategy.recompute=full"}, z.sbh() * 2},
      {"tensor", tensor, z.sbh() * (10 + 24 / t + attention / t)},
      {"tensor_selective", with(tensor, {"strategy.recompute=selective"}), z.sbh() * (10 + 24 / t)},
      {"sequence", sequence, z.sbh() / t * (34 + attention)},
      {"sequence_selective", with(sequence, {"strategy.recompute=selective"}), z.sbh() / t * 34},
      // Its layers are GPT's with the norms behind the sums; every mask of dropout is there too.
      {"bert", {"workload.model=bert", "workload.positions=2048"}, z.sbh() * (34 + attention)},
      {"tensor_full", with(tensor, {"strategy.recompute=full"}), z.sbh() * 2},
  };
  // The worked numbers of the table, in MiB.
  const std::map<std::string, double> worked = {
      {"none", 2736}, {"tensor", 552}, {"tensor_selective", 312}, {"sequence", 342}, {"sequence_selective", 102},
      {"full", 48}};
  for (const Row& row : rows) {
    if (!worked.contains(row.name)) continue;
    EXPECT_NEAR(row.bytes / mib, worked.at(row.name), 1e-9 * row.bytes) << row.name;
  }
  return rows;
}

class ActivationsOfALayer : public testing::TestWithParam<Row> {};

TEST_P(ActivationsOfALayer, AreThoseOfTheTable) {
  EXPECT_NEAR(of_a_layer(GetParam().settings) / GetParam().bytes, 1, kTolerance);
}

INSTANTIATE_TEST_SUITE_P(Table2, ActivationsOfALayer, testing::ValuesIn(rows()),
                         [](const auto& info) { return info.param.name; });

// What one more layer on every stage adds to the first: as much as the microbatches in flight hold.
double in_flight_on_first_stage(const Settings& settings, int stages) {
  const Sizes z;
  const auto with_layers = [&](int layers) {
    // A small vocabulary, so that the last stage has as many layers as the others.
    return with(settings, {"workload.vocabulary=512", "strategy.pp=" + std::to_string(stages),
                           "workload.layers=" + std::to_string(layers * stages)});
  };
  const double layer = z.sbh() * (34 + 5 * z.a * z.s / z.h);
  return (most_activations(with_layers(3))[0] - most_activations(with_layers(2))[0]).value() / layer;
}

TEST(ActivationsOfAStage, AreThoseOfAllLayersInOneForwardOneBackward) {
  // p microbatches of L/p layers each, whatever p.
  for (const int p : {2, 4, 8}) {
    const Settings batch{"strategy.global_batch=16", "strategy.microbatches=16"};
    EXPECT_NEAR(in_flight_on_first_stage(batch, p) / p, 1, kTolerance) << p << " stages";
  }
}

TEST(ActivationsOfAStage, AreFewerThanStagesWhereThereAreFewerMicrobatches) {
  const Settings batch{"strategy.global_batch=3", "strategy.microbatches=3"};
  EXPECT_NEAR(in_flight_on_first_stage(batch, 8) / 3, 1, kTolerance);
}

TEST(ActivationsOfAStage, AreThoseOfAllMicrobatchesInGpipe) {
  const Settings batch{"strategy.global_batch=12", "strategy.microbatches=12", "strategy.schedule=gpipe"};
  EXPECT_NEAR(in_flight_on_first_stage(batch, 4) / 12, 1, kTolerance);
}

// Microbatches of the first stage's share of the model at the peak, of 8 over 4 devices: reference "peak in flight".
TEST(ActivationsOfAStage, AreThoseOfTheScheduleInFlight) {
  const Settings batch{"strategy.global_batch=8", "strategy.microbatches=8"};
  const std::map<std::string, double> peaks = {{"eager_1f1b", 7}, {"zb_h1", 4}, {"zb_h2", 7}};
  for (const auto& [schedule, peak] : peaks)
    EXPECT_NEAR(in_flight_on_first_stage(with(batch, {"strategy.schedule=" + schedule}), 4) / peak, 1, kTolerance)
        << schedule;
}

}  // namespace
}  // namespace foreflow::published::activations_test
