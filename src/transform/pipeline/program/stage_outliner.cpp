#include "transform/pipeline/program/stage_outliner.h"

#include <algorithm>
#include <set>

#include "foreflow/base/nth.h"
#include "foreflow/ir/uses.h"
#include "transform/blocks/blocks.h"

namespace foreflow::transform {
namespace {

int part_of(StagePhase phase) { return static_cast<int>(phase) - static_cast<int>(StagePhase::forward); }

std::string_view work_of(schedule::Phase phase) {
  switch (phase) {
    case schedule::Phase::forward: return "forward";
    case schedule::Phase::backward: return "backward";
    case schedule::Phase::input_grad: return "input_grad";
    case schedule::Phase::weight_grad: return "weight_grad";
  }
  return "";
}

// "stage2_backward_add": adds to all sums; with "_add1" or "_add2" to those of one half of the backward.
std::string name_of(schedule::Phase phase, int stage, const std::vector<bool>& begun) {
  const Parts parts = parts_of(phase);
  std::string name  = "stage" + std::to_string(stage + 1) + "_" + std::string(work_of(phase));
  const bool first = nth(begun, parts.first), last = nth(begun, parts.last);
  if (first || last) name += first && last ? "_add" : first ? "_add1" : "_add2";
  return name;
}

}  // namespace

Parts parts_of(schedule::Phase phase) {
  switch (phase) {
    case schedule::Phase::forward: return {0, 0};
    case schedule::Phase::backward: return {1, 2};
    case schedule::Phase::input_grad: return {1, 1};
    case schedule::Phase::weight_grad: return {2, 2};
  }
  return {0, 0};
}

StageOutliner::StageOutliner(const ir::Function& function, const std::vector<StagedOp>& staged,
                             const interpret::Values<LaidOut>& values, int microbatches,
                             const std::vector<bool>& summed, const WideSums& wide, const ir::OpTable& ops)
    : function_(function),
      staged_(staged),
      values_(values),
      microbatches_(microbatches),
      summed_(summed),
      wide_(wide),
      ops_(ops),
      makers_(ir::makers_of(function)),
      part_of_(staged.size(), -1),
      readers_(function.values.size()),
      judge_(microbatches),
      map_(function.values.size()) {
  int stages = 1;
  for (const StagedOp& op : staged) stages = std::max(stages, op.stage + 1);
  parts_.resize(number(stages, 0));
  sums_.resize(number(stages, 0));
  for (size_t o = 0; o < staged.size(); ++o) {
    if (!is_task(staged[o].phase)) continue;
    const size_t part = number(staged[o].stage, part_of(staged[o].phase));
    part_of_[o]       = static_cast<int32_t>(part);
    parts_[part].push_back(static_cast<uint32_t>(o));
    for (uint32_t i = 0; i < function.ops[o].result_count; ++i) {
      if (summed[function.ops[o].first_result + i]) sums_[part].push_back(function.output(function.ops[o], i));
    }
  }
  find_readers();
}

void StageOutliner::find_readers() {
  const auto read = [this](ir::ValueId id, int32_t part) {
    if (id == ir::ValueId::none) return;
    Readers& readers = readers_[ir::index(id)];
    readers          = {std::min(readers.first, part), std::max(readers.last, part)};
  };
  for (size_t o = 0; o < staged_.size(); ++o) {
    if (staged_[o].phase == StagePhase::anywhere) continue;
    for (const ir::ValueId id : function_.inputs(function_.ops[o]))
      read(id, staged_[o].phase == StagePhase::update ? INT32_MAX : part_of_[o]);
  }
  for (const ir::ValueId id : function_.results) read(id, INT32_MAX);
}

bool StageOutliner::is_empty(schedule::Phase phase, int stage) const {
  const Parts parts = parts_of(phase);
  return parts_[number(stage, parts.first)].empty() && parts_[number(stage, parts.last)].empty();
}

std::vector<uint32_t> StageOutliner::ops_of(schedule::Phase phase, int stage) const {
  const Parts parts = parts_of(phase);
  const auto &first = parts_[number(stage, parts.first)], &last = parts_[number(stage, parts.last)];
  if (parts.first == parts.last) return first;
  std::vector<uint32_t> both;
  std::merge(first.begin(), first.end(), last.begin(), last.end(), std::back_inserter(both));
  return both;
}

Outlined StageOutliner::outline(schedule::Phase phase, int stage, const std::vector<bool>& begun) {
  const Parts parts               = parts_of(phase);
  const std::vector<uint32_t> ops = ops_of(phase, stage);
  first_                          = static_cast<int32_t>(number(stage, parts.first));
  last_                           = static_cast<int32_t>(number(stage, parts.last));
  outlined_                       = {};
  so_far_.clear();
  for (const ir::ValueId id : written_) map_.set(id, ir::ValueId::none);
  written_.clear();

  ir::FunctionBuilder builder(name_of(phase, stage, begun), ops_);
  const auto set = [this](ir::ValueId id, ir::ValueId made) {
    map_.set(id, made);
    written_.push_back(id);
  };
  std::set<ir::ValueId> seen;
  for (const uint32_t o : ops) {
    for (const ir::ValueId id : function_.inputs(function_.ops[o])) {
      if (id != ir::ValueId::none && !inside(id) && !is_constant(id) && seen.insert(id).second)
        outlined_.parameters.push_back(id);
    }
  }
  for (const ir::ValueId id : outlined_.parameters) {
    const bool given = ir::index(id) < function_.parameters.size();
    set(id, builder.parameter(function_.value(id).name,
                              given ? function_.parameters[ir::index(id)] : ir::ParameterRole::data, ir::TypeRef()));
  }
  for (int part = parts.first; part <= parts.last; ++part) {
    if (!nth(begun, part)) continue;
    for (const ir::ValueId id : sums(stage, part)) {
      outlined_.sums.push_back(id);
      so_far_[id] = builder.parameter(function_.value(id).name, ir::ParameterRole::data, ir::TypeRef());
    }
  }
  for (const uint32_t o : ops) write(builder, function_.ops[o]);
  find_results(ops);
  std::vector<ir::ValueId> results;
  for (const ir::ValueId id : outlined_.results) {
    const auto sum = so_far_.find(id);
    results.push_back(sum != so_far_.end() ? sum->second : map_(id));
  }
  outlined_.function = builder.finish(std::move(results));
  return std::move(outlined_);
}

bool StageOutliner::inside(ir::ValueId id) const {
  const int32_t maker = makers_[ir::index(id)];
  if (maker < 0) return false;
  const int32_t part = nth(part_of_, maker);
  return first_ <= part && part <= last_;
}

bool StageOutliner::is_constant(ir::ValueId id) const {
  const int32_t maker = makers_[ir::index(id)];
  return maker >= 0 && nth(staged_, maker).phase == StagePhase::anywhere;
}

// The op's attributes for one microbatch.
const ir::AttributesRef& StageOutliner::local(const ir::Op& op) {
  if (microbatches_ == 1 || op.def->fit_part == nullptr) return op.attributes;
  const auto attributes = reinterpret_cast<uint64_t>(op.attributes.get());
  const uint32_t number = known_.number(words_of(function_, op, attributes, values_, words_));
  if (number < attributes_.size()) return attributes_[number];
  const Verdict& verdict = judge_(function_, op, values_);
  std::vector<ir::Type> inputs, outputs;
  for (const ir::ValueId id : function_.inputs(op))
    inputs.push_back(id == ir::ValueId::none ? ir::Type() : values_[ir::index(id)].value.type);
  for (uint32_t i = 0; i < op.result_count; ++i) outputs.push_back(values_[op.first_result + i].value.type);
  const std::vector<const ir::Array*> unknown(inputs.size(), nullptr);
  const ir::OpCall call{*op.def, *op.attributes, inputs, unknown, op.result_count};
  attributes_.push_back(shared_(local_attributes(call, verdict.decision, outputs, microbatches_)));
  return attributes_.back();
}

void StageOutliner::write(ir::FunctionBuilder& builder, const ir::Op& op) {
  for (const ir::ValueId id : function_.inputs(op)) {
    if (id != ir::ValueId::none && !map_.has(id)) write(builder, nth(function_.ops, makers_[ir::index(id)]));
  }
  const auto operands = copies(function_.inputs(op), map_);
  const auto first    = static_cast<int32_t>(builder.append(op.def, -1, local(op), operands, op.result_count));
  for (uint32_t i = 0; i < op.result_count; ++i) {
    const ir::ValueId id = function_.output(op, i);
    auto copy            = static_cast<ir::ValueId>(first + static_cast<int32_t>(i));
    builder.set_name(copy, function_.value(id).name);
    if (const auto wide = wide_.types[ir::index(id)])
      copy = builder.op("Cast", {copy}, {{"to", std::string(ir::name(*wide))}});
    map_.set(id, copy);
    written_.push_back(id);
    const auto sum = so_far_.find(id);
    if (sum != so_far_.end()) sum->second = builder.op("Add", {sum->second, copy});
  }
}

// Values made here that an op elsewhere reads, or that the program returns.
void StageOutliner::find_results(const std::vector<uint32_t>& ops) {
  for (const uint32_t o : ops) {
    for (uint32_t i = 0; i < function_.ops[o].result_count; ++i) {
      const ir::ValueId id   = function_.output(function_.ops[o], i);
      const Readers& readers = readers_[ir::index(id)];
      if (readers.first < first_ || readers.last > last_) outlined_.results.push_back(id);
    }
  }
}

}  // namespace foreflow::transform
