#include "transform/pipeline/cuts/cut_places.h"

#include <algorithm>

#include "foreflow/base/nth.h"
#include "foreflow/ir/replicas.h"
#include "foreflow/ir/uses.h"
#include "foreflow/ir/views.h"
#include "foreflow/transform/split_data.h"
#include "transform/layout/gradient_sum.h"
#include "transform/pipeline/cuts/op_prices.h"

namespace foreflow::transform {
namespace {

// The bytes that a stage keeps for the weights that an op reads.
struct NeedOfWeights {
  Bytes all{0};
  WeightBytes whole = {}, shard = {};  // as in CutPlace
  Bytes largest{0};                    // of several weights
  double accumulation = 0;             // seconds of adding gradients to those of the microbatches before
};

WeightBytes& operator+=(WeightBytes& sum, const WeightBytes& more) {
  sum.weights += more.weights;
  sum.gradients += more.gradients;
  sum.states += more.states;
  return sum;
}

WeightBytes divided(const WeightBytes& bytes, double by) {
  return {bytes.weights / by, bytes.gradients / by, bytes.states / by};
}

class Places {
 public:
  Places(const ir::Function& function, const std::vector<StagePhase>& phases, const std::vector<int32_t>& ends,
         const std::vector<int32_t>& anchors, const interpret::Values<LaidOut>& values, const StagePrices& prices,
         int parts)
      : function_(function),
        phases_(phases),
        ends_(ends),
        anchors_(anchors),
        values_(values),
        represented_(values, prices.written),
        prices_(prices, parts),
        accumulate_(prices.accumulate),
        parts_(parts),
        last_use_(function.values.size()),
        kept_(function.values.size()),
        seconds_(function.ops.size()),
        forward_(function.ops.size()),
        messages_(function.ops.size()),
        weights_(function.ops.size()),
        makers_(ir::makers_of(function)),
        uses_(ir::uses_of(function)) {}

  std::vector<CutPlace> run() {
    price_ops();
    find_uses();
    find_weights();
    return walk();
  }

 private:
  // On all devices, divided by their number.
  Bytes bytes_of(size_t value) const {
    return represented_.copies_of(values_[value]) *
           (ir::bytes_of(local_type(values_[value].value.type, values_[value].layout, parts_)) / represented_.count());
  }

  void price_ops() {
    for (size_t o = 0; o < function_.ops.size(); ++o) {
      if (anchors_[o] < 0) continue;
      const ir::Op& op     = function_.ops[o];
      const double seconds = prices_(function_, op, values_).seconds.value();
      if (op.def->role == ir::Role::communication) {
        add_seconds(o, represented_.share_of(op, values_) * seconds);
        continue;
      }
      for (int copy = 0; copy < represented_.copies_of(op, values_); ++copy)
        add_seconds(o, seconds / represented_.count());
    }
  }

  void add_seconds(size_t o, double seconds) {
    nth(seconds_, anchors_[o]) += seconds;
    if (function_.ops[o].def->role == ir::Role::communication) nth(messages_, anchors_[o]) += seconds;
    if (phases_[o] == StagePhase::forward) nth(forward_, anchors_[o]) += seconds;
  }

  void find_uses() {
    for (size_t o = 0; o < function_.ops.size(); ++o) {
      for (const ir::ValueId id : function_.inputs(function_.ops[o])) {
        if (id == ir::ValueId::none) continue;
        if (phases_[o] == StagePhase::forward) last_use_[ir::index(id)] = o;
        if (phases_[o] == StagePhase::backward) kept_[ir::index(id)] = true;
      }
    }
    // A view keeps what it looks at.
    for (size_t o = function_.ops.size(); o-- > 0;) {
      const ir::Op& op = function_.ops[o];
      if (phases_[o] != StagePhase::forward || !is_view(op) || !kept_[op.first_result]) continue;
      kept_[op.first_result]                    = false;
      kept_[ir::index(function_.inputs(op)[0])] = true;
    }
  }

  bool is_view(const ir::Op& op) const {
    return ir::shares_operand(op) && op.result_count == 1 && function_.inputs(op)[0] != ir::ValueId::none;
  }

  // At the first and at the last op that reads them: an embedding that is also the output layer is held twice.
  void find_weights() {
    const std::vector<NeedOfWeights> needs = needs_of_parameters();
    std::vector<bool> seen(needs.size());
    for (size_t o = 0; o < function_.ops.size(); ++o) {
      if (phases_[o] != StagePhase::forward) continue;
      for (const ir::ValueId id : function_.inputs(function_.ops[o])) {
        if (id == ir::ValueId::none || ir::index(id) >= needs.size()) continue;
        if (!seen[ir::index(id)] || last_use_[ir::index(id)] == o) {
          const NeedOfWeights& need = needs[ir::index(id)];
          weights_[o].all += need.all;
          weights_[o].whole += need.whole;
          weights_[o].shard += need.shard;
          weights_[o].largest = std::max(weights_[o].largest, need.whole.weights);
          weights_[o].accumulation += need.accumulation;
        }
        seen[ir::index(id)] = true;
      }
    }
  }

  std::vector<NeedOfWeights> needs_of_parameters() const {
    std::vector<NeedOfWeights> needs(function_.parameters.size());
    for (size_t i = 0; i < needs.size(); ++i) {
      if (function_.parameters[i] == ir::ParameterRole::weight) needs[i].all = bytes_of(i);
    }
    for (const ir::Op& op : function_.ops) {
      if (op.def->role != ir::Role::optimizer) continue;
      const auto inputs = function_.inputs(op);
      const bool many   = inputs.size() == size_t{2} * op.result_count;
      const size_t rows = many ? op.result_count : 1;
      for (size_t row = 0; row < rows && row + rows < inputs.size(); ++row) {
        if (ir::index(inputs[row]) >= needs.size()) continue;
        const auto states = many ? std::span<const ir::ValueId>() : inputs.subspan(2);
        add_update(inputs[row + rows], states, needs[ir::index(inputs[row])]);
      }
    }
    return needs;
  }

  // Adds what an update of a weight reads besides the weight.
  void add_update(ir::ValueId gradient, std::span<const ir::ValueId> states, NeedOfWeights& need) const {
    WeightBytes bytes{.weights = need.all};
    if (gradient != ir::ValueId::none) bytes.gradients = bytes_of(ir::index(gradient));
    need.all += bytes.gradients;
    for (const ir::ValueId id : states) {
      if (id == ir::ValueId::none) continue;
      bytes.states += bytes_of(ir::index(id));
      need.all += bytes_of(ir::index(id));
    }
    if (gradient == ir::ValueId::none) return;
    need.accumulation += time_to_accumulate(ir::index(gradient));
    const GradientSum sum = gradient_sum(function_, makers_, uses_, gradient);
    // Replicas have no other gradients of their own samples, and so nothing else to shard.
    if (sum.terms.size() == 1 && !values_[ir::index(sum.own)].layout.is_partial()) return;
    // A gradient that is summed after all microbatches is whole until then.
    const int32_t maker = makers_[ir::index(sum.own)];
    if (maker < 0 || nth(phases_, maker) == StagePhase::update) bytes.gradients = Bytes(0);
    need.whole += bytes;
    need.shard += divided(bytes, static_cast<double>(copies_in(sum)));
  }

  // The mean over the devices.
  double time_to_accumulate(size_t gradient) const {
    const LaidOut& value = values_[gradient];
    if (!accumulate_) return 0;
    return represented_.copies_of(value) * (accumulate_(value.value.type).value() / represented_.count());
  }

  // The number of ranks that hold copies of the weight, of which the program may have fewer.
  size_t copies_in(const GradientSum& sum) const {
    size_t copies = sum.terms.size();
    for (const size_t o : sum.ops) {
      const ir::Op& op = function_.ops[o];
      if (op.attributes->find(kOfCopies) != nullptr)
        copies = std::max(copies, ir::ranks_of(*op.attributes, op.operand_count));
    }
    return copies;
  }

  std::vector<CutPlace> walk() {
    std::vector<CutPlace> all;
    std::vector<std::vector<size_t>> last_read(function_.ops.size());
    CutPlace here{};
    for (size_t o = 0; o < function_.ops.size(); ++o) {
      if (phases_[o] != StagePhase::forward) continue;
      const ir::Op& op = function_.ops[o];
      here.op          = static_cast<int32_t>(o);
      for (size_t value = op.first_result; value < op.first_result + op.result_count; ++value) {
        if (kept_[value]) here.held += bytes_of(value);
        if (values_[value].value.known || last_use_[value] <= o) continue;
        last_read[last_use_[value]].push_back(value);
        here.tensors += represented_.copies_of(values_[value]);
        here.crossing += bytes_of(value);
      }
      for (const size_t value : last_read[o]) {
        here.tensors -= represented_.copies_of(values_[value]);
        here.crossing -= bytes_of(value);
      }
      for (int copy = 0; copy < represented_.copies_of(op, values_); ++copy)
        here.flops += prices_(function_, op, values_).flops;
      here.seconds += seconds_[o] + weights_[o].accumulation;
      here.forward += forward_[o];
      here.messages += messages_[o];
      here.weights += weights_[o].all;
      here.whole += weights_[o].whole;
      here.shard += weights_[o].shard;
      here.largest = std::max(here.largest, weights_[o].largest);
      if (ends_[o] == here.op) all.push_back(here);
    }
    return all;
  }

  const ir::Function& function_;
  const std::vector<StagePhase>& phases_;
  const std::vector<int32_t>& ends_;
  const std::vector<int32_t>& anchors_;
  const interpret::Values<LaidOut>& values_;
  const DevicesOfProgram represented_;
  OpPrices prices_;
  const std::function<Seconds(const ir::Type&)>& accumulate_;
  const int parts_;
  std::vector<size_t> last_use_;              // per value, by forward ops
  std::vector<bool> kept_;                    // per value: the backward reads it
  std::vector<double> seconds_;               // per forward op, with what is anchored there
  std::vector<double> forward_;               // of these, the seconds of forward ops
  std::vector<double> messages_;              // of these, the seconds of communications
  std::vector<NeedOfWeights> weights_;        // per forward op
  const std::vector<int32_t> makers_, uses_;  // per value
};

}  // namespace

std::vector<CutPlace> cut_places(const ir::Function& function, const std::vector<StagePhase>& phases,
                                 const std::vector<int32_t>& ends, const std::vector<int32_t>& anchors,
                                 const interpret::Values<LaidOut>& values, const StagePrices& prices, int parts) {
  return Places(function, phases, ends, anchors, values, prices, parts).run();
}

}  // namespace foreflow::transform
