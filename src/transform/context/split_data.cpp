// Splits the data over ways, which exchange those parts that an op needs from other ways. With two ways and experts:
//
//   func @f(%w, %x) {              func @f(%w.s1, %w.s2, %x.s1, %x.s2) {
//     %y = MatMul(%x, %w)    ->      %a, %b = MPIAlltoall([%x.s1, %x.s2])   // %a: all tokens of half of the experts
//     ..                             %y.s1 = MatMul(%a, %w.s1)              // %w.s1: these experts
//                                    %y.s2 = MatMul(%b, %w.s2)
//                                    ..
#include "foreflow/transform/split_data.h"

#include <algorithm>
#include <array>

#include "foreflow/base/nth.h"
#include "foreflow/base/refusal.h"
#include "foreflow/base/text.h"
#include "foreflow/ir/text.h"
#include "foreflow/transform/passes.h"
#include "transform/context/data_splitter.h"
#include "transform/context/split_stages.h"
#include "transform/pass_arguments.h"

namespace foreflow::transform {
namespace {

void check_experts(const DataSplitter& splitter, const ir::Module& module, const std::vector<DataSplitStep>& steps) {
  if (!steps.front().split.experts || splitter.has_experts()) return;
  throw RefusalError(Cause::program, module.source + ": @" + module.entry().name,
                     "expert parallelism of " + std::to_string(steps.front().ways) +
                         " finds no experts: no product of a batch of matrices takes a weight");
}

void check_without_calls(const ir::Module& module) {
  const ir::Function& function = module.entry();
  for (const ir::Op& op : function.ops) {
    if (op.is_call())
      throw RefusalError(Cause::program, ir::describe(module, function, op),
                         "split_data works on a program without calls");
  }
}

}  // namespace

Distributed split_data(const ir::Module& module, const ir::OpTable& ops, int ways, const DataSplit& split) {
  check_without_calls(module);
  const std::vector<DataSplitStep> steps = {{ways, split}};
  DataSplitter splitter(module, ops, steps);
  check_experts(splitter, module, steps);
  return splitter.run();
}

std::optional<Distributed> two_ranks(const ir::Module& module, const ir::OpTable& ops, int ways,
                                     const DataSplit& split) {
  check_without_calls(module);
  const std::vector<DataSplitStep> steps = {{ways, split}};
  DataSplitter splitter(module, ops, steps, 2);
  check_experts(splitter, module, steps);
  Distributed two = splitter.run();
  if (!splitter.says_all()) return {};
  return two;
}

StagedShards split_stages(const StagedShards& program, const ir::OpTable& ops,
                          const std::vector<DataSplitStep>& steps) {
  const ir::Module& module  = program.program.module;
  const ir::Function& entry = module.entry();
  SplitVariants variants{program.variants, program.parameter_variants};
  for (size_t o = 0; o < entry.ops.size(); ++o)
    variants.of_value.resize(variants.of_value.size() + entry.ops[o].result_count, program.variants[o]);
  DataSplitter splitter(module, ops, steps, 0, std::move(variants));
  check_experts(splitter, module, steps);
  StagedShards split{splitter.run(), {}, {}, {}};
  for (const size_t op : splitter.origins()) {
    split.stages.push_back(program.stages[op]);
    split.variants.push_back(program.variants[op]);
  }
  for (const Piece& piece : split.program.parameters)
    split.parameter_variants.push_back(nth(program.parameter_variants, piece.source));
  return split;
}

namespace {
constexpr std::array<std::string_view, 5> kContextAttention = {"all_gather", "striped_all_gather", "ring",
                                                               "striped_ring", "all_to_all"};
}  // namespace

std::vector<std::string> context_attention_names() { return {kContextAttention.begin(), kContextAttention.end()}; }

std::string_view name(ContextAttention attention) { return nth(kContextAttention, attention); }

ContextAttention context_attention_named(std::string_view name, const std::string& place) {
  const auto found = std::find(kContextAttention.begin(), kContextAttention.end(), name);
  if (found != kContextAttention.end()) return static_cast<ContextAttention>(found - kContextAttention.begin());
  throw Error(place,
              "\"" + std::string(name) + "\" is no way to share attention; use " + list_or(context_attention_names()));
}

std::vector<DataSplitStep> possible_split_steps(int cp, int ep, int64_t blocks, ContextAttention attention,
                                                std::optional<ir::DType> reduce_dtype) {
  constexpr int32_t kSamples = 0, kPositions = 1;
  const int replicas = replicas_in_group(cp, ep), shared = ep / replicas;  // shared: ranks of a group in one context
  return {{shared, {kPositions, true, blocks, attention, reduce_dtype}},
          {cp / shared, {kPositions, false, blocks, attention, reduce_dtype}},
          {replicas, {.dim = kSamples, .experts = true, .reduce_dtype = reduce_dtype}}};
}

std::vector<DataSplitStep> data_split_steps(int cp, int ep, int64_t blocks, ContextAttention attention,
                                            std::optional<ir::DType> reduce_dtype) {
  std::vector<DataSplitStep> steps = possible_split_steps(cp, ep, blocks, attention, reduce_dtype);
  std::erase_if(steps, [](const DataSplitStep& step) { return step.ways == 1; });
  return steps;
}

namespace definitions::split_data {
PassDef row() {
  return {
      "split_data",
      "split the data along a dimension (0: samples, 1: positions) over ways that exchange what they need of each "
      "other: context parallelism; experts=true splits experts too; blocks=n where sequence parallelism cuts positions "
      "in n parts; attention=ring, striped_ring, striped_all_gather or all_to_all instead of all_gather, for attention "
      "made one op by "
      "fuse_attention",
      {"ways", "dimension", "experts", "blocks", "attention"},
      [](const ir::Module& module, const ir::OpTable& ops, const PassArguments& arguments) {
        const DataSplit how{static_cast<int32_t>(integer_argument(arguments, "dimension", 1)),
                            flag_argument(arguments, "experts"), degree_argument(arguments, "blocks", 1),
                            context_attention_named(word_argument(arguments, "attention", "all_gather"),
                                                    "--pass split_data: attention")};
        return transform::split_data(module, ops, degree_argument(arguments, "ways", 1), how).module;
      }};
}
}  // namespace definitions::split_data

}  // namespace foreflow::transform
