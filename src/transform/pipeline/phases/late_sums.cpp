#include "transform/pipeline/phases/late_sums.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "foreflow/base/error.h"

namespace foreflow::transform {
namespace {

using LateValues = interpret::Values<LaidOut>;

bool reads_samples(const ir::Function& function, const ir::Op& op, const LateValues& values) {
  const auto inputs = function.inputs(op);
  return std::any_of(inputs.begin(), inputs.end(), [&](ir::ValueId id) {
    return id != ir::ValueId::none && values[ir::index(id)].layout.is_split();
  });
}

bool needs_sums(const ir::Function& function, const ir::Op& op, const LateValues& values) {
  bool any = false;
  for (const ir::ValueId id : function.inputs(op))
    any = any || (id != ir::ValueId::none && values[ir::index(id)].layout.is_partial());
  constexpr int kAnyWays = 1;  // how many terms a sum has decides nothing
  return any && !reads_samples(function, op, values) && !judge(function, op, values, kAnyWays).as_it_arrives;
}

bool is_training(const ir::Function& function) {
  return std::any_of(function.ops.begin(), function.ops.end(),
                     [](const ir::Op& op) { return op.def->role == ir::Role::loss_gradient; });
}

// Returns true if a value is spread over microbatches.
bool has_parts(const LateValues& values) {
  return std::any_of(values.begin(), values.end(),
                     [](const LaidOut& value) { return value.layout.is_split() || value.layout.is_partial(); });
}

// The least number of equal parts, above 1, into which replicas could divide the samples; 1: there is none.
int least_parts(const ir::Function& function, const LateValues& values) {
  for (size_t i = 0; i < function.parameters.size(); ++i) {
    const ir::Type& type = values[i].value.type;
    if (function.parameters[i] != ir::ParameterRole::data || !type.is_tensor() || type.dims.empty()) continue;
    const int64_t samples = type.dims[0];
    if (samples < 2 || samples > std::numeric_limits<int>::max()) return 1;
    int64_t parts = 2;
    while (parts * parts <= samples && samples % parts != 0) ++parts;
    return static_cast<int>(samples % parts == 0 ? parts : samples);
  }
  return 1;
}

// The layouts over parts of the samples; nothing if the samples cannot be told apart, so that no replicas share them.
std::optional<LayoutInterpretation> over_samples(const ir::Module& module, const LateValues& values) {
  const int parts = least_parts(module.entry(), values);
  if (parts == 1) return std::nullopt;
  try {
    LayoutInterpretation layouts = interpret_layouts(module, parts, "samples");
    if (!mixes(module.entry(), layouts.entry().values, parts)) return layouts;
  } catch (const Error&) {  // the pass that divides the samples says why it cannot
  }
  return std::nullopt;
}

// Keeps only ops on which nothing depends that works on samples: a stage needs what others give for its microbatch.
void leave_out_sources_of_samples(const ir::Function& function, const LateValues& values, std::vector<bool>& late) {
  std::vector<bool> needed_early(function.values.size());
  for (size_t o = function.ops.size(); o-- > 0;) {
    const ir::Op& op = function.ops[o];
    bool early       = reads_samples(function, op, values);
    for (uint32_t i = 0; i < op.result_count; ++i) early = early || needed_early[op.first_result + i];
    if (!early) continue;
    late[o] = false;
    for (const ir::ValueId id : function.inputs(op))
      if (id != ir::ValueId::none) needed_early[ir::index(id)] = true;
  }
}

std::vector<bool> ops_that_need_sums(const ir::Function& function, const LateValues& values) {
  std::vector<bool> late;
  late.reserve(function.ops.size());
  for (const ir::Op& op : function.ops) late.push_back(!op.is_call() && needs_sums(function, op, values));
  return late;
}

}  // namespace

std::vector<bool> takes_complete_sums(const ir::Module& module, const interpret::Values<LaidOut>& values) {
  const ir::Function& function = module.entry();
  if (has_parts(values)) return ops_that_need_sums(function, values);
  const auto layouts = is_training(function) ? over_samples(module, values) : std::nullopt;
  if (!layouts) return std::vector<bool>(function.ops.size());
  const LateValues& samples = layouts->entry().values;
  std::vector<bool> late    = ops_that_need_sums(function, samples);
  leave_out_sources_of_samples(function, samples, late);
  return late;
}

}  // namespace foreflow::transform
