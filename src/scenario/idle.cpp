#include "foreflow/scenario/idle.h"

#include <algorithm>

#include "foreflow/collective/collective.h"
#include "foreflow/scenario/framework.h"

namespace foreflow::scenario {
namespace {

using transform::Attention;
using transform::ContextAttention;
using transform::Recompute;

// Why a key of the strategy that has a value other than its default changes nothing; empty: it does.
struct StrategyRow {
  std::string_view key;
  std::string (*why)(const Scenario& scenario);
};

bool trains(const Scenario& scenario) { return scenario.workload.mode == workload::Mode::training; }

// Of the gradients that are summed, as far as the scenario says.
ir::DType gradient_dtype(const Workload& workload) {
  return workload.precision.float_gradients ? ir::DType::f32 : workload.dtype.value_or(ir::DType::f32);
}

std::string unless(bool needed, std::string_view why) { return needed ? std::string() : std::string(why); }
std::string unsplit(const Scenario& scenario) { return unless(scenario.strategy.tp > 1, "tp is 1"); }
std::string unpiped(const Scenario& scenario) { return unless(scenario.strategy.pp > 1, "pp is 1"); }
std::string uncopied(const Scenario& scenario) {
  const Strategy& strategy = scenario.strategy;
  return unless(strategy.dp > strategy.replicas_sharing(), strategy.dp == 1 ? "dp is 1" : "no replicas are copies");
}

const StrategyRow kStrategy[] = {
    {"attention",
     [](const Scenario& scenario) {
       const workload::WorkloadDef* family = scenario.workload.family;
       return unless(
           scenario.strategy.attention == Attention::unfused || family == nullptr || family->traits.is_transformer,
           "the model is no transformer");
     }},
    {"context_attention",
     [](const Scenario& scenario) {
       const bool gathers = scenario.strategy.context_attention == ContextAttention::all_gather;
       return unless(gathers || scenario.strategy.cp > 1, "cp is 1");
     }},
    {"tensor_plan",
     [](const Scenario& scenario) {
       const bool automatic = scenario.strategy.tensor_plan.kind == transform::TensorPlan::Kind::automatic;
       return automatic ? "" : unsplit(scenario);
     }},
    {"sequence_parallel",
     [](const Scenario& scenario) { return scenario.strategy.sequence_parallel ? unsplit(scenario) : ""; }},
    {"vocabulary_parallel",
     [](const Scenario& scenario) { return scenario.strategy.vocabulary_parallel ? unsplit(scenario) : ""; }},
    {"overlap_tensor",
     [](const Scenario& scenario) { return scenario.strategy.tensor_chunks > 1 ? unsplit(scenario) : ""; }},
    {"schedule",
     [](const Scenario& scenario) {
       const Strategy& strategy = scenario.strategy;
       return unless(strategy.schedule->name == "1f1b" || strategy.pp > 1 || strategy.microbatches > 1,
                     "there is one stage and one microbatch");
     }},
    {"stage_partition",
     [](const Scenario& scenario) {
       const bool stated = scenario.strategy.partition != transform::StagePartition::balanced;
       return stated && scenario.strategy.schedule_size.chunks == 1 ? unpiped(scenario) : "";
     }},
    {"count_as_layers",
     [](const Scenario& scenario) { return scenario.strategy.layer_share.counts() ? unpiped(scenario) : ""; }},
    {"first_stage_layers",
     [](const Scenario& scenario) { return scenario.strategy.layer_share.first > 0 ? unpiped(scenario) : ""; }},
    {"last_stage_layers",
     [](const Scenario& scenario) { return scenario.strategy.layer_share.last > 0 ? unpiped(scenario) : ""; }},
    {"delay_weight_gradients",
     [](const Scenario& scenario) { return scenario.strategy.delay_weight_gradients ? unpiped(scenario) : ""; }},
    {"overlap_sends",
     [](const Scenario& scenario) { return scenario.strategy.overlap_sends ? unpiped(scenario) : ""; }},
    {"scatter_gather",
     [](const Scenario& scenario) -> std::string {
       const Strategy& strategy = scenario.strategy;
       if (!strategy.scatter_gather) return "";
       if (strategy.tp == 1) return "there are no shards";
       if (strategy.sequence_parallel) return "each rank has a part of its own";
       if (strategy.cp > 1 || strategy.ep > 1 || strategy.has_unequal_stages())
         return "the ranks of cp, ep and unequal stages send what they have";
       return unpiped(scenario);
     }},
    {"zero", [](const Scenario& scenario) { return scenario.strategy.zero > 0 ? uncopied(scenario) : ""; }},
    {"overlap_gradients",
     [](const Scenario& scenario) { return scenario.strategy.overlap_gradients ? uncopied(scenario) : ""; }},
    {"bucket_size", uncopied},
    {"shard_unit", [](const Scenario& scenario) { return scenario.strategy.by_block ? uncopied(scenario) : ""; }},
    {"prefetch",
     [](const Scenario& scenario) {
       const Strategy& strategy = scenario.strategy;
       return unless(strategy.prefetch || (strategy.zero == 3 && strategy.overlap_gradients),
                     "no weights are gathered beside computes");
     }},
    {"limit_reduce_scatters",
     [](const Scenario& scenario) -> std::string {
       const Strategy& strategy = scenario.strategy;
       if (!strategy.limit_scatters) return "";
       if (!strategy.overlap_gradients) return "sums hold the device";
       if (strategy.zero < 2) return "whole gradients are kept";
       return uncopied(scenario);
     }},
    {"reshard_after_forward",
     [](const Scenario& scenario) {
       return unless(!scenario.strategy.keeps_gathered || scenario.strategy.zero == 3, "weights are not split");
     }},
    {"float_gathers",
     [](const Scenario& scenario) {
       return unless(!scenario.strategy.float_gathers || scenario.strategy.zero == 3, "weights are not split");
     }},
    {"sequence_first",
     [](const Scenario& scenario) -> std::string {
       const Strategy& strategy = scenario.strategy;
       if (!strategy.sequence_first || strategy.copies_attention()) return "";
       return strategy.microbatch_size() == 1 ? "a microbatch is one sample" : "attention is no flash attention";
     }},
    {"reduce_dtype",
     [](const Scenario& scenario) -> std::string {
       const Strategy& strategy = scenario.strategy;
       const auto& chosen       = strategy.reduce_dtype;
       if (!chosen) return "";
       if (strategy.dp == 1 && strategy.cp == 1) return "dp and cp are 1";
       if (!trains(scenario)) return std::string("inference has no gradients");
       return unless(*chosen != gradient_dtype(scenario.workload), "gradients have this type");
     }},
    {"first_bucket_size",
     [](const Scenario& scenario) {
       const std::string alone = uncopied(scenario);
       return alone.empty() ? unless(scenario.strategy.bucket > Bytes(0), "gradients travel one by one") : alone;
     }},
    {"recompute",
     [](const Scenario& scenario) {
       const bool selective = scenario.strategy.recompute.kind == Recompute::Kind::selective;
       const bool fused     = scenario.strategy.attention_used() == Attention::flash;
       const JsonView work  = scenario.root().at("workload");
       const bool drops     = work.has("dropout") && work.at("dropout").as_number() > 0;
       return unless(!selective || !fused || drops, "with attention flash no scores are kept");
     }},
};

struct WorkloadRow {
  std::string_view key, why;
  bool (*idle)(const Scenario& scenario);
};

const WorkloadRow kWorkload[] = {
    {"optimizer", "inference updates no weights", [](const Scenario& scenario) { return !trains(scenario); }},
    {"master_weights", "inference updates no weights", [](const Scenario& scenario) { return !trains(scenario); }},
    {"float_gradients", "inference has no gradients", [](const Scenario& scenario) { return !trains(scenario); }},
    {"clip_gradients", "inference has no gradients", [](const Scenario& scenario) { return !trains(scenario); }},
    {"dropout", "inference drops nothing", [](const Scenario& scenario) { return !trains(scenario); }},
};

bool sends(const report::Summary& summary) {
  return std::any_of(summary.collectives.begin(), summary.collectives.end(),
                     [](const auto& row) { return row.kind == "send"; });
}

// Why a time or a wait of the host changes nothing; empty: it does.
struct HostRow {
  std::string_view key;
  std::string (*why)(const Scenario& scenario, const report::Summary& summary);
};

std::string without_update(const Scenario& scenario, const report::Summary&) {
  return unless(trains(scenario), "inference updates no weights");
}
std::string without_gradients(const Scenario& scenario, const report::Summary&) {
  return unless(trains(scenario), "inference has no gradients");
}
std::string without_messages(const Scenario&, const report::Summary& summary) {
  return unless(sends(summary), "the program has no messages");
}

const HostRow kHost[] = {
    {"kernel", nullptr},
    {"gradient", without_gradients},
    {"accumulation", without_gradients},
    {"call", nullptr},
    {"microbatch", nullptr},
    {"collective",
     [](const Scenario& scenario, const report::Summary& summary) {
       return unless(!summary.collectives.empty() || scenario.strategy.offload, "the program has no collectives");
     }},
    {"message", without_messages},
    {"step", without_update},
    {"wait_for_messages", without_messages},
    {"wait_for_gradients", without_update},
};

class Finder {
 public:
  explicit Finder(const Scenario& scenario) : scenario_(scenario), root_(scenario.root()) {}

  std::vector<IdleKey> run(const report::Summary& summary) {
    for (const WorkloadRow& row : kWorkload) {
      if (row.idle(scenario_)) add("workload", row.key, std::string(row.why));
    }
    for (const StrategyRow& row : kStrategy) add("strategy", row.key, row.why(scenario_));
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

  void add_host(const report::Summary& summary) {
    if (!root_.has("host") || root_.at("host").json().if_object() == nullptr) return;
    const JsonView host = root_.at("host");
    const bool graphs   = host.has("graphs") && host.at("graphs").as_bool();
    if (host.has("cpu")) add("host", "cpu", unless(scenario_.collectives.host.any(), "the host takes no time"));
    for (const HostRow& row : kHost) {
      if (!host.has(row.key)) continue;
      const JsonView value = host.at(row.key);
      const bool asks      = value.json().if_bool() != nullptr ? value.as_bool() : value.as_seconds() > Seconds(0);
      if (!asks) continue;
      if (graphs) {
        add("host", row.key, "host.graphs is true");
      } else if (row.why != nullptr) {
        add("host", row.key, row.why(scenario_, summary));
      }
    }
  }

  void add(std::string_view part, std::string_view key, const std::string& why) {
    if (why.empty() || !root_.has(part) || root_.at(part).json().if_object() == nullptr) return;
    const JsonView holder = root_.at(part);
    if (holder.has(key) && !is_from_framework(part, key)) found_.push_back({holder.at(key).where(), why});
  }

  // Whether the framework of the scenario says the same, which is no choice of the user's.
  bool is_from_framework(std::string_view part, std::string_view key) const {
    if (!root_.has("framework")) return false;
    const Json& value = root_.at(part).at(key).json();
    Json others       = Json::object();
    for (const auto& [name, member] : *root_.at(part).json().if_object()) {
      if (name != key) others.set(name, member);
    }
    Json rest          = root_.json();
    const auto applied = with_framework(rest.set(part, std::move(others)), scenario_.file).applied;
    return std::any_of(applied.begin(), applied.end(), [&](const FrameworkSetting& setting) {
      return setting.key == std::string(part) + "." + std::string(key) && setting.value == value;
    });
  }

  const Scenario& scenario_;
  const JsonView root_;
  std::vector<IdleKey> found_;
};

}  // namespace

std::vector<IdleKey> idle_keys(const Scenario& scenario, const report::Summary& summary) {
  if (!scenario.jobs.empty()) return {};
  return Finder(scenario).run(summary);
}

}  // namespace foreflow::scenario
