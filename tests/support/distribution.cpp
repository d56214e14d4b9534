#include "support/distribution.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "foreflow/base/json.h"
#include "foreflow/interpret/concrete.h"
#include "foreflow/ops/table.h"
#include "foreflow/transform/clip_gradients.h"
#include "foreflow/transform/overlap.h"
#include "foreflow/transform/pieces.h"
#include "foreflow/transform/replica.h"
#include "foreflow/transform/split_data.h"
#include "foreflow/transform/tensor.h"
#include "ops/common/kernel.h"

namespace foreflow::test {

namespace {

std::string unequal_stages(const Split& split) {
  std::string text;
  for (size_t i = 0; i < split.stage_tp.size(); ++i) {
    text += (text.empty() ? " stages=" : ":") + std::to_string(split.stage_tp[i]);
    if (i < split.stage_sequence.size() && split.stage_sequence[i]) text += "s";
    if (!split.stage_cp.empty()) text += "x" + std::to_string(split.stage_cp[i]);
  }
  return text;
}

}  // namespace

std::string to_string(const Split& split) {
  return "dp=" + std::to_string(split.dp) + " tp=" + std::to_string(split.tp) + " pp=" + std::to_string(split.pp) +
         " microbatches=" + std::to_string(split.microbatches) + " " + split.schedule +
         (split.zero > 0 ? " zero=" + std::to_string(split.zero) : "") + (split.overlap ? " overlapped" : "") +
         (split.bucket > Bytes(0) ? " bucket=" + format(split.bucket) : "") +
         (split.reduce_dtype ? " reduced in " + std::string(ir::short_name(*split.reduce_dtype)) : "") +
         (split.limit_scatters ? " limited" : "") + (split.sends ? " sends" : "") +
         (split.chunks > 1 ? " chunks=" + std::to_string(split.chunks) : "") +
         (split.cp > 1 ? " cp=" + std::to_string(split.cp) : "") +
         (split.ep > 1 ? " ep=" + std::to_string(split.ep) : "") +
         (split.virtual_stages ? " virtual_stages=" + std::to_string(*split.virtual_stages) : "") +
         (split.delay_weight_gradients ? " delayed" : "") + (split.sequence ? " sequence" : "") +
         (split.vocabulary ? " vocabulary" : "") + unequal_stages(split);
}

ir::Module family(std::string_view name, const std::string& sizes, int64_t batch, workload::Mode mode,
                  ir::DType dtype) {
  const Json json = parse_json(sizes, "sizes");
  const auto& row = workload::workloads().get(name, "test");
  const workload::Request request{workload::read_key_values(JsonView(json, "sizes"), row.keys), batch, dtype, mode};
  return row.build(request, ops::table()).module;
}

std::vector<ir::Array> random_arguments(const ir::Module& module, std::mt19937_64& random, int64_t below) {
  std::uniform_real_distribution<float> real(-0.5F, 0.5F);
  std::uniform_int_distribution<int64_t> integer(0, below - 1);
  const ir::Function& entry = module.entry();
  std::vector<ir::Array> arguments;
  for (size_t i = 0; i < entry.parameters.size(); ++i) {
    const ir::Type& type = *entry.values[i].annotation;
    const bool is_square = entry.values[i].name.ends_with(".v");
    std::vector<double> numbers(static_cast<size_t>(ir::element_count(type.dims)));
    for (double& number : numbers) {
      if (!ir::is_float(type.dtype)) {
        number = static_cast<double>(integer(random));
      } else {
        number = is_square ? std::fabs(real(random)) : real(random);
      }
    }
    arguments.push_back(ops::array_of(type.dtype, type.dims, numbers));
  }
  return arguments;
}

transform::Pipeline pipeline(int pp, int microbatches, const std::string& schedule, std::optional<int> virtual_stages) {
  transform::Pipeline wanted;
  wanted.schedule = &schedule::schedules().get(schedule, "test");
  wanted.size     = schedule::checked_size(*wanted.schedule, pp, microbatches, virtual_stages, "test");
  return wanted;
}

namespace {

ir::Module with_streams(ir::Module module, const Split& split) {
  module = transform::overlap_tensor(module, ops::table(), split.chunks);
  return split.sends ? transform::overlap_sends(module, ops::table()) : module;
}

}  // namespace

namespace {

void add_unequal_stages(const ir::Module& module, const Split& split, std::vector<transform::Distributed>& steps) {
  transform::Pipeline wanted =
      pipeline(static_cast<int>(split.stage_tp.size()), split.microbatches, split.schedule, split.virtual_stages);
  wanted.delay_weight_gradients = split.delay_weight_gradients;
  wanted.partition              = split.partition;
  wanted.layers                 = split.layers;
  std::vector<transform::StageSharding> shards;
  for (size_t i = 0; i < split.stage_tp.size(); ++i) {
    const bool sequence = split.stage_sequence.empty() ? split.sequence : split.stage_sequence[i];
    shards.push_back(
        {split.stage_tp[i],
         {.sequence = sequence && split.stage_tp[i] > 1, .vocabulary = split.vocabulary && split.stage_tp[i] > 1},
         split.stage_cp.empty() ? split.cp : split.stage_cp[i],
         split.ep,
         split.attention,
         split.reduce_dtype});
  }
  transform::ShardedPipeline made = transform::pipeline_of_shards(module, ops::table(), wanted, shards);
  for (transform::Distributed& step : made.sharded) steps.push_back(std::move(step));
  steps.push_back(std::move(made.pipelined));
}

void clip(ir::Module& module, const std::vector<transform::Distributed>& steps, const Split& split,
          const transform::OneReplica* one = nullptr) {
  if (split.clip == 0) return;
  std::vector<std::vector<transform::Piece>> pieces;
  for (const transform::Distributed& step : steps) pieces.push_back(step.parameters);
  transform::Clipping how{.max_norm = split.clip, .parts = transform::held_parts(pieces)};
  if (one != nullptr) {
    how.replicas = one->ways;
    how.held     = one->parameters;
  }
  module = transform::clip_gradients(std::move(module), ops::table(), how);
}

std::vector<transform::Distributed> with_replicas(std::vector<transform::Distributed> steps, const Split& split) {
  const int replicas = split.dp / transform::replicas_in_group(split.cp, split.ep);
  const bool copies  = split.cp > 1 || !split.stage_cp.empty() || replicas < split.dp;
  if (replicas > 1 || copies) {
    transform::DataParallel how{replicas, split.zero, split.overlap, split.bucket};
    how.by_block       = split.by_block;
    how.prefetch       = split.prefetch;
    how.keeps_gathered = split.keeps_gathered;
    how.float_gathers  = split.float_gathers;
    how.reduce_dtype   = split.reduce_dtype;
    how.limit_scatters = split.limit_scatters;
    how.has_copies     = copies;
    if (how.shares() || (replicas > 1 && split.clip > 0)) {
      transform::OneReplica one = transform::one_replica(steps.back().module, ops::table(), how);
      one.module                = with_streams(std::move(one.module), split);
      clip(one.module, steps, split, &one);
      steps.push_back(transform::unfold(one, ops::table()));
      return steps;
    }
    if (replicas > 1) steps.push_back(transform::replicate(steps.back().module, ops::table(), how));
  }
  steps.back().module = with_streams(std::move(steps.back().module), split);
  clip(steps.back().module, steps, split);
  return steps;
}

}  // namespace

std::vector<transform::Distributed> distribute(const ir::Module& module, const Split& split) {
  std::vector<transform::Distributed> steps;
  if (!split.stage_tp.empty()) {
    add_unequal_stages(module, split, steps);
    return with_replicas(std::move(steps), split);
  }
  const transform::Sharding sharding{.sequence   = split.sequence && split.tp > 1,
                                     .vocabulary = split.vocabulary && split.tp > 1};
  steps.push_back(transform::shard(module, ops::table(), split.tp, sharding));
  for (const transform::DataSplitStep& step :
       transform::data_split_steps(split.cp, split.ep, 1, transform::ContextAttention::all_gather, split.reduce_dtype))
    steps.push_back(transform::split_data(steps.back().module, ops::table(), step.ways, step.split));
  if (split.pp > 1 || split.microbatches > 1) {
    transform::Pipeline wanted    = pipeline(split.pp, split.microbatches, split.schedule, split.virtual_stages);
    wanted.shares_functions       = split.shares_functions;
    wanted.delay_weight_gradients = split.delay_weight_gradients;
    wanted.partition              = split.partition;
    wanted.layers                 = split.layers;
    wanted.scattered              = split.scattered;
    for (const transform::Piece& piece : steps.back().parameters)
      wanted.equal_parameters.push_back(piece.layout.is_whole() ? piece.source : -1);
    steps.push_back(transform::pipeline(steps.back().module, ops::table(), wanted));
  }
  return with_replicas(std::move(steps), split);
}

std::vector<ir::Array> run(const std::vector<transform::Distributed>& steps, const std::vector<ir::Array>& arguments,
                           size_t results) {
  std::vector<ir::Array> values = arguments;
  for (const transform::Distributed& step : steps) values = transform::split_arguments(step.parameters, values);
  const ir::Module& module = steps.back().module;
  values                   = interpret::evaluate(module, module.functions.size() - 1, values);
  for (size_t i = steps.size(); i-- > 0;) {
    const size_t count = i == 0 ? results : steps[i - 1].results.size();
    values             = transform::merge_results(steps[i].results, values, count);
  }
  return values;
}

double relative_difference(const ir::Array& actual, const ir::Array& expected) {
  if (actual.is_tuple() && actual.elements().size() == expected.elements().size()) {
    double largest = 0;
    for (size_t i = 0; i < actual.elements().size(); ++i) {
      largest = std::max(largest, relative_difference(actual.elements()[i], expected.elements()[i]));
    }
    return largest;
  }
  if (actual.dims() != expected.dims() || actual.dtype() != expected.dtype()) {
    return std::numeric_limits<double>::infinity();
  }
  double difference = 0, magnitude = 0;
  for (int64_t i = 0; i < expected.size(); ++i) {
    // Not std::max, which would lose a NaN.
    const double here = std::fabs(actual.at(i) - expected.at(i));
    if (!(here <= difference)) difference = here;
    magnitude = std::max(magnitude, std::fabs(expected.at(i)));
  }
  return difference == 0 ? 0 : difference / magnitude;
}

}  // namespace foreflow::test
