// Pipelines of two stages against their closed forms, for K microbatches, stages of F and B, and transfers of c each
// way, which were checked with exact rational arithmetic:
//   - nothing overlaps: K (F + B + 2 c) + F + B;
//   - 1F1B that overlaps: (K + 1) (F + B) + 2 c ceil(K / 2);
//   - eager 1F1B that overlaps: (K + 1) (F + B) + 2 c, if c is at most (F + B) / 2.
#include "reproduce/two_stages.h"

#include <gtest/gtest.h>

#include "foreflow/reshard/strategy.h"

namespace foreflow::reproduce::two_stages_test {
namespace {

const Seconds kForward(1), kBackward(2);

// Two devices in nodes of their own, joined by links of 1 GB/s.
platform::Platform two_nodes() {
  std::vector<platform::Device> devices;
  std::vector<platform::Link> links;
  for (const char* node : {"a", "b"}) {
    devices.push_back({std::string("gpu-") + node,
                       "test",
                       node,
                       Bytes(1e9),
                       BytesPerSecond(1e12),
                       {{"f32", FlopsPerSecond(1e12)}},
                       Seconds(0)});
    for (const char* side : {"_UP", "_DOWN"})
      links.push_back({std::string(node) + side, "nic", BytesPerSecond(1e9), Seconds(0)});
  }
  return {"two", devices, links, [](int from, int to) -> platform::Route {
            if (from == to) return {};
            return {{2 * from, 2 * to + 1}, Seconds(0)};
          }};
}

// A tensor that takes `seconds`.
reshard::Plan plan(int from, int to, double seconds, const platform::Platform& platform) {
  const reshard::Spec whole{{{}}};
  const std::vector<reshard::Move> moves = {{{"", {static_cast<int64_t>(seconds * 1e9)}, Bytes(1)},
                                             {reshard::consecutive({1}, from), whole},
                                             {reshard::consecutive({1}, to), whole}}};
  return reshard::strategies()
      .get("broadcast", "test")
      .plan(reshard::unit_tasks(moves), reshard::ports_of(platform, moves), {});
}

Seconds time(std::string_view schedule, Overlap overlap, int microbatches, double transfer) {
  const auto platform = two_nodes();
  TwoStages pipeline;
  pipeline.schedule     = schedule;
  pipeline.microbatches = microbatches;
  pipeline.forward      = {kForward, kForward};
  pipeline.backward     = {kBackward, kBackward};
  pipeline.devices      = {std::vector<int>{0}, std::vector<int>{1}};
  pipeline.activations  = plan(0, 1, transfer, platform);
  pipeline.gradients    = plan(1, 0, transfer, platform);
  pipeline.overlap      = overlap;
  return time_of(pipeline, platform);
}

class Pipelines : public testing::TestWithParam<int> {};

TEST_P(Pipelines, TakeTheirClosedForms) {
  const int k       = GetParam();
  const double slot = (kForward + kBackward).value();
  for (const double c : {0.25, 0.75, 1.5}) {
    EXPECT_NEAR(time("1f1b", Overlap::none, k, c).value(), k * (slot + 2 * c) + slot, 1e-6) << c;
    EXPECT_NEAR(time("1f1b", Overlap::full, k, c).value(), (k + 1) * slot + 2 * c * ((k + 1) / 2), 1e-6) << c;
    EXPECT_NEAR(time("eager_1f1b", Overlap::full, k, c).value(), (k + 1) * slot + 2 * c, 1e-6) << c;
  }
}
INSTANTIATE_TEST_SUITE_P(TwoStages, Pipelines, testing::Values(2, 3, 4, 7, 8, 32));

}  // namespace
}  // namespace foreflow::reproduce::two_stages_test
