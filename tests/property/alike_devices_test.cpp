// Scenarios simulated with one device for all that are alike, and with a few microbatches for many, give what the
// simulation of every device and microbatch gives: times, memory, links, collectives and the critical path, whatever
// the model, strategy, platform, placement and disturbances.
#include <gtest/gtest.h>

#include <map>
#include <random>

#include "foreflow/scenario/run.h"
#include "support/random_streams.h"

namespace foreflow::scenario::alike_devices_test {
namespace {

using testing_support::draw;
using testing_support::draw_real;
using Random = std::mt19937_64;

std::string one_of(Random& rng, const std::vector<std::string>& all) {
  return all[static_cast<size_t>(draw(rng, 0, static_cast<int>(all.size()) - 1))];
}

std::string workload(Random& rng) {
  const std::string mode  = draw(rng, 0, 3) == 0 ? "inference" : "training";
  const std::string model = one_of(
      rng, {R"("model": "mlp", "layers": 4, "hidden": 64)",
            R"("model": "gpt", "layers": 4, "hidden": 32, "heads": 4, "sequence": 16, "vocabulary": 64)",
            R"("model": "llama", "layers": 4, "hidden": 32, "heads": 4, "sequence": 16, "vocabulary": 64)",
            R"("model": "moe", "layers": 2, "hidden": 32, "heads": 4, "sequence": 8, "vocabulary": 64, "experts": 4)"});
  return "{" + model + R"(, "mode": ")" + mode + R"(", "dtype": "f16", "optimizer": ")" + one_of(rng, {"sgd", "adam"}) +
         "\"}";
}

struct Machine {
  std::string text;
  int devices;
};

Machine machine(Random& rng) {
  const std::vector<Machine> all = {{R"({"topology": "dgx2"})", 16},
                                    {R"({"topology": "dgx_a100", "nodes": 2})", 16},
                                    {R"({"topology": "dgx_a100", "nodes": 4})", 32},
                                    {R"({"topology": "p3_8xlarge", "nodes": 4})", 16},
                                    {R"({"topology": "dgx_h100", "nodes": 2})", 16}};
  return all[static_cast<size_t>(draw(rng, 0, static_cast<int>(all.size()) - 1))];
}

std::string strategy(Random& rng, int devices) {
  const auto degree = [&] { return 1 << draw(rng, 0, 2); };
  int dp = 1 << draw(rng, 0, 3), tp = degree(), pp = degree();
  while (dp * tp * pp > devices) (dp > 1 ? dp : tp > 1 ? tp : pp) /= 2;
  const int microbatches = draw(rng, 0, 2) == 0 ? pp * draw(rng, 10, 40)
                           : pp == 1            ? 1 << draw(rng, 0, 1)
                                                : pp * (1 << draw(rng, 0, 1));
  std::string text       = R"({"dp": )" + std::to_string(dp) + R"(, "tp": )" + std::to_string(tp) + R"(, "pp": )" +
                     std::to_string(pp) + R"(, "microbatches": )" + std::to_string(microbatches) +
                     R"(, "global_batch": )" + std::to_string(32 * microbatches);
  const auto sometimes = [&](const std::string& key, const std::vector<std::string>& values) {
    if (draw(rng, 0, 3) == 0) text += ", \"" + key + "\": " + one_of(rng, values);
  };
  if (pp > 1) sometimes("schedule", {R"("gpipe")", R"("eager_1f1b")", R"("zb_h1")", R"("interleaved_1f1b")"});
  sometimes("zero", {"1", "2", "3"});
  sometimes("overlap_gradients", {"true"});
  sometimes("bucket_size", {R"("20kB")"});
  sometimes("overlap_sends", {"true"});
  sometimes("recompute", {R"("full")", R"("selective")"});
  sometimes("offload", {"true"});
  sometimes("sequence_parallel", {"true"});
  sometimes("delay_weight_gradients", {"true"});
  sometimes("cp", {"2"});
  return text + "}";
}

// Devices and links that every machine above has are few, so they are named on one machine each.
std::string disturbances(Random& rng, const platform::Platform& platform) {
  const auto device = [&] { return "\"" + platform.devices()[static_cast<size_t>(draw(rng, 0, 7))].name + "\""; };
  std::vector<std::string> parts;
  if (draw(rng, 0, 2) == 0)
    parts.push_back(R"("slowdowns": [{"device": )" + device() + R"(, "factor": )" +
                    std::to_string(draw_real(rng, 1.1, 3)) + R"(, "from": "2us", "until": "1ms"}])");
  if (draw(rng, 0, 3) == 0) {
    const size_t link = static_cast<size_t>(draw(rng, 0, static_cast<int>(platform.links().size()) - 1));
    parts.push_back(R"("links": [{"link": ")" + platform.links()[link].name +
                    R"(", "changes": [{"at": "3us", "factor": 0.4}, {"at": "200us", "factor": 1}]}])");
  }
  if (draw(rng, 0, 4) == 0)
    parts.push_back(R"("background": [{"from": ")" + platform.devices()[0].name + R"(", "to": ")" +
                    platform.devices()[9].name + R"(", "bytes": "100kB", "period": "50us", "until": "1ms"}])");
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : ", ") + part;
  return "{" + text + "}";
}

// Nothing where the strategy is not legal for the model.
std::optional<Scenario> random_scenario(Random& rng, PlatformRef& platform) {
  const Machine where     = machine(rng);
  const std::string chain = R"({"platform": )" + where.text + R"(, "workload": )" + workload(rng) +
                            R"(, "strategy": )" + strategy(rng, where.devices) + R"(, "placement": )" +
                            one_of(rng, {R"("packed")", R"("packed")", R"("spread")", R"({"order": "dp-pp-tp"})",
                                         R"({"policy": "random", "seed": 3})"}) +
                            R"(, "network": {"coupling": ")" + one_of(rng, {"auto", "coupled"}) + R"("}, "engine": ")";
  const bool contended   = draw(rng, 0, 3) != 0;
  const std::string text = chain + (contended ? "simgrid" : "analytic") + "\"}";
  Json json              = parse_json(text, "random.json");
  try {
    platform = load_platform(load(json, "random.json").platform);
  } catch (const Error&) {
    return {};
  }
  if (contended && draw(rng, 0, 1) == 0)
    json.set("disturbances", parse_json(disturbances(rng, *platform), "random.json"));
  return load(json, "random.json");
}

void expect_close(double actual, double expected, const std::string& what) {
  EXPECT_NEAR(actual, expected, 1e-9 * std::abs(expected) + 1e-15) << what;
}

void expect_same_devices(const report::Summary& folded, const report::Summary& flat) {
  std::map<int32_t, const report::DeviceSummary*> by_number;
  for (const report::DeviceSummary& device : folded.devices) {
    for (const stream::DeviceRange& range : device.members) {
      for (int32_t number = range.first; number <= range.last; number += range.step)
        EXPECT_TRUE(by_number.emplace(number, &device).second) << number;
    }
  }
  ASSERT_EQ(by_number.size(), flat.devices.size());
  for (const report::DeviceSummary& device : flat.devices) {
    const auto found = by_number.find(device.members.front().first);
    ASSERT_NE(found, by_number.end()) << device.name;
    const report::DeviceSummary& same = *found->second;
    expect_close(same.busy.value(), device.busy.value(), device.name);
    expect_close(same.compute.value(), device.compute.value(), device.name);
    expect_close(same.communication.value(), device.communication.value(), device.name);
    EXPECT_EQ(same.peak_memory, device.peak_memory) << device.name;
    EXPECT_EQ(same.capacity, device.capacity) << device.name;
  }
}

void expect_same_links(const report::Summary& folded, const report::Summary& flat) {
  std::map<int32_t, const report::LinkSummary*> by_link;
  for (const report::LinkSummary& link : folded.links) {
    for (const int32_t member : link.members) by_link.emplace(member, &link);
  }
  size_t count = 0;
  for (const report::LinkSummary& link : flat.links) {
    for (const int32_t member : link.members) {
      ++count;
      const auto found = by_link.find(member);
      ASSERT_NE(found, by_link.end()) << link.name;
      expect_close(found->second->bytes.value(), link.bytes.value(), link.name);
      expect_close(found->second->busy.value(), link.busy.value(), link.name);
      EXPECT_EQ(found->second->kind, link.kind);
    }
  }
  EXPECT_EQ(count, by_link.size());
}

// By what distinguishes them: those of equal time may stand in either order.
void expect_same_collectives(const report::Summary& folded, const report::Summary& flat) {
  std::multimap<std::string, const report::CollectiveSummary*> left, right;
  const auto key = [](const report::CollectiveSummary& one) {
    return one.name + " " + one.kind + " " + one.algorithm + " " + std::to_string(one.ranks) + " " +
           std::to_string(one.bytes.value());
  };
  for (const auto& one : folded.collectives) left.emplace(key(one), &one);
  for (const auto& one : flat.collectives) right.emplace(key(one), &one);
  ASSERT_EQ(left.size(), right.size());
  for (auto a = left.begin(), b = right.begin(); a != left.end(); ++a, ++b) {
    EXPECT_EQ(a->first, b->first);
    EXPECT_EQ(a->second->count, b->second->count) << a->first;
    expect_close(a->second->time.value(), b->second->time.value(), a->first);
    // Differences of nearly equal times.
    const double whole = b->second->time.value();
    EXPECT_NEAR(a->second->contention.value(), b->second->contention.value(), 1e-8 * whole) << a->first;
    EXPECT_NEAR(a->second->waiting.value(), b->second->waiting.value(), 1e-8 * (whole + b->second->waiting.value()))
        << a->first;
  }
}

void expect_same(const report::Summary& folded, const report::Summary& flat) {
  expect_close(folded.iteration_time.value(), flat.iteration_time.value(), "iteration time");
  EXPECT_EQ(folded.device_count, flat.device_count);
  expect_close(folded.mfu, flat.mfu, "mfu");
  expect_close(folded.hardware_rate.value(), flat.hardware_rate.value(), "hardware rate");
  EXPECT_EQ(folded.fits, flat.fits);
  EXPECT_EQ(folded.events.executed, flat.events.executed);
  EXPECT_EQ(folded.job.cost_provenance.dump(), flat.job.cost_provenance.dump());
  std::map<std::string, double> ops, others;
  for (const auto& op : folded.ops) ops[op.name] = op.seconds.value();
  for (const auto& op : flat.ops) others[op.name] = op.seconds.value();
  ASSERT_EQ(ops.size(), others.size());
  for (const auto& [name, seconds] : others) expect_close(ops[name], seconds, name);
  Seconds path;
  for (const auto& segment : folded.critical_path) path += segment.seconds;
  expect_close(path.value(), folded.iteration_time.value(), "critical path");
  expect_same_devices(folded, flat);
  expect_same_links(folded, flat);
  expect_same_collectives(folded, flat);
}

size_t longest(const stream::Program& program) {
  size_t most = 0;
  for (const stream::Stream& stream : program.streams) most = std::max(most, stream.items.size());
  return most;
}

class AlikeDevices : public testing::TestWithParam<int> {};

TEST_P(AlikeDevices, AreSimulatedOnceWithTheSameAnswer) {
  constexpr int kCases = 52;
  Random rng(static_cast<uint64_t>(GetParam()));
  int folded = 0, shortened = 0;
  for (int done = 0; done < kCases;) {
    PlatformRef platform;
    auto scenario = random_scenario(rng, platform);
    if (!scenario) continue;
    SCOPED_TRACE(scenario->source.dump_compact());
    const auto outcome = [&](bool fold) -> std::optional<Outcome> {
      scenario->simulation.fold = fold;
      try {
        return run(*scenario, platform);
      } catch (const Error&) {
        return {};  // not legal either
      }
    };
    const auto flat = outcome(false);
    if (!flat) continue;
    ++done;
    const auto once = outcome(true);
    ASSERT_TRUE(once);
    if (once->program.devices.size() < flat->program.devices.size()) ++folded;
    if (longest(once->program) < longest(flat->program)) ++shortened;
    expect_same(once->summary, flat->summary);
    if (HasFailure()) return;
  }
  EXPECT_GT(folded, kCases / 4);  // or this compares a thing with itself
  EXPECT_GT(shortened, 0);
}

INSTANTIATE_TEST_SUITE_P(Seeds, AlikeDevices, testing::Range(0, 20));

}  // namespace
}  // namespace foreflow::scenario::alike_devices_test
