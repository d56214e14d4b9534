#include "transform/pipeline/model/trained_reads.h"

#include <map>

#include "foreflow/base/nth.h"
#include "foreflow/transform/split_data.h"

namespace foreflow::transform {
namespace {

constexpr int32_t kNoReader = -1, kManyReaders = -2;  // stages, and numbers of weights

// Calls see(op, parameter) for every operand of a task that is a trained weight.
template <class See>
void each_read(const StagedProgram& program, const See& see) {
  for (size_t o = 0; o < program.staged.size(); ++o) {
    if (!is_task(program.staged[o].phase)) continue;
    for (const ir::ValueId id : program.function.inputs(program.function.ops[o])) {
      if (id == ir::ValueId::none || ir::index(id) >= program.gradients.size()) continue;
      if (program.gradients[ir::index(id)] != ir::ValueId::none) see(program.staged[o], ir::index(id));
    }
  }
}

// Per stage: whether it reads a weight that another stage reads, too.
std::vector<bool> sharing_stages(const StagedProgram& program, size_t stages) {
  std::vector<int32_t> reader(program.gradients.size(), kNoReader);
  each_read(program, [&](const StagedOp& op, size_t weight) {
    reader[weight] = reader[weight] == kNoReader || reader[weight] == op.stage ? op.stage : kManyReaders;
  });
  std::vector<bool> sharing(stages);
  each_read(program, [&](const StagedOp& op, size_t weight) {
    if (reader[weight] == kManyReaders) nth(sharing, op.stage) = true;
  });
  return sharing;
}

class StepWriter {
 public:
  StepWriter(const StagedProgram& program, size_t stages)
      : program_(program),
        by_device_(stages),
        number_(program.gradients.size(), kNoReader),
        is_gradient_(program.values.size()) {
    for (const ir::ValueId id : program.gradients) {
      if (id != ir::ValueId::none) is_gradient_[ir::index(id)] = true;
    }
    each_read(program, [&](const StagedOp& op, size_t weight) {
      const LaidOut& what        = program_.values[weight];
      StageNeed::Trained& device = nth(by_device_, op.stage)[ir::device_of(what.value.type).index];
      device.share = program_.represented.copies_of(what) / static_cast<double>(program_.represented.count());
      if (op.phase != StagePhase::forward || number_[weight] != kNoReader) return;
      number_[weight] = static_cast<int32_t>(device.weights.size());
      device.weights.push_back(bytes_of(weight));
    });
  }

  std::vector<std::vector<StageNeed::Trained>> run() {
    for (size_t o = 0; o < program_.staged.size(); ++o) {
      if (is_task(program_.staged[o].phase)) write(o);
    }
    for (size_t value = 0; value < is_gradient_.size(); ++value) {
      if (is_gradient_[value]) add_terms(value);
    }
    const std::vector<bool> sharing = sharing_stages(program_, by_device_.size());
    std::vector<std::vector<StageNeed::Trained>> all(by_device_.size());
    for (size_t stage = 0; stage < all.size(); ++stage) {
      if (sharing[stage]) continue;
      for (auto& [index, device] : by_device_[stage]) all[stage].push_back(std::move(device));
    }
    return all;
  }

 private:
  using Kind = StageNeed::Step::Kind;

  Bytes bytes_of(size_t value) const {
    const LaidOut& what = program_.values[value];
    return ir::bytes_of(local_type(what.value.type, what.layout, program_.parts));
  }

  void write(size_t o) {
    const ir::Op& op     = program_.function.ops[o];
    const StagedOp& task = program_.staged[o];
    auto& devices        = nth(by_device_, task.stage);
    const bool is_late   = task.phase == StagePhase::weight_grad;
    for (auto& [index, device] : devices) {
      if (!is_on(op, index)) continue;
      std::vector<StageNeed::Step>& steps = task.phase == StagePhase::forward ? device.forward : device.backward;
      for (const ir::ValueId id : program_.function.inputs(op)) {
        const bool is_weight = id != ir::ValueId::none && ir::index(id) < number_.size() && is_on(id, index);
        if (is_weight && number_[ir::index(id)] != kNoReader)
          steps.push_back({Kind::read, is_late, number_[ir::index(id)], Seconds(0)});
      }
      if (program_.messages[o] >= 0) steps.push_back({Kind::message, is_late, program_.messages[o], Seconds(0)});
      add_compute(program_.seconds[o] / device.share, is_late, steps);
      for (size_t value = op.first_result; value < op.first_result + op.result_count; ++value) {
        if (!is_gradient_[value] || !is_on(static_cast<ir::ValueId>(value), index)) continue;
        steps.push_back({Kind::gradient, is_late, static_cast<int32_t>(device.gradients.size()), Seconds(0)});
        device.gradients.push_back(bytes_of(value));
        if (program_.messages[o] < 0) device.summed += device.gradients.back();
      }
    }
  }

  // A gradient that devices sum after all microbatches: each of them keeps its own term until then.
  void add_terms(size_t gradient) {
    const auto maker_of = [&](size_t value) { return static_cast<size_t>(program_.makers[value]); };
    const size_t made   = before_conversion(gradient);
    if (program_.makers[made] < 0 || program_.staged[maker_of(made)].phase != StagePhase::update) return;
    const ir::Op& sum = program_.function.ops[maker_of(made)];
    if (sum.is_call() || sum.def->communication != ir::Communication::all_reduce) return;
    for (const ir::ValueId operand : program_.function.inputs(sum)) {
      if (operand == ir::ValueId::none) continue;
      const auto id = static_cast<ir::ValueId>(before_conversion(ir::index(operand)));
      if (program_.makers[ir::index(id)] < 0) continue;
      const size_t maker   = maker_of(ir::index(id));
      const LaidOut& value = program_.values[ir::index(id)];
      if (!is_task(program_.staged[maker].phase) || program_.messages[maker] >= 0 || !value.layout.is_partial())
        continue;
      auto& devices    = nth(by_device_, program_.staged[maker].stage);
      const auto found = devices.find(ir::device_of(value.value.type).index);
      if (found != devices.end() && is_on(static_cast<ir::ValueId>(gradient), found->first))
        found->second.summed_later += bytes_of(ir::index(id));
    }
  }

  // Returns the operand of a Cast that belongs to a sum over ranks; any other value itself.
  size_t before_conversion(size_t value) const {
    const int32_t maker = program_.makers[value];
    if (maker < 0) return value;
    const ir::Op& op = nth(program_.function.ops, maker);
    return op.attributes->find(kOfSum) == nullptr ? value : ir::index(program_.function.inputs(op)[0]);
  }

  static void add_compute(Seconds time, bool is_late, std::vector<StageNeed::Step>& steps) {
    if (time == Seconds(0)) return;
    const bool joins = !steps.empty() && steps.back().kind == Kind::compute && steps.back().is_late == is_late;
    if (joins)
      steps.back().time += time;
    else
      steps.push_back({Kind::compute, is_late, kNoReader, time});
  }

  bool is_on(ir::ValueId id, int32_t device) const {
    return ir::device_of(program_.values[ir::index(id)].value.type).index == device;
  }
  // Returns true if the device takes part in the op.
  bool is_on(const ir::Op& op, int32_t device) const {
    for (uint32_t i = 0; i < op.result_count; ++i) {
      if (is_on(program_.function.output(op, i), device)) return true;
    }
    return false;
  }

  const StagedProgram& program_;
  std::vector<std::map<int32_t, StageNeed::Trained>> by_device_;  // per stage
  std::vector<int32_t> number_;    // per parameter: among the weights of its device; kNoReader: no trained weight
  std::vector<bool> is_gradient_;  // per value
};

}  // namespace

std::vector<std::vector<StageNeed::Trained>> trained_reads(const StagedProgram& program, size_t stages) {
  return StepWriter(program, stages).run();
}

}  // namespace foreflow::transform
