#include "scenario/read.h"

namespace foreflow::scenario {
namespace {

transform::TensorPlan read_plan(const JsonView& json) {
  if (json.json().if_object() != nullptr) {
    transform::TensorPlan plan = transform::read_tensor_plan(json);
    plan.where.clear();  // the key, which a refusal names anyway
    return plan;
  }
  const std::string& word = json.as_string();
  const bool is_file      = word != "auto" && word != "megatron";
  return transform::find_tensor_plan(is_file ? beside(json.file(), word) : word);
}

// What the workload states must be a multiple of tp; what it leaves out is known once the program is built.
void check_multiple(const JsonView& json, std::string_view key, const JsonView& sizes, std::string_view size,
                    const Strategy& strategy) {
  const Json* stated    = sizes.json().find(size);
  const int64_t* number = stated == nullptr ? nullptr : stated->if_int();
  if (number == nullptr || *number <= 0 || *number % strategy.tp == 0) return;
  const int64_t padded = (*number + strategy.tp - 1) / strategy.tp * strategy.tp;
  json.at(key).fail("tp = " + std::to_string(strategy.tp) + " does not divide the " + std::string(size) + " of " +
                    std::to_string(*number) + "; pad it to " + std::to_string(padded));
}

}  // namespace

void read_tensor_parallelism(const JsonView& json, const JsonView& sizes, Strategy& strategy) {
  if (json.has("tensor_plan")) strategy.tensor_plan = read_plan(json.at("tensor_plan"));
  strategy.sequence_parallel   = json.bool_or("sequence_parallel", false);
  strategy.vocabulary_parallel = json.bool_or("vocabulary_parallel", false);
  if (strategy.sequence_parallel) check_multiple(json, "sequence_parallel", sizes, "sequence", strategy);
  if (strategy.vocabulary_parallel) check_multiple(json, "vocabulary_parallel", sizes, "vocabulary", strategy);
}

}  // namespace foreflow::scenario
