#include "foreflow/scenario/idle.h"

#include <algorithm>
#include <type_traits>

#include "foreflow/collective/collective.h"
#include "foreflow/ops/table.h"
#include "foreflow/scenario/framework.h"
#include "foreflow/scenario/strategy_key.h"
#include "foreflow/workload/preset.h"
#include "scenario/idle_reasons.h"

namespace foreflow::scenario {
namespace {

// A key of the workload that does something only where it trains.
struct TrainingKey {
  std::string_view key, why;
};

constexpr TrainingKey kOfTraining[] = {
    {"optimizer", "inference updates no weights"},     {"master_weights", "inference updates no weights"},
    {"float_gradients", "inference has no gradients"}, {"float_logits", "inference has no loss"},
    {"clip_gradients", "inference has no gradients"},  {"dropout", "inference drops nothing"},
    {"balance_loss", "inference has no loss"},         {"keeps_products", "inference has no backward pass"},
};

// Says why `sequence` has no effect in a decoding step: `context` is the length of its cache. Returns "" if the number
// is that of the preset, which the user need not have chosen.
std::string why_sequence_is_idle(const Scenario& scenario) {
  const workload::WorkloadDef* family = scenario.workload.family;
  if (!scenario.workload.decodes || family == nullptr || !family->traits.decodes_by_context) return "";
  const workload::KeyValues& stated = scenario.workload.sizes;
  if (!stated.has("context") || !stated.has("sequence")) return "";
  const workload::Preset* preset = scenario.workload.preset;
  const bool by_preset =
      preset != nullptr && std::any_of(preset->sizes.begin(), preset->sizes.end(), [&](const auto& size) {
        return size.first == "sequence" && size.second == stated.integer_or("sequence", 0);
      });
  return by_preset ? "" : "decode reads as many tokens of the cache as workload.context says";
}

// Says why `context` has no effect in a family with phases, where it is the length of the cache of a decoding step. In
// families without phases it is another size.
std::string why_context_is_idle(const Scenario& scenario) {
  const workload::WorkloadDef* family = scenario.workload.family;
  if (family == nullptr || scenario.workload.decodes) return "";
  const bool has_phases = std::any_of(family->keys.begin(), family->keys.end(),
                                      [](const workload::Key& key) { return key.name == "phase"; });
  return has_phases ? "only with phase decode is there a cache of earlier tokens" : "";
}

bool sends(const report::Summary& summary) {
  return std::any_of(summary.collectives.begin(), summary.collectives.end(),
                     [](const auto& row) { return row.kind == "send"; });
}

// Returns true if the scenario gives the host that time, or lets it wait.
template <auto Member>
bool asks_for(const lower::HostCosts& costs) {
  return costs.*Member > std::remove_cvref_t<decltype(costs.*Member)>{};
}

// Why a time or a wait of the host changes nothing; empty: it does.
struct HostRow {
  std::string_view key;
  bool (*asks)(const lower::HostCosts& costs);
  std::string (*why)(const Scenario& scenario, const report::Summary& summary);
};

std::string without_update(const Scenario& scenario, const report::Summary&) {
  return unless(scenario.workload.trains(), "inference updates no weights");
}
std::string without_gradients(const Scenario& scenario, const report::Summary&) {
  return unless(scenario.workload.trains(), "inference has no gradients");
}
std::string without_messages(const Scenario&, const report::Summary& summary) {
  return unless(sends(summary), "the program has no messages");
}

const HostRow kHost[] = {
    {"kernel", asks_for<&lower::HostCosts::kernel>, nullptr},
    {"gradient", asks_for<&lower::HostCosts::gradient>, without_gradients},
    {"accumulation", asks_for<&lower::HostCosts::accumulation>, without_gradients},
    {"call", asks_for<&lower::HostCosts::call>, nullptr},
    {"microbatch", asks_for<&lower::HostCosts::microbatch>, nullptr},
    {"collective", asks_for<&lower::HostCosts::collective>,
     [](const Scenario& scenario, const report::Summary& summary) {
       return unless(!summary.collectives.empty() || scenario.strategy.offload, "the program has no collectives");
     }},
    {"message", asks_for<&lower::HostCosts::message>, without_messages},
    {"step", asks_for<&lower::HostCosts::step>, without_update},
    {"wait_for_messages", asks_for<&lower::HostCosts::waits_for_messages>, without_messages},
    {"wait_for_gradients", asks_for<&lower::HostCosts::waits_for_gradients>, without_update},
};

class Finder {
 public:
  explicit Finder(const Scenario& scenario) : scenario_(scenario) {}

  std::vector<IdleKey> run(const report::Summary& summary) {
    for (const TrainingKey& row : kOfTraining) add("workload", row.key, unless(scenario_.workload.trains(), row.why));
    add("workload", "sequence", why_sequence_is_idle(scenario_));
    add("workload", "context", why_context_is_idle(scenario_));
    add_strategy(summary);
    add_host(summary);
    const lower::HostCosts& host = scenario_.collectives.host;
    add("platform", "cpu",
        unless(host.any() && host.cpu.rating > 0, "no times of hosts say on which CPU (host.cpu) they were measured"));
    if (!scenario_.engine->shares_links)
      add("network", "coupling", "the engine " + std::string(scenario_.engine->name) + " shares no links");
    for (const collective::KindDef& kind : collective::kinds()) {
      const bool met = std::any_of(summary.collectives.begin(), summary.collectives.end(),
                                   [&](const auto& one) { return one.kind == kind.name; });
      if (!met) add("collective", kind.name, "the program has no such communication");
    }
    add("collective", "library", why_library_is_idle(summary));
    return std::move(found_);
  }

 private:
  std::string why_library_is_idle(const report::Summary& summary) const {
    if (summary.collectives.empty()) return "the program communicates nothing";
    const bool chooses = std::any_of(scenario_.collectives.algorithms.begin(), scenario_.collectives.algorithms.end(),
                                     [](const auto* one) { return one != nullptr && one->choose != nullptr; });
    return chooses ? "" : "every kind has an algorithm that is named";
  }

  void add_strategy(const report::Summary& summary) {
    for (const std::string& key : scenario_.stated.of("strategy")) {
      const StrategyKeyDef* row = strategy_keys().find(key);
      if (row == nullptr) continue;
      std::string why = row->idle == nullptr ? "" : row->idle(scenario_);
      if (why.empty() && row->idle_in_run != nullptr) why = row->idle_in_run(scenario_, summary);
      add("strategy", key, why);
    }
  }

  void add_host(const report::Summary& summary) {
    add("host", "cpu", unless(scenario_.collectives.host.any(), "the host takes no time"));
    for (const HostRow& row : kHost) {
      if (!row.asks(scenario_.host.costs)) continue;
      if (scenario_.host.graphs) {
        add("host", row.key, "host.graphs is true");
      } else if (row.why != nullptr) {
        add("host", row.key, row.why(scenario_, summary));
      }
    }
  }

  void add(std::string_view part, std::string_view key, const std::string& why) {
    const std::string path = (std::string(part) + ".").append(key);
    if (why.empty() || !scenario_.stated.has(path)) return;
    // A value that the framework of the scenario gives as well is no choice of the user.
    if (!is_of_framework(scenario_.source, scenario_.file, path)) found_.push_back({scenario_.where(path), why});
  }

  const Scenario& scenario_;
  std::vector<IdleKey> found_;
};

}  // namespace

bool has_fused_attention(const report::Summary& summary) {
  return std::any_of(summary.ops.begin(), summary.ops.end(), [](const report::OpTime& time) {
    const ir::OpDef* op = ops::table().find(time.name);
    return op != nullptr && op->attention;
  });
}

std::vector<IdleKey> idle_keys(const Scenario& scenario, const report::Summary& summary) {
  if (!scenario.jobs.empty()) return {};
  return Finder(scenario).run(summary);
}

}  // namespace foreflow::scenario
