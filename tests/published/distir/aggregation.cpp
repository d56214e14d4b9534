#include "published/distir/aggregation.h"

#include <algorithm>

#include "foreflow/base/nth.h"

namespace foreflow::published {
namespace {

constexpr Seconds kLaunch(1e-5);
constexpr Bytes kSampleCount(4);

// Sizes on one device.
struct Sizes {
  Bytes piece;           // the loss of one microbatch, or its gradient of the inputs
  Bytes weight;          // the gradient of one layer
  Bytes freed_by_layer;  // what its MatMulGrad is the last to read: the gradient of its outputs, and its inputs
  int reductions;        // all-reduces in a backward call of one stage
};

Sizes sizes_of(const scenario::Scenario& scenario) {
  const scenario::Strategy& strategy = scenario.strategy;
  const JsonView workload            = JsonView(scenario.source, scenario.file).at("workload");
  const double hidden = workload.at("hidden").as_number(), layers = workload.at("layers").as_number();
  const double samples = static_cast<double>(strategy.global_batch) / strategy.dp / strategy.microbatches;
  const Bytes row(hidden * ir::size_of(*scenario.workload.dtype));
  // Layers are split by columns and by rows in turn: of the two activations one is whole and one is split.
  const Bytes piece    = samples * row;
  const int reductions = strategy.tp == 1 ? 0 : static_cast<int>(layers) / strategy.pp / 2;
  return {piece, hidden / strategy.tp * row, piece + piece / strategy.tp, reductions};
}

// Walks the items of one device, whose only stream has them all.
class Walk {
 public:
  Walk(const stream::Program& program, const stream::Stream& stream, const Sizes& sizes)
      : program_(program), sizes_(sizes), level_(nth(program.devices, stream.device).initial), peak_(level_) {
    for (const stream::Item& item : stream.items) visit(item);
  }

  Bytes peak() const { return has_loss_ ? peak_ + kSampleCount : peak_; }

 private:
  void visit(const stream::Item& item) {
    const stream::MemoryEffect& effect = nth(program_.memory_effects, item.memory);
    has_loss_                          = has_loss_ || computes_loss(item);
    note(level_ + effect.peak);
    if (copies_gradients(item)) note(level_ + effect.peak + sizes_.weight - sizes_.freed_by_layer);
    level_ += effect.net;
    if (makes_loss(item)) {
      losses_ += 1;
      note(level_ + losses_ * sizes_.piece);
    }
    if (makes_input_gradient(item)) {
      // From the second microbatch on, the weight gradient of the first layer is not added to its sum yet.
      const Bytes waiting = gradients_ > 0 ? sizes_.weight : Bytes(0);
      gradients_ += 1;
      note(level_ + waiting + gradients_ * sizes_.piece);
    }
  }

  void note(Bytes bytes) { peak_ = std::max(peak_, bytes); }

  static bool computes(const stream::Item& item) { return item.instance < 0; }
  const stream::Compute& event(const stream::Item& item) const { return nth(program_.computes, item.event); }
  bool reduces(const stream::Item& item) const {
    return !computes(item) && nth(program_.communications, item.event).kind == collective::Kind::all_reduce;
  }

  // The backward of a first microbatch: that of the later ones is called ..._backward_add.
  bool copies_gradients(const stream::Item& item) const {
    return computes(item) && event(item).name.ends_with("_backward");
  }

  bool computes_loss(const stream::Item& item) const {
    if (!computes(item)) return false;
    const auto& parts = event(item).parts;
    return std::any_of(parts.begin(), parts.end(), [](const stream::Part& part) { return part.name == "Loss"; });
  }

  // Ends a forward call of the last stage.
  bool makes_loss(const stream::Item& item) const {
    return computes_loss(item) && event(item).parts.back().name == "Loss";
  }

  // Ends a backward call of the first stage: with tensor parallelism that is its last all-reduce.
  bool makes_input_gradient(const stream::Item& item) {
    const bool begins = computes(item) && reductions_left_ == 0 && event(item).name.starts_with("@stage1_backward");
    if (begins) reductions_left_ = sizes_.reductions;
    if (begins) return sizes_.reductions == 0;
    return reductions_left_ > 0 && reduces(item) && --reductions_left_ == 0;
  }

  const stream::Program& program_;
  const Sizes& sizes_;
  Bytes level_, peak_;
  double losses_ = 0, gradients_ = 0;
  int reductions_left_ = 0;
  bool has_loss_       = false;
};

}  // namespace

Bytes peak_with_copies(const scenario::Scenario& scenario, const scenario::Outcome& outcome) {
  const Sizes sizes = sizes_of(scenario);
  Bytes peak;
  for (const stream::Stream& stream : outcome.program.streams)
    peak = std::max(peak, Walk(outcome.program, stream, sizes).peak());
  return peak;
}

Seconds time_of_copies(const scenario::Scenario& scenario) {
  return scenario.strategy.pp == 1 ? Seconds(0) : scenario.strategy.microbatches * kLaunch;
}

}  // namespace foreflow::published
