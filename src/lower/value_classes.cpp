#include "lower/value_classes.h"

#include <algorithm>
#include <cctype>

#include "foreflow/base/nth.h"
#include "foreflow/ir/fp8.h"
#include "foreflow/ir/host_memory.h"

namespace foreflow::lower {
namespace {

using ir::ValueId;
using stream::MemoryClass;

// Properties of a value.
enum Mark : uint16_t {
  kFixed    = 1,    // follows from weights and constants alone
  kBackward = 2,    // depends on the gradient of the loss
  kUpdated  = 4,    // depends on what an optimizer made
  kNeeded   = 8,    // memory that an op of the backward pass reads
  kGradient = 16,   // the gradient of a weight, before the optimizer
  kState    = 32,   // of an optimizer
  kForward  = 64,   // read by an op of the forward pass, or returned
  kLate     = 128,  // computed for the backward pass from values of the forward pass alone: a transposed operand
  kGathered = 256,  // weights that an all-gather has gathered
  kMessage  = 512   // only an operand of a collective that scatters or gathers it: a bucket of gradients
};

bool is_optimizer(const ir::Op& op) { return !op.is_call() && op.def->role == ir::Role::optimizer; }
bool is_communication(const ir::Op& op) { return !op.is_call() && op.def->role == ir::Role::communication; }

// The destination stream of a Send; "" for any other op.
std::string_view sent_to(const ir::Op& op) {
  if (op.is_call() || op.def->communication != ir::Communication::send) return "";
  const ir::Device device   = op.attributes->get_device("to");
  const std::string_view to = device.stream_name();
  return to == ir::kHostMemory ? ir::kHostMemory : to == ir::kFromHost ? ir::kFromHost : "";
}

// Ops whose result is the operand in another form or on another device, or a sum of such operands.
bool hands_on(const ir::Op& op) {
  return is_communication(op) || op.def->role == ir::Role::view || op.def->additive ||
         op.def->copy == ir::Copy::converted || op.def->for_update || op.def->scales_elements;
}

// Ops whose result has some or all elements of the operand, on this stream or another one.
bool moves(const ir::Op& op) { return is_communication(op) || op.def->aliases_operand; }

// "v12": the name that a builder gives to an unnamed value.
bool is_number(std::string_view name) {
  return name.empty() ||
         (name.size() > 1 && name[0] == 'v' &&
          std::all_of(name.begin() + 1, name.end(), [](unsigned char c) { return std::isdigit(c) != 0 || c == '_'; }));
}

class Classifier {
 public:
  explicit Classifier(const ir::Module& module) : module_(module) {
    for (const ir::Function& function : module.functions) {
      marks_.emplace_back(function.values.size());
      weights_.emplace_back(function.values.size(), kNone);
    }
    visited_.resize(module.functions.size());
  }

  ValueClasses run() {
    const size_t entry           = module_.functions.size() - 1;
    const ir::Function& function = module_.entry();
    for (size_t i = 0; i < function.parameters.size(); ++i) {
      if (function.parameters[i] == ir::ParameterRole::weight) marks_[entry][i] |= kFixed;
    }
    forward(entry);
    for (const ValueId id : function.results) {
      uint16_t& mark = marks_[entry][ir::index(id)];
      if ((mark & kBackward) != 0 && (mark & kUpdated) == 0) mark |= kGradient;
    }
    std::fill(visited_.begin(), visited_.end(), false);
    backward(entry);
    std::vector<ValueClasses::OfFunction> classes;
    for (size_t f = 0; f < module_.functions.size(); ++f) {
      for (int32_t& weight : weights_[f]) weight = settled(weight);
      classes.push_back({kinds_of(f), std::move(weights_[f])});
    }
    return {std::move(classes), std::move(targets_)};
  }

 private:
  using Marks = std::vector<uint16_t>;

  static constexpr int32_t kNone  = -1;
  static constexpr int32_t kTuple = -2;

  // Marks that follow the order of the ops. kFixed holds if it holds for every call, the others if for any call.
  void forward(size_t f) {
    visited_[f]                  = true;
    const ir::Function& function = module_.functions[f];
    Marks& marks                 = marks_[f];
    for (const ir::Op& op : function.ops) {
      if (op.is_call()) {
        enter(function, op, marks);
        continue;
      }
      uint16_t all = kFixed, any = 0;
      for (const ValueId id : function.inputs(op)) {
        if (id == ValueId::none) continue;
        all &= marks[ir::index(id)];
        any |= marks[ir::index(id)];
      }
      auto mark = static_cast<uint16_t>((all & kFixed) | (any & (kBackward | kUpdated)));
      if (op.def->communication == ir::Communication::all_gather && (mark & (kFixed | kUpdated)) != 0)
        mark |= kGathered;
      if (moves(op)) mark |= any & kGathered;
      if (op.def->role == ir::Role::loss_gradient) mark |= kBackward;
      if (op.def->role == ir::Role::optimizer) mark |= kUpdated;
      for (uint32_t i = 0; i < op.result_count; ++i) marks[op.first_result + i] |= mark;
    }
  }

  void enter(const ir::Function& function, const ir::Op& op, Marks& marks) {
    const auto callee          = static_cast<size_t>(op.callee);
    const ir::Function& inside = module_.functions[callee];
    const auto inputs          = function.inputs(op);
    bool changed               = !visited_[callee];
    for (size_t i = 0; i < inputs.size(); ++i) {
      uint16_t& parameter  = marks_[callee][i];
      const uint16_t given = inputs[i] == ValueId::none ? uint16_t{kFixed} : marks[ir::index(inputs[i])];
      const auto merged =
          static_cast<uint16_t>(visited_[callee] ? ((parameter | given) & ~kFixed) | (parameter & given & kFixed)
                                                 : given & (kFixed | kBackward | kUpdated | kGathered));
      changed   = changed || merged != parameter;
      parameter = merged;
    }
    if (changed) {
      std::fill(marks_[callee].begin() + static_cast<std::ptrdiff_t>(inside.parameters.size()), marks_[callee].end(),
                0);
      forward(callee);
    }
    for (uint32_t i = 0; i < op.result_count; ++i)
      marks[op.first_result + i] |= marks_[callee][ir::index(inside.results[i])];
  }

  // Marks that follow from the readers of a value, from the last op to the first.
  void backward(size_t f) {
    visited_[f]                  = true;
    const ir::Function& function = module_.functions[f];
    for (const ValueId id : function.results) marks_[f][ir::index(id)] |= kForward;
    for (size_t o = function.ops.size(); o-- > 0;) {
      const ir::Op& op = function.ops[o];
      if (op.is_call()) {
        enter_backward(function, op, f);
      } else {
        read(function, op, f);
      }
    }
  }

  void enter_backward(const ir::Function& function, const ir::Op& op, size_t f) {
    const auto callee          = static_cast<size_t>(op.callee);
    const ir::Function& inside = module_.functions[callee];
    bool changed               = !visited_[callee];
    for (uint32_t i = 0; i < op.result_count; ++i) {
      changed =
          add(callee, inside.results[i], marks_[f][op.first_result + i], weights_[f][op.first_result + i]) || changed;
    }
    if (changed) backward(callee);
    const auto inputs = function.inputs(op);
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (inputs[i] != ValueId::none) add(f, inputs[i], marks_[callee][i], weights_[callee][i]);
    }
  }

  bool add(size_t f, ValueId id, uint16_t mark, int32_t weight = kNone) {
    uint16_t& own      = marks_[f][ir::index(id)];
    const auto merged  = static_cast<uint16_t>(own | (mark & (kNeeded | kGradient | kState | kForward | kMessage)));
    int32_t& of        = weights_[f][ir::index(id)];
    of                 = of == kNone ? weight : of;
    const bool changed = merged != own;
    own                = merged;
    return changed;
  }

  void read(const ir::Function& function, const ir::Op& op, size_t f) {
    const auto inputs = function.inputs(op);
    if (is_optimizer(op)) return optimize(function, op, f);
    uint16_t results = 0;
    int32_t weight   = kNone;
    for (uint32_t i = 0; i < op.result_count; ++i) {
      results |= marks_[f][op.first_result + i];
      if (weight == kNone) weight = weights_[f][op.first_result + i];
    }
    if (op.def->tuple == ir::Tuple::unpacks && op.result_count > 1 && weight != kNone) weight = tuple_of(op, f);
    const bool again     = op.attributes->find("recompute") != nullptr;
    const bool copied    = op.attributes->find(ir::kFp8) != nullptr;  // in the forward pass, for the backward one
    const bool late      = !copied && (results & (kBackward | kForward)) == 0 && (results & kNeeded) != 0;
    const bool backwards = (results & kBackward) != 0 || again || late || sent_to(op) == ir::kHostMemory;
    if (late && !again) {
      for (uint32_t i = 0; i < op.result_count; ++i) marks_[f][op.first_result + i] |= kLate;
    }
    for (size_t i = 0; i < inputs.size(); ++i) {
      const ValueId id = inputs[i];
      if (id == ValueId::none) continue;
      const uint16_t mark = marks_[f][ir::index(id)];
      if ((mark & kBackward) == 0) add(f, id, backwards ? kNeeded : kForward);
      const bool seen_through = (op.def->aliases_operand && id == inputs[0]) || op.def->joins_operands;
      if (seen_through) add(f, id, results & kNeeded);
      const bool one_by_one  = op.def->in_place == ir::InPlace::each && i < op.result_count;
      const int32_t of       = weight <= kTuple && op.def->tuple == ir::Tuple::packs ? tuple(weight)[i]
                               : one_by_one                                          ? weights_[f][op.first_result + i]
                                                                                     : weight;
      const bool is_gradient = (results & kGradient) != 0 && (mark & kBackward) != 0 && hands_on(op);
      if (is_gradient && !(op.def->for_update && i >= op.result_count)) add(f, id, kGradient, of);
      if ((results & kMessage) != 0 && (mark & (kBackward | kUpdated)) != 0 && moves(op)) add(f, id, kMessage, of);
      // An operand that a collective scatters or gathers exists only to be sent.
      const bool parted =
          op.def->communication == ir::Communication::reduce_scatter && op.attributes->int_or("in_place", 0) == 0;
      const bool joined = op.def->communication == ir::Communication::all_gather && (mark & kUpdated) != 0;
      if ((parted && (results & kGradient) != 0) || joined) add(f, id, kMessage);
    }
  }

  // w, dw, states; or w1..wn, dw1..dwn.
  void optimize(const ir::Function& function, const ir::Op& op, size_t f) {
    const auto inputs = function.inputs(op);
    const bool many   = inputs.size() == size_t{2} * op.result_count && op.result_count != 1;
    const size_t rows = many ? op.result_count : 1;
    for (size_t i = 0; i < rows; ++i) {
      if (inputs[rows + i] == ValueId::none) continue;
      targets_.push_back({name_of(function, &op, inputs[i]), 0});
      add(f, inputs[rows + i], kGradient, static_cast<int32_t>(targets_.size()) - 1);
    }
    for (size_t i = 2 * rows; i < inputs.size(); ++i) {
      if (inputs[i] != ValueId::none) add(f, inputs[i], kState);
    }
  }

  // For a part of a weight: the target of the weight. `op` reads the part.
  static std::string_view name_of(const ir::Function& function, const ir::Op* op, ValueId id) {
    while (is_number(function.value(id).name) && ir::index(id) >= function.parameters.size()) {
      while (op->first_result > ir::index(id) || op->first_result + op->result_count <= ir::index(id)) --op;
      if (op->is_call() || !moves(*op) || op->operand_count == 0) break;
      id = function.inputs(*op)[0];
    }
    return function.value(id).name;
  }

  // The targets of the elements of a tuple, as one number.
  int32_t tuple_of(const ir::Op& unpack, size_t f) {
    const auto first = weights_[f].begin() + unpack.first_result;
    tuples_.emplace_back(first, first + unpack.result_count);
    return kTuple - static_cast<int32_t>(tuples_.size()) + 1;
  }
  const std::vector<int32_t>& tuple(int32_t weight) const { return nth(tuples_, kTuple - weight); }

  // A tuple as a target of its own, named by the first of its weights.
  int32_t settled(int32_t weight) {
    if (weight > kTuple) return weight;
    const std::vector<int32_t>& members = tuple(weight);
    const auto known = std::find_if(members.begin(), members.end(), [](int32_t member) { return member != kNone; });
    if (known == members.end() || *known <= kTuple) return kNone;
    targets_.push_back({nth(targets_, *known).gradient_of, static_cast<int32_t>(members.size()) - 1});
    return static_cast<int32_t>(targets_.size()) - 1;
  }

  std::vector<MemoryClass> kinds_of(size_t f) const {
    const ir::Function& function = module_.functions[f];
    std::vector<MemoryClass> kinds;
    kinds.reserve(function.values.size());
    for (const uint16_t mark : marks_[f]) kinds.push_back(of(mark));
    for (size_t i = 0; i < function.parameters.size(); ++i) {
      const bool state = (marks_[f][i] & kState) != 0, weight = function.parameters[i] == ir::ParameterRole::weight;
      kinds[i] = weight ? (state ? MemoryClass::optimizer_state : MemoryClass::parameters) : MemoryClass::data;
    }
    for (const ir::Op& op : function.ops) {
      if (!is_communication(op)) continue;
      for (uint32_t i = 0; i < op.result_count; ++i) {
        MemoryClass& kind = kinds[op.first_result + i];
        if (sent_to(op) == ir::kFromHost) kind = MemoryClass::activations;
        if (kind == MemoryClass::workspace) kind = MemoryClass::communication;
      }
    }
    return kinds;
  }

  static MemoryClass of(uint16_t mark) {
    if ((mark & (kGathered | kMessage)) != 0) return MemoryClass::communication;
    if ((mark & kUpdated) != 0) return MemoryClass::parameters;
    if ((mark & kGradient) != 0) return MemoryClass::gradients;
    return (mark & kNeeded) != 0 && (mark & (kFixed | kBackward | kLate)) == 0 ? MemoryClass::activations
                                                                               : MemoryClass::workspace;
  }

  const ir::Module& module_;
  std::vector<Marks> marks_;  // per function
  // Per function: what a value is the gradient of: into targets_, or a tuple.
  std::vector<std::vector<int32_t>> weights_;
  std::vector<ValueClasses::Target> targets_;
  std::vector<std::vector<int32_t>> tuples_;  // kTuple, kTuple - 1, ..
  std::vector<bool> visited_;
};

}  // namespace

ValueClasses classify(const ir::Module& module) { return Classifier(module).run(); }

std::string label(const ir::Function& function, const std::vector<int32_t>& makers, const ValueClass& kind,
                  ir::ValueId id) {
  const bool gradient = kind.kind == MemoryClass::gradients || kind.kind == MemoryClass::communication;
  if (gradient && !kind.target.gradient_of.empty()) {
    const std::string first(kind.target.gradient_of);
    return kind.target.more == 0 ? "gradient of " + first
                                 : "gradients of " + first + " and " + std::to_string(kind.target.more) + " more";
  }
  for (;;) {  // through messages and views to the value that they carry
    if (!is_number(function.value(id).name)) return function.value(id).name;
    const int32_t maker = makers[ir::index(id)];
    if (maker < 0) return "value";
    const ir::Op& op  = nth(function.ops, maker);
    const auto inputs = function.inputs(op);
    if (op.is_call()) return "call";
    const bool carries =
        (is_communication(op) || op.def->role == ir::Role::view || op.def->copy == ir::Copy::converted) &&
        !inputs.empty();
    if (!carries) {
      for (const ValueId input : inputs) {
        if (input != ValueId::none && !is_number(function.value(input).name))
          return std::string(op.def->name) + "(" + function.value(input).name + ")";
      }
      return std::string(op.def->name);
    }
    id = inputs[0];
  }
}

}  // namespace foreflow::lower
