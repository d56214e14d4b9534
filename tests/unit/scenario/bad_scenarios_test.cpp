// Every mistake gets one line that says where it is, what is wrong and what would be right.
#include <gtest/gtest.h>

#include "foreflow/base/text.h"
#include "foreflow/scenario/run.h"

namespace foreflow::scenario::bad_scenarios_test {
namespace {

struct Mistake {
  std::string name;
  std::string change;   // as --set
  std::string message;  // "WHERE: WHAT"
};

std::ostream& operator<<(std::ostream& out, const Mistake& mistake) { return out << mistake.change; }

// A scenario without a mistake.
const char* const kGood = R"({
  "workload": { "model": "gpt", "layers": 8, "hidden": 1024, "heads": 32, "sequence": 128, "vocabulary": 1000, "dtype": "f16" },
  "platform": { "topology": "dgx2", "nodes": 1 },
  "strategy": { "dp": 2, "tp": 2, "pp": 2, "microbatches": 4, "global_batch": 16 }
})";

Json changed(const std::string& change) {
  const size_t equals = change.find('=');
  Json json           = parse_json(kGood, "gpt.json");
  Json* place         = &json;
  for (const std::string& key : split(change.substr(0, equals), '.')) place = &place->member(key);
  *place = parse_json(change.substr(equals + 1), "the test");
  return json;
}

class BadScenarios : public testing::TestWithParam<Mistake> {};

TEST_P(BadScenarios, AreRefusedInOneLine) {
  try {
    build(load(changed(GetParam().change), "gpt.json"));
    FAIL() << "nothing was wrong";
  } catch (const Error& error) {
    EXPECT_EQ(error.what(), GetParam().message);
  }
}

TEST(Scenarios, WithoutAMistakeLoad) { EXPECT_NO_THROW(load(parse_json(kGood, "gpt.json"), "gpt.json")); }

INSTANTIATE_TEST_SUITE_P(
    Every, BadScenarios,
    testing::Values(
        Mistake{"unknown_part", R"(stratgy={})",
                R"(gpt.json: $.stratgy: unknown key "stratgy"; the nearest is "strategy")"},
        Mistake{
            "key_of_the_scenario", R"(strategy.framework="fsdp")",
            R"(gpt.json: $.strategy.framework: unknown key "framework"; did you mean the top-level key "framework"?)"},
        Mistake{"key_of_another_part", R"(strategy.dropout=0.1)",
                R"(gpt.json: $.strategy.dropout: unknown key "dropout"; did you mean "workload.dropout"?)"},
        Mistake{"key_of_a_part", R"(tp=2)", R"(gpt.json: $.tp: unknown key "tp"; did you mean "strategy.tp"?)"},
        Mistake{"unknown_strategy_key", R"(strategy.tpp=2)",
                R"(gpt.json: $.strategy.tpp: unknown key "tpp"; the nearest is "tp")"},
        Mistake{"key_of_files", R"(workload.weights="h*")",
                R"(gpt.json: $.workload.weights: is only for workloads with "onnx" or "distir")"},
        Mistake{"key_of_an_onnx_model", R"(workload.dims={"batch": 8})",
                R"(gpt.json: $.workload.dims: is only for workloads with "onnx")"},
        Mistake{"unknown_size", R"(workload.layer=2)",
                R"(gpt.json: $.workload.layer: unknown key "layer"; the nearest is "layers")"},
        Mistake{"too_many_layers", R"(workload.layers=1000000)",
                R"(gpt.json: $.workload.layers: 1000000 is no such size; use 1 to 100000)"},
        Mistake{"huge_batch", R"(strategy.global_batch=9223372036854775807)",
                R"(gpt.json: $.strategy.global_batch: 9223372036854775807 is too large; use at most 1000000000)"},
        Mistake{"too_many_devices", R"(strategy={"dp": 65536, "tp": 65536})",
                "gpt.json: $.strategy: dp x cp x tp x pp = 65536 x 1 x 65536 x 1 devices are too many; use at most "
                "1048576"},
        Mistake{"huge_hidden", R"(workload.hidden=9223372036854775807)",
                R"(gpt.json: $.workload.hidden: 9223372036854775807 is no such size; use 1 to 1000000000)"},
        Mistake{
            "unknown_model", R"(workload.model="gtp")",
            R"(gpt.json: $.workload.model: unknown model family "gtp"; the nearest is "gpt" (see: foreflow list workloads))"},
        Mistake{
            "a_file_as_model", R"(workload.model="bert.onnx")",
            R"(gpt.json: $.workload.model: "bert.onnx" is a file and no model family; name it at "onnx" in place of "model")"},
        Mistake{"no_workload", R"(workload={})",
                R"(gpt.json: $.workload: says no workload; give "model", "onnx" or "distir")"},
        Mistake{"a_model_and_a_graph", R"(workload.onnx="x.onnx")",
                R"(gpt.json: $.workload.model: stands beside onnx; give one of them)"},
        Mistake{"a_model_and_a_program", R"(workload.distir="x.distir")",
                R"(gpt.json: $.workload.model: stands beside distir; give one of them)"},
        Mistake{"a_graph_and_a_program", R"(workload={"onnx": "x.onnx", "distir": "x.distir"})",
                R"(gpt.json: $.workload.distir: stands beside onnx; give one of them)"},
        Mistake{
            "a_plan_that_is_no_file", R"(strategy.tensor_plan="megatorn")",
            R"(gpt.json: $.strategy.tensor_plan: "megatorn" is neither auto nor megatron, nor is there a file megatorn; the nearest is "megatron")"},
        Mistake{
            "a_plan_in_a_missing_file", R"(strategy.tensor_plan="plans/absent.json")",
            R"(gpt.json: $.strategy.tensor_plan: "plans/absent.json" is neither auto nor megatron, nor is there a file plans/absent.json)"},
        Mistake{"no_platform", R"(platform={})",
                R"(gpt.json: $.platform: says no platform; give "topology", "parts", "sites" or "file")"},
        Mistake{
            "unknown_topology", R"(platform.topology="dgx3")",
            R"(gpt.json: $.platform.topology: unknown topology "dgx3"; the nearest is "dgx1" (see: foreflow list topologies))"},
        Mistake{"a_platform_file_without_a_name", R"(platform={"file": ""})",
                R"(gpt.json: $.platform.file: is empty; give the name of a file)"},
        Mistake{"a_program_without_a_name", R"(workload={"distir": ""})",
                R"(gpt.json: $.workload.distir: is empty; give the name of a file)"},
        Mistake{"no_nodes", R"(platform.nodes=0)", R"(gpt.json: $.platform.nodes: 0 is too small; use 1 or more)"},
        Mistake{"tp_and_heads", R"(strategy.tp=6)",
                R"(gpt.json: $.strategy.tp: 6 does not divide the 32 attention heads; use 1, 2, 4, 8, 16 or 32)"},
        Mistake{"dp_and_batch", R"(strategy.dp=3)",
                R"(gpt.json: $.strategy.dp: 3 does not divide the global batch 16; use 1, 2, 4, 8 or 16)"},
        Mistake{
            "microbatches_and_batch", R"(strategy.microbatches=3)",
            R"(gpt.json: $.strategy.microbatches: 3 does not divide the 8 samples of each replica; use 1, 2, 4 or 8)"},
        Mistake{"two_ways_to_say_it", R"(strategy.microbatch_size=2)",
                R"(gpt.json: $.strategy.microbatch_size: stands beside microbatches; give one of them)"},
        Mistake{"more_stages_than_layers", R"(strategy.pp=16)",
                R"(gpt.json: $.strategy.pp: 16 stages are more than the 8 layers; use at most 8)"},
        Mistake{"zero_stages", R"(strategy.pp=0)", R"(gpt.json: $.strategy.pp: 0 is too small; use 1 or more)"},
        Mistake{"a_word_for_a_number", R"(strategy.tp="two")",
                R"(gpt.json: $.strategy.tp: expected a whole number, found "two")"},
        Mistake{"an_axis", R"(strategy.tp=[1, 2, 4])",
                R"(gpt.json: $.strategy.tp: is an axis [1,2,4]; give one value, or use sweep or search)"},
        Mistake{"an_axis_of_sizes", R"(workload.layers=[2, 4])",
                R"(gpt.json: $.workload.layers: is an axis [2,4]; give one value, or use sweep or search)"},
        Mistake{"a_long_axis",
                R"(workload.layers=[1000, 1001, 1002, 1003, 1004, 1005, 1006, 1007, 1008, 1009, 1010, 1011, 1012])",
                R"(gpt.json: $.workload.layers: is an axis of 13 values; give one value, or use sweep or search)"},
        Mistake{
            "unknown_schedule", R"(strategy.schedule="1f2b")",
            R"(gpt.json: $.strategy.schedule: unknown schedule "1f2b"; the nearest is "1f1b" (see: foreflow list schedules))"},
        Mistake{"shares_of_stages", R"(strategy.stage_shares="1")",
                R"(gpt.json: $.strategy.stage_shares: has 1 shares for 2 stages; write one for each)"},
        Mistake{
            "recompute", R"(strategy.recompute="half")",
            R"(gpt.json: $.strategy.recompute: "half" is no way to recompute; use none, activation, selective, op, full, block(N) with N of 1 or more, or optimal)"},
        Mistake{
            "vocabulary_parallel", R"(strategy={"tp": 16, "global_batch": 16, "vocabulary_parallel": true})",
            "gpt.json: $.strategy.vocabulary_parallel: tp = 16 does not divide the vocabulary of 1000; pad it to 1008"},
        Mistake{"no_dimension", R"(strategy.tensor_plan={"h.*.attn.weight": "columns"})",
                "gpt.json: $.strategy.tensor_plan.h.*.attn.weight: is \"columns\"; write the dimension that is split, "
                "such as 0 or 1"},
        Mistake{"empty_plan", R"(strategy.tensor_plan={})",
                R"(gpt.json: $.strategy.tensor_plan: names no weight; write an object such as {"h.*.attn.weight": 1})"},
        Mistake{"zero_redundancy", R"(strategy.zero=4)",
                R"(gpt.json: $.strategy.zero: 4 is no stage of ZeRO; use 0, 1, 2 or 3)"},
        Mistake{"bucket_size", R"(strategy.bucket_size=25)",
                R"(gpt.json: $.strategy.bucket_size: expected a size with its unit such as "64MiB", found 25)"},
        Mistake{"tensor_chunks", R"(strategy.overlap_tensor=0)",
                R"(gpt.json: $.strategy.overlap_tensor: 0 is too small; use 1 or more)"},
        Mistake{"virtual_stages", R"(strategy.virtual_stages=2)",
                R"(gpt.json: $.strategy.virtual_stages: 2 virtual stages a device for 1f1b, which has 1; use 1)"},
        Mistake{"stage_partition", R"(strategy.stage_partition="even")",
                R"(gpt.json: $.strategy.stage_partition: is "even"; write balanced, uniform or layers)"},
        Mistake{"schedule_of_forwards", R"(strategy.schedule="inference")",
                R"(gpt.json: $.strategy.schedule: "inference" has no backward passes; use 1f1b to train)"},
        Mistake{"overlap", R"(strategy.overlap_gradients=2)",
                R"(gpt.json: $.strategy.overlap_gradients: expected true or false, found 2)"},
        Mistake{
            "dtype", R"(workload.dtype="int8")",
            R"(gpt.json: $.workload.dtype: "int8" is no floating-point type; use f64, f32, tf32, f16, bf16, f8 or fp8)"},
        Mistake{"mode", R"(workload.mode="train")",
                R"(gpt.json: $.workload.mode: unknown mode "train"; use training or inference)"},
        Mistake{
            "optimizer", R"(workload.optimizer="adagrad")",
            R"(gpt.json: $.workload.optimizer: unknown optimizer "adagrad"; use sgd, momentum, nesterov, adam or adamw)"},
        Mistake{
            "cost_model", R"(cost.model="rooflin")",
            R"(gpt.json: $.cost.model: unknown cost model "rooflin"; the nearest is "roofline" (see: foreflow list costs))"},
        Mistake{
            "cost_parameter", R"(cost.compute_eficiency=0.5)",
            R"(gpt.json: $.cost.compute_eficiency: unknown key "compute_eficiency"; the nearest is "compute_efficiency")"},
        Mistake{"a_bare_number", R"(cost={"model": "distir", "throughput": 14})",
                R"(gpt.json: $.cost.throughput: expected a speed with its unit such as "312Tf", found 14)"},
        Mistake{"collective_kind", R"(collective.all_reduced="ring")",
                R"(gpt.json: $.collective.all_reduced: unknown key "all_reduced"; the nearest is "all_reduce")"},
        Mistake{"collective_algorithm", R"(collective.broadcast="ring")",
                R"(gpt.json: $.collective.broadcast: ring does not do broadcast; see foreflow list collectives)"},
        Mistake{
            "engine", R"(engine="simgird")",
            R"(gpt.json: $.engine: unknown engine "simgird"; the nearest is "simgrid" (see: foreflow list engines))"}),
    [](const testing::TestParamInfo<Mistake>& info) { return info.param.name; });

}  // namespace
}  // namespace foreflow::scenario::bad_scenarios_test
