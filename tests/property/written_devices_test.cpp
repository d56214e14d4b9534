// Programs lowered from two of the shards of tensor parallelism, and of the ranks that share experts, are those lowered
// from all of them, item by item and buffer by buffer, whatever the model, the strategy and the schedule.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <random>
#include <tuple>

#include "foreflow/base/nth.h"
#include "foreflow/scenario/run.h"
#include "support/random_streams.h"

namespace foreflow::scenario::written_devices_test {
namespace {

using test::draw;
using Random = std::mt19937_64;

std::string one_of(Random& rng, const std::vector<std::string>& all) {
  return nth(all, draw(rng, 0, static_cast<int>(all.size()) - 1));
}

std::string workload(Random& rng) {
  const std::string sizes = R"("layers": 4, "hidden": 32, "heads": 8, "sequence": 16, "vocabulary": 64)";
  const std::string model = one_of(rng, {"gpt", "llama", "bert", "t5", "moe"});
  const std::string more  = model == "moe" ? R"(, "routing_groups": 16, "experts": 8)" : "";
  return R"({"model": ")" + model + "\", " + sizes + more + R"(, "mode": ")" +
         one_of(rng, {"training", "training", "inference"}) + R"(", "optimizer": ")" + one_of(rng, {"sgd", "adam"}) +
         R"(", "dtype": ")" + one_of(rng, {"f16", "f32"}) + R"(", "clip_gradients": )" + one_of(rng, {"0", "1.0"}) +
         "}";
}

std::string strategy(Random& rng, bool has_experts) {
  const int ep = has_experts ? 2 << draw(rng, 0, 2) : 1, dp = ep * draw(rng, 1, 2), pp = 1 << draw(rng, 0, 1);
  const int tp           = ep > 2 ? 1 << draw(rng, 0, 2) : 4 << draw(rng, 0, 1);
  const int microbatches = pp * draw(rng, 1, 3);
  std::string text       = R"({"dp": )" + std::to_string(dp) + R"(, "tp": )" + std::to_string(tp) + R"(, "pp": )" +
                     std::to_string(pp) + R"(, "microbatches": )" + std::to_string(microbatches) +
                     R"(, "global_batch": )" + std::to_string(4 * dp * microbatches);
  const auto sometimes = [&](const std::string& key, const std::vector<std::string>& values) {
    if (draw(rng, 0, 2) == 0) text += ", \"" + key + "\": " + one_of(rng, values);
  };
  if (ep < 4) sometimes("cp", {"2"});
  sometimes("context_attention", {R"("ring")", R"("striped_ring")", R"("striped_all_gather")"});
  if (ep > 1) text += R"(, "ep": )" + std::to_string(ep);
  if (pp > 1) sometimes("schedule", {R"("gpipe")", R"("zb_h1")", R"("interleaved_1f1b")"});
  sometimes("zero", {"1", "2", "3"});
  sometimes("overlap_gradients", {"true"});
  sometimes("overlap_sends", {"true"});
  sometimes("recompute", {R"("full")", R"("selective")", R"("op")"});
  sometimes("sequence_parallel", {"true"});
  sometimes("vocabulary_parallel", {"true"});
  sometimes("tensor_plan", {R"("megatron")"});
  sometimes("overlap_tensor", {"2", "4"});
  sometimes("delay_weight_gradients", {"true"});
  return text + "}";
}

// What a stream does, item by item.
std::vector<std::string> items_of(const stream::Program& program, size_t number) {
  std::vector<std::string> items;
  for (const stream::Item& item : program.streams[number].items) {
    const stream::MemoryEffect& memory = nth(program.memory_effects, item.memory);
    std::string text                   = fmt::format("peak {} net {} ", memory.peak.value(), memory.net.value());
    if (item.instance < 0) {
      const stream::Compute& compute = nth(program.computes, item.event);
      text += fmt::format("{} {} {}", compute.name, compute.duration.value(), compute.flops.value());
    } else {
      const stream::Instance& instance  = nth(program.instances, item.instance);
      const stream::Communication& what = nth(program.communications, instance.communication);
      text += fmt::format("{} {} {}", what.name, what.bytes.value(), fmt::join(instance.members, " "));
    }
    items.push_back(std::move(text));
  }
  return items;
}

using Contents = std::vector<std::tuple<std::string, stream::MemoryClass, Bytes>>;

Contents buffers_of(const stream::Program& program, int device) {
  const stream::DeviceUse& use = nth(program.devices, device);
  Contents contents;
  for (const int32_t number : stream::trail(program, device).buffers) {
    const stream::Storage::Buffer& buffer = nth(use.storage->buffers, number);
    contents.emplace_back(use.storage->name_of(buffer, use.index), buffer.kind, buffer.size);
  }
  return contents;
}

stream::Program from_all_shards(const Scenario& scenario, const Sequential& sequential,
                                const platform::Platform& platform) {
  const ir::Module module = distribute(sequential, scenario, platform);
  return lower::lower(module, interpret::interpret_mixed(module, module.functions.size() - 1), scenario.cost, platform,
                      lowering(scenario, platform))
      .program();
}

TEST(WrittenDevices, SayWhatAllDo) {
  Random rng(14);
  const std::string platform_text = R"({"topology": "dgx_a100", "nodes": 8})";
  int compared = 0, by_buffers = 0, with_rings = 0, with_contexts = 0, with_experts = 0, with_ranks = 0;
  for (int round = 0; round < 320; ++round) {
    const std::string model = workload(rng);
    const bool has_experts  = model.find("moe") != std::string::npos;
    const std::string text  = fmt::format(R"({{"platform": {}, "workload": {}, "strategy": {}}})", platform_text, model,
                                          strategy(rng, has_experts));
    SCOPED_TRACE(text);
    stream::Program two;
    std::optional<Sequential> built;
    std::optional<Scenario> scenario;
    PlatformRef platform;
    try {
      scenario = load(parse_json(text, "random.json"), "random.json");
      platform = load_platform(scenario->platform);
      built    = build(*scenario);
      scenario = resolve(*scenario, *built, *platform).value();
      two      = lower_scenario(*scenario, *built, *platform).program();
    } catch (const Error&) {
      continue;  // not legal for this model
    }
    ++compared;
    with_rings += scenario->strategy.sequence_parallel && scenario->strategy.tensor_chunks > 1 ? 1 : 0;
    with_contexts += scenario->strategy.cp > 1 ? 1 : 0;
    with_experts += scenario->strategy.ep > 1 ? 1 : 0;
    with_ranks += scenario->strategy.ep > 2 && scenario->strategy.cp == 1 ? 1 : 0;
    const stream::Program all   = from_all_shards(*scenario, *built, *platform);
    const stream::Timeline ours = scenario->engine->run(two, *platform, scenario->simulation);
    const stream::Timeline flat = scenario->engine->run(all, *platform, scenario->simulation);
    EXPECT_NEAR(ours.makespan.value(), flat.makespan.value(), 1e-9 * flat.makespan.value());
    ASSERT_EQ(two.devices.size(), all.devices.size());
    if (scenario->strategy.data_parallel().ways > 1) continue;  // the names of replicas differ
    ASSERT_EQ(two.streams.size(), all.streams.size());
    for (size_t stream = 0; stream < all.streams.size(); ++stream) {
      EXPECT_EQ(two.streams[stream].name, all.streams[stream].name);
      EXPECT_TRUE(items_of(two, stream) == items_of(all, stream)) << all.streams[stream].name;
    }
    for (int device = 0; device < static_cast<int>(all.devices.size()); ++device)
      EXPECT_TRUE(buffers_of(two, device) == buffers_of(all, device)) << device;
    ++by_buffers;
  }
  EXPECT_GT(compared, 40);
  EXPECT_GT(with_rings, 4);
  EXPECT_GT(with_contexts, 10);
  EXPECT_GT(with_experts, 4);
  EXPECT_GT(with_ranks, 15);
  EXPECT_GT(by_buffers, 15);
}

}  // namespace
}  // namespace foreflow::scenario::written_devices_test
