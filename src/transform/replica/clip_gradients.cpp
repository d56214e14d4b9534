#include "foreflow/transform/clip_gradients.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "foreflow/base/nth.h"
#include "foreflow/base/text.h"
#include "foreflow/ir/text.h"
#include "foreflow/ir/uses.h"
#include "foreflow/transform/passes.h"
#include "transform/pass_arguments.h"
#include "transform/rewrite/copy.h"

namespace foreflow::transform {
namespace {

using ir::ValueId;

bool updates(const ir::Op& op) { return !op.is_call() && op.def->role == ir::Role::optimizer && op.operand_count >= 2; }

// A gradient that an optimizer takes.
struct Taken {
  ValueId gradient;
  size_t weight;         // the parameter that is updated
  bool by_rows = false;  // every rank of every replica has its row of the gradient
};

class Clipper {
 public:
  Clipper(ir::Module module, const ir::OpTable& ops, const Clipping& how)
      : module_(std::move(module)),
        entry_(module_.entry()),
        how_(how),
        makers_(ir::makers_of(entry_)),
        fresh_(entry_.values.size()),
        builder_(entry_.name, ops),
        map_(entry_.values.size()) {}

  ir::Module run() {
    find();
    if (taken_.empty()) return std::move(module_);
    const std::vector<bool> before = needed();
    copy_parameters(builder_, entry_, map_);
    for (size_t o = 0; o < entry_.ops.size(); ++o) {
      if (before[o]) copy_op(builder_, entry_, entry_.ops[o], map_);
    }
    clip();
    for (size_t o = 0; o < entry_.ops.size(); ++o) {
      if (!before[o]) copy_op(builder_, entry_, entry_.ops[o], map_);
    }
    ir::Function clipped    = builder_.finish(copies(entry_.results, map_));
    ir::Module result       = std::move(module_);
    result.functions.back() = std::move(clipped);
    ir::verify(result);
    return result;
  }

 private:
  // Finds the gradients that optimizers take. An optimizer that takes what another one made only assigns it (Assign).
  void find() {
    for (size_t o = 0; o < entry_.ops.size(); ++o) {
      const ir::Op& op  = entry_.ops[o];
      const auto inputs = entry_.inputs(op);
      const bool late   = std::any_of(inputs.begin(), inputs.end(),
                                      [&](ValueId id) { return id != ValueId::none && fresh_[ir::index(id)]; });
      const bool update = updates(op) && !late;
      if (late || update) std::fill_n(fresh_.begin() + op.first_result, op.result_count, true);
      if (update) take(op, inputs);
      if (update) first_ = std::min(first_, o);
    }
  }

  // w, dw, states; or w1 .. wn, dw1 .. dwn.
  void take(const ir::Op& op, std::span<const ValueId> inputs) {
    const size_t rows = inputs.size() == size_t{2} * op.result_count ? op.result_count : 1;
    for (size_t i = 0; i < rows; ++i) {
      if (inputs[i] == ValueId::none || inputs[rows + i] == ValueId::none) continue;
      Taken one           = weight_of(op, inputs[i]);
      one.gradient        = inputs[rows + i];
      const auto& type    = entry_.value(static_cast<ValueId>(one.weight)).annotation;
      const ir::Device at = type == nullptr ? ir::Device() : ir::device_of(*type);
      shared_             = shared_ || one.by_rows;
      taken_[at].push_back(one);
    }
  }

  // The parameter that a weight is, or is this replica's row of.
  Taken weight_of(const ir::Op& op, ValueId id) const {
    Taken one{ValueId::none, 0};
    while (ir::index(id) >= entry_.parameters.size()) {
      const ir::Op& maker = nth(entry_.ops, makers_[ir::index(id)]);
      if (maker.is_call() || maker.operand_count == 0 || entry_.inputs(maker)[0] == ValueId::none) {
        throw Error(ir::describe(module_, entry_, op),
                    "updates %" + entry_.value(id).name + "; gradients are clipped where parameters are updated");
      }
      one.by_rows = one.by_rows || maker.attributes->find(ir::kOwnRow) != nullptr;
      id          = entry_.inputs(maker)[0];
    }
    one.weight  = ir::index(id);
    one.by_rows = one.by_rows || (!how_.held.empty() && how_.held[one.weight].layout.is_flat());
    return one;
  }

  // Per op: whether it stands before the norm, because a gradient depends on it or it stood before all updates. What
  // only updates read, such as a rank's row of a weight, goes with them, so that this is alike on all devices.
  std::vector<bool> needed() const {
    std::vector<bool> before(entry_.ops.size());
    for (const auto& [device, all] : taken_) {
      for (const Taken& one : all) need(one.gradient, before);
    }
    const std::vector<bool> of_updates = read_by_updates_alone();
    for (size_t o = entry_.ops.size(); o-- > 0;) {
      before[o] = before[o] || (o < first_ && !of_updates[o]);
      if (!before[o]) continue;
      for (const ValueId id : entry_.inputs(entry_.ops[o])) need(id, before);
    }
    return before;
  }

  // Per op: whether its results are read, but by nothing except updates and ops like it.
  std::vector<bool> read_by_updates_alone() const {
    std::vector<bool> alone(entry_.ops.size()), read(entry_.values.size()), by_others(entry_.values.size());
    for (const ValueId id : entry_.results) by_others[ir::index(id)] = true;
    for (size_t o = entry_.ops.size(); o-- > 0;) {
      const ir::Op& op = entry_.ops[o];
      const auto any   = [&](const std::vector<bool>& values) {
        const auto first = values.begin() + op.first_result;
        return std::find(first, first + op.result_count, true) != first + op.result_count;
      };
      alone[o]          = any(read) && !any(by_others);
      const bool update = op.result_count > 0 && fresh_[op.first_result];
      for (const ValueId id : entry_.inputs(op)) {
        if (id == ValueId::none) continue;
        read[ir::index(id)] = true;
        if (!alone[o] && !update) by_others[ir::index(id)] = true;
      }
    }
    return alone;
  }

  void need(ValueId id, std::vector<bool>& before) const {
    if (id == ValueId::none || makers_[ir::index(id)] < 0) return;
    const auto maker = static_cast<size_t>(makers_[ir::index(id)]);
    if (fresh_[ir::index(id)])
      throw Error(ir::describe(module_, entry_, entry_.ops[maker]),
                  "is an update on which a gradient depends; gradients are clipped in programs of one step");
    before[maker] = true;
  }

  // How often the program holds each parameter of the original that is updated.
  std::map<int32_t, double> held() const {
    std::map<int32_t, double> times;
    if (how_.parts.empty()) return times;
    for (const auto& [device, all] : taken_) {
      for (const Taken& one : all) times[how_.parts[one.weight].source] += how_.parts[one.weight].share;
    }
    return times;
  }

  int64_t copies_of(const Taken& one, const std::map<int32_t, double>& held) const {
    int64_t here = how_.parts.empty() ? 1 : std::llround(held.at(how_.parts[one.weight].source));
    if (one.by_rows) here /= how_.held.empty() ? 1 : how_.held[one.weight].ranks;  // each of them has its own row
    return std::max<int64_t>(here, 1) * (shared_ && !one.by_rows ? how_.replicas : 1);
  }

  void clip() {
    const std::map<int32_t, double> held = this->held();
    std::vector<ValueId> norms;
    for (const auto& [device, all] : taken_) {
      std::vector<ValueId> gradients;
      std::vector<int64_t> copies;
      for (const Taken& one : all) {
        gradients.push_back(map_(one.gradient));
        copies.push_back(copies_of(one, held));
      }
      ir::Attributes attributes;
      if (std::any_of(copies.begin(), copies.end(), [](int64_t count) { return count > 1; }))
        attributes.set("copies", std::move(copies));
      norms.push_back(builder_.op("SquaredNorm", gradients, std::move(attributes)));
    }
    norms      = summed(std::move(norms));
    auto total = norms.begin();
    for (const auto& [device, all] : taken_) scale(all, *total++);
  }

  // Over the replicas if they share the update, then over the devices of the program.
  std::vector<ValueId> summed(std::vector<ValueId> norms) {
    if (shared_ && how_.replicas > 1) {
      for (ValueId& norm : norms)
        norm = builder_.op("MPIAllreduce", {norm}, {{std::string(ir::kReplicas), int64_t{how_.replicas}}});
    }
    const size_t devices = norms.size();
    if (devices == 1) return norms;
    return builder_.emit("MPIAllreduce", std::move(norms), ir::of_written(how_.written), devices);
  }

  // Each gradient once, whatever takes it.
  void scale(const std::vector<Taken>& all, ValueId norm) {
    std::vector<ValueId> gradients;
    for (const Taken& one : all) gradients.push_back(one.gradient);
    std::sort(gradients.begin(), gradients.end());
    gradients.erase(std::unique(gradients.begin(), gradients.end()), gradients.end());
    std::vector<ValueId> operands = copies(gradients, map_);
    operands.push_back(norm);
    const auto scaled = builder_.emit("ClipGradients", operands, {{"max_norm", how_.max_norm}}, gradients.size());
    for (size_t i = 0; i < gradients.size(); ++i) map_.set(gradients[i], scaled[i]);
  }

  ir::Module module_;
  const ir::Function& entry_;
  const Clipping& how_;
  const std::vector<int32_t> makers_;
  std::vector<bool> fresh_;                         // per value: an optimizer made it, or what it is made of
  size_t first_ = SIZE_MAX;                         // the first update
  bool shared_  = false;                            // replicas share the update
  std::map<ir::Device, std::vector<Taken>> taken_;  // by the device of the weight
  ir::FunctionBuilder builder_;
  ValueMap map_;
};

}  // namespace

std::vector<HeldPart> held_parts(const std::vector<std::vector<Piece>>& steps, const ir::WrittenDevices& written) {
  std::vector<HeldPart> parts;
  for (size_t s = 0; s < steps.size(); ++s) {
    const std::vector<Piece>& step = steps[s];
    const int all                  = s == 0 ? written.shards : s == 1 ? written.ranks : 0;
    std::vector<HeldPart> now;
    now.reserve(step.size());
    for (const Piece& piece : step) {
      HeldPart part = parts.empty() ? HeldPart{piece.source, 1} : nth(parts, piece.source);
      if (!piece.layout.is_whole()) part.share /= piece.ways;
      if (all > 0 && piece.index > 0) part.share *= all - 1;
      now.push_back(part);
    }
    parts = std::move(now);
  }
  return parts;
}

ir::Module clip_gradients(ir::Module module, const ir::OpTable& ops, const Clipping& how) {
  return Clipper(std::move(module), ops, how).run();
}

namespace definitions::clip_gradients {
namespace {

// How many devices hold a weight is not told by a program of several.
void check_one_device(const ir::Module& module) {
  for (const ir::Function& function : module.functions) {
    for (const ir::Op& op : function.ops) {
      if (!op.is_call() && op.def->role == ir::Role::communication)
        throw Error(ir::describe(module, function, op),
                    "communicates; the pass clip_gradients is for programs of one device, and the key "
                    "workload.clip_gradients of a scenario for others");
    }
  }
}

double norm_argument(const PassArguments& arguments) {
  const std::string word = word_argument(arguments, "max_norm", "1");
  const auto norm        = parse_number<double>(word);
  if (norm && *norm > 0) return *norm;
  throw Error("--pass clip_gradients: max_norm", "\"" + word + "\" is no norm; a number above 0 would be right");
}

}  // namespace

PassDef row() {
  return {"clip_gradients",
          "scale gradients down to a global norm of max_norm (1) before optimizers take them; for a program of one "
          "device",
          {"max_norm"},
          [](const ir::Module& module, const ir::OpTable& ops, const PassArguments& arguments) {
            const double norm = norm_argument(arguments);
            check_one_device(module);
            return transform::clip_gradients(module, ops, {.max_norm = norm});
          }};
}
}  // namespace definitions::clip_gradients

}  // namespace foreflow::transform
