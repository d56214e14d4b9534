// What matters must matter: for every scenario that ships, half the bandwidth of the busiest link makes the predicted
// time longer, and twice the peak of the busiest devices makes it shorter. Of a sweep that is its first point.
// Scenarios with the cost model of DistIR's authors are left out: devices and network are numbers of that model, not of
// the platform.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "foreflow/base/text.h"
#include "foreflow/platform/link_changes.h"
#include "foreflow/scenario/axes.h"
#include "foreflow/scenario/run.h"

namespace foreflow::scenario::sensitivity_test {
namespace {

// What is changed of a scenario: one leaves its strategy to the search, and by default would run on one device without
// any link; whole iterations on 1024 or 3072 GPUs would take up to a minute here, so their clusters are smaller, of the
// same shape.
const std::map<std::string, std::vector<std::string>>& changes() {
  static const std::vector<std::string> smaller = {
      "platform.nodes=16",        "strategy.dp=2",     "strategy.pp=8", "strategy.microbatches=16",
      "strategy.global_batch=32", "workload.layers=16"};
  static const std::map<std::string, std::vector<std::string>> all = {
      {"gpt2_search_dgx2", {"strategy.dp=2", "strategy.tp=4", "strategy.pp=2", "strategy.microbatches=4"}},
      {"gpt3_175b_1024_unequal", {"platform.nodes=16", "strategy.dp=2", "strategy.global_batch=32"}},
      {"gpt3_175b_3072_a100", smaller},
      {"gpt_1t_3072_a100", smaller}};
  return all;
}

// Whether devices and links have their numbers from the platform, not devices theirs from measurements; false of what
// is no scenario too.
bool asks_the_platform(const std::string& path) {
  const Json json  = parse_json(read_file(path), path);
  const Json* cost = json.find("cost");
  if (cost == nullptr || cost->find("model") == nullptr) return false;
  const std::string model = *cost->find("model")->if_string();
  return model != "distir" && model != "calibrated" && model.find("/distir_") == std::string::npos;
}

// Names below scenarios/: "gpt_mixed", "sweeps/placement".
std::vector<std::string> shipped() {
  const std::filesystem::path folder = FOREFLOW_SOURCE_DIR "/scenarios";
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.path().extension() == ".json" && asks_the_platform(entry.path()))
      names.push_back(std::filesystem::relative(entry.path(), folder).replace_extension().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

Scenario shipped_scenario(const std::string& name) {
  const std::string path = FOREFLOW_SOURCE_DIR "/scenarios/" + name + ".json";
  const auto settings    = changes().find(name);
  const Json source = read_source(path, settings == changes().end() ? std::vector<std::string>{} : settings->second);
  const auto all    = axes(source, path);
  return load(with_choice(source, all, choice_of(all, 0)), path);
}

PlatformRef shared(platform::Platform platform) {
  return std::make_shared<const platform::Platform>(std::move(platform));
}

// Half the bandwidth of the link with the highest utilization; of several the first.
PlatformRef with_slower_link(const PlatformRef& platform, const report::Summary& summary) {
  const auto busiest = std::max_element(summary.links.begin(), summary.links.end(),
                                        [](const auto& a, const auto& b) { return a.utilization < b.utilization; });
  const auto link    = std::find_if(platform->links().begin(), platform->links().end(),
                                    [&](const platform::Link& one) { return one.name == busiest->name; });
  platform::LinkNumbers change{.stated = {"bandwidth"}, .values = *link};
  change.values.bandwidth = link->bandwidth / 2;
  return shared(platform::with_links(*platform, {{link->name, change}}));
}

// Twice the peaks, of arithmetic and of memory, of all devices of the kind of the busiest: one device alone would wait
// for those that do the same.
PlatformRef with_faster_devices(const PlatformRef& platform, const report::Summary& summary) {
  const auto busiest                    = std::max_element(summary.devices.begin(), summary.devices.end(),
                                                           [](const auto& a, const auto& b) { return a.busy < b.busy; });
  std::vector<platform::Device> devices = platform->devices();
  const auto same                       = std::find_if(devices.begin(), devices.end(),
                                                       [&](const platform::Device& one) { return one.name == busiest->place; });
  const std::string kind                = same->kind;
  for (platform::Device& device : devices) {
    if (device.kind != kind) continue;
    for (auto& [dtype, peak] : device.peaks) peak = 2.0 * peak;
    device.memory_bandwidth = 2.0 * device.memory_bandwidth;
  }
  return shared({platform->name(), std::move(devices), platform->links(),
                 [platform](int from, int to) { return platform->route(from, to); }});
}

double seconds(const Scenario& scenario, const PlatformRef& platform) {
  return run(scenario, platform).summary.iteration_time.value();
}

class Sensitivity : public testing::TestWithParam<std::string> {};

TEST_P(Sensitivity, ToTheBusiestLinkAndTheBusiestDevices) {
  const Scenario scenario       = shipped_scenario(GetParam());
  const PlatformRef platform    = load_platform(scenario.platform);
  const report::Summary summary = run(scenario, platform).summary;
  const double time             = summary.iteration_time.value();
  ASSERT_FALSE(summary.links.empty()) << "it uses no link";
  EXPECT_GT(seconds(scenario, with_slower_link(platform, summary)), time * (1 + 1e-9));
  EXPECT_LT(seconds(scenario, with_faster_devices(platform, summary)), time * (1 - 1e-9));
}

INSTANTIATE_TEST_SUITE_P(Every, Sensitivity, testing::ValuesIn(shipped()), [](const auto& info) {
  std::string name = info.param;
  std::replace(name.begin(), name.end(), '/', '_');
  return name;
});

}  // namespace
}  // namespace foreflow::scenario::sensitivity_test
