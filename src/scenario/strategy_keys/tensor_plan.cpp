#include <filesystem>

#include "foreflow/base/suggestion.h"
#include "scenario/idle_reasons.h"
#include "scenario/read.h"
#include "scenario/strategy_keys/common.h"

namespace foreflow::scenario::definitions::tensor_plan_key {
namespace {

constexpr std::string_view kAutomatic = "auto", kMegatron = "megatron";

// A misspelled word names a file that is not there.
[[noreturn]] void refuse_word(const JsonView& value) {
  const std::string& word = value.as_string();
  const auto near         = near_name(word, {std::string(kAutomatic), std::string(kMegatron)});
  throw RefusalError(Cause::plan, value.where(),
                     "\"" + word + "\" is neither auto nor megatron, nor is there a file " + file_named(value) +
                         (near ? "; the nearest is \"" + *near + "\"" : ""));
}

void read(const JsonView& value, Strategy& strategy) {
  if (value.json().if_object() != nullptr) {
    strategy.tensor_plan = transform::read_tensor_plan(value);
    strategy.tensor_plan.where.clear();  // the key, which a refusal names anyway
    return;
  }
  const std::string& word = value.as_string();
  const bool is_file      = word != kAutomatic && word != kMegatron;
  std::error_code unknown;
  if (is_file && !std::filesystem::exists(file_named(value), unknown)) refuse_word(value);
  try {
    strategy.tensor_plan = transform::find_tensor_plan(is_file ? file_named(value) : word);
  } catch (const Error& error) {  // at a place in the file
    throw RefusalError(Cause::plan, error.where(), error.problem());
  }
}

Json write(const Strategy& strategy) {
  using Kind = transform::TensorPlan::Kind;
  if (strategy.tensor_plan.kind == Kind::automatic) return kAutomatic;
  if (strategy.tensor_plan.kind == Kind::megatron) return kMegatron;
  Json patterns = Json::object();
  for (const transform::WeightSplit& split : strategy.tensor_plan.splits)
    patterns.set(split.pattern, int64_t{split.dim});
  return patterns;
}

ValueType plans() {
  const ValueType dimension = types::whole(0, 7);
  return types::either({types::one_of({std::string(kAutomatic), std::string(kMegatron)}),
                        types::path("the path of a file of name patterns"),
                        types::map_of(".+", dimension, "an object such as `{\"h.*.attn.weight\": 1}`")});
}

std::string idle(const Scenario& scenario) {
  const bool automatic = scenario.strategy.tensor_plan.kind == transform::TensorPlan::Kind::automatic;
  return automatic ? "" : unless_sharded(scenario);
}

}  // namespace

StrategyKeyDef row() {
  return {.name = "tensor_plan",
          .doc =
              "what tensor parallelism splits. `auto`: weights by columns where their activation arrives whole, by "
              "rows where it arrives split; `megatron`: the attention and MLP blocks that are recognised in the "
              "program, whatever its names (`foreflow transform FILE --pass 'shard(tp=8, plan=megatron)'` says which, "
              "and where `auto` differs); name patterns with the dimension that each splits "
              "(`plans/gpt_by_name.json`): every other weight stays whole",
          .type           = plans(),
          .fallback       = "auto",
          .read           = read,
          .write          = write,
          .of_one_replica = true,
          .idle           = idle};
}

}  // namespace foreflow::scenario::definitions::tensor_plan_key
