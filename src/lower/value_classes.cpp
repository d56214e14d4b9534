#include "value_classes.h"

#include <algorithm>
#include <cctype>

#include "foreflow/ir/host_memory.h"

namespace foreflow::lower {
namespace {

using ir::ValueId;
using stream::MemoryClass;

// What is known of a value.
enum Mark : uint8_t {
  kFixed    = 1,   // follows from weights and constants alone
  kBackward = 2,   // depends on the gradient of the loss
  kUpdated  = 4,   // depends on what an optimizer made
  kNeeded   = 8,   // memory that an op of the backward pass reads
  kGradient = 16,  // of a weight, on its way to the optimizer
  kState    = 32,  // of an optimizer
  kForward  = 64,  // read by an op of the forward pass, or returned
  kLate     = 128  // made for the backward pass of values of the forward pass alone: a transposed operand
};

bool is_optimizer(const ir::Op& op) { return !op.is_call() && op.def->role == ir::Role::optimizer; }
bool is_communication(const ir::Op& op) { return !op.is_call() && op.def->role == ir::Role::communication; }

// The stream that a Send leads to; "" of another op.
std::string_view sent_to(const ir::Op& op) {
  if (op.is_call() || op.def->name != "Send") return "";
  const std::string_view to = op.attributes->get_device("to").stream_name();
  return to == ir::kHostMemory ? ir::kHostMemory : to == ir::kFromHost ? ir::kFromHost : "";
}

// Ops whose result is the operand in another form, elsewhere, or added to more of its kind.
bool hands_on(const ir::Op& op) {
  return is_communication(op) || op.def->role == ir::Role::view || op.def->additive || op.def->name == "Cast" ||
         op.def->name == "Mul" || op.def->name == "Div";
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
      uint8_t& mark = marks_[entry][ir::index(id)];
      if ((mark & kBackward) != 0 && (mark & kUpdated) == 0) mark |= kGradient;
    }
    std::fill(visited_.begin(), visited_.end(), false);
    backward(entry);
    std::vector<ValueClasses::OfFunction> classes;
    for (size_t f = 0; f < module_.functions.size(); ++f) classes.push_back({kinds_of(f), std::move(weights_[f])});
    return {std::move(classes), std::move(names_)};
  }

 private:
  using Marks = std::vector<uint8_t>;

  static constexpr int32_t kNone = -1;

  // Marks that follow the order of the ops. What is fixed is so for every call; the others for any.
  void forward(size_t f) {
    visited_[f]                  = true;
    const ir::Function& function = module_.functions[f];
    Marks& marks                 = marks_[f];
    for (const ir::Op& op : function.ops) {
      if (op.is_call()) {
        enter(function, op, marks);
        continue;
      }
      uint8_t all = kFixed, any = 0;
      for (const ValueId id : function.inputs(op)) {
        if (id == ValueId::none) continue;
        all &= marks[ir::index(id)];
        any |= marks[ir::index(id)];
      }
      uint8_t mark = static_cast<uint8_t>((all & kFixed) | (any & (kBackward | kUpdated)));
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
      uint8_t& parameter  = marks_[callee][i];
      const uint8_t given = inputs[i] == ValueId::none ? uint8_t{kFixed} : marks[ir::index(inputs[i])];
      const auto merged   = static_cast<uint8_t>(visited_[callee] ? ((parameter | given) & ~kFixed) | (parameter & given & kFixed)
                                                                  : given & (kFixed | kBackward | kUpdated));
      changed             = changed || merged != parameter;
      parameter           = merged;
    }
    if (changed) {
      std::fill(marks_[callee].begin() + static_cast<std::ptrdiff_t>(inside.parameters.size()), marks_[callee].end(), 0);
      forward(callee);
    }
    for (uint32_t i = 0; i < op.result_count; ++i) marks[op.first_result + i] |= marks_[callee][ir::index(inside.results[i])];
  }

  // Marks that follow from who reads a value, the last op first.
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
      changed = add(callee, inside.results[i], marks_[f][op.first_result + i], weights_[f][op.first_result + i]) || changed;
    }
    if (changed) backward(callee);
    const auto inputs = function.inputs(op);
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (inputs[i] != ValueId::none) add(f, inputs[i], marks_[callee][i], weights_[callee][i]);
    }
  }

  bool add(size_t f, ValueId id, uint8_t mark, int32_t weight = kNone) {
    uint8_t& own      = marks_[f][ir::index(id)];
    const auto merged = static_cast<uint8_t>(own | (mark & (kNeeded | kGradient | kState | kForward)));
    int32_t& of       = weights_[f][ir::index(id)];
    of                = of == kNone ? weight : of;
    const bool changed = merged != own;
    own                = merged;
    return changed;
  }

  void read(const ir::Function& function, const ir::Op& op, size_t f) {
    const auto inputs = function.inputs(op);
    if (is_optimizer(op)) return optimize(function, op, f);
    uint8_t results = 0;
    int32_t weight  = kNone;
    for (uint32_t i = 0; i < op.result_count; ++i) {
      results |= marks_[f][op.first_result + i];
      if (weight == kNone) weight = weights_[f][op.first_result + i];
    }
    const bool again     = op.attributes->find("recompute") != nullptr;
    const bool late      = (results & (kBackward | kForward)) == 0 && (results & kNeeded) != 0;
    const bool backwards = (results & kBackward) != 0 || again || late || sent_to(op) == ir::kHostMemory;
    if (late && !again) {
      for (uint32_t i = 0; i < op.result_count; ++i) marks_[f][op.first_result + i] |= kLate;
    }
    for (const ValueId id : inputs) {
      if (id == ValueId::none) continue;
      const uint8_t mark = marks_[f][ir::index(id)];
      if ((mark & kBackward) == 0) add(f, id, backwards ? kNeeded : kForward);
      const bool seen_through = op.def->role == ir::Role::view && op.def->name != "Transpose" && id == inputs[0];
      if (seen_through) add(f, id, results & kNeeded);
      if ((results & kGradient) != 0 && (mark & kBackward) != 0 && hands_on(op)) add(f, id, kGradient, weight);
    }
  }

  // w, dw, states; or w1..wn, dw1..dwn.
  void optimize(const ir::Function& function, const ir::Op& op, size_t f) {
    const auto inputs = function.inputs(op);
    const bool many   = inputs.size() == size_t{2} * op.result_count && op.result_count != 1;
    const size_t rows = many ? op.result_count : 1;
    for (size_t i = 0; i < rows; ++i) {
      if (inputs[rows + i] == ValueId::none) continue;
      names_.push_back(function.value(inputs[i]).name);
      add(f, inputs[rows + i], kGradient, static_cast<int32_t>(names_.size()) - 1);
    }
    for (size_t i = 2 * rows; i < inputs.size(); ++i) {
      if (inputs[i] != ValueId::none) add(f, inputs[i], kState);
    }
  }

  std::vector<MemoryClass> kinds_of(size_t f) const {
    const ir::Function& function = module_.functions[f];
    std::vector<MemoryClass> kinds;
    kinds.reserve(function.values.size());
    for (const uint8_t mark : marks_[f]) kinds.push_back(of(mark));
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

  static MemoryClass of(uint8_t mark) {
    if ((mark & kUpdated) != 0) return MemoryClass::parameters;
    if ((mark & kGradient) != 0) return MemoryClass::gradients;
    return (mark & kNeeded) != 0 && (mark & (kFixed | kBackward | kLate)) == 0 ? MemoryClass::activations : MemoryClass::workspace;
  }

  const ir::Module& module_;
  std::vector<Marks> marks_;                   // per function
  std::vector<std::vector<int32_t>> weights_;  // per function: what a value is the gradient of, into names_
  std::vector<std::string_view> names_;
  std::vector<bool> visited_;
};

// "v12": what a builder calls a value that nobody names.
bool is_number(std::string_view name) {
  return name.empty() || (name.size() > 1 && name[0] == 'v' && std::all_of(name.begin() + 1, name.end(), [](unsigned char c) {
                            return std::isdigit(c) != 0 || c == '_';
                          }));
}

}  // namespace

ValueClasses classify(const ir::Module& module) { return Classifier(module).run(); }

std::string label(const ir::Function& function, const std::vector<int32_t>& makers, const ValueClass& kind, ir::ValueId id) {
  if (kind.kind == MemoryClass::gradients && !kind.gradient_of.empty()) return "gradient of " + std::string(kind.gradient_of);
  constexpr int kSteps = 8;  // through messages and views to what they carry
  for (int step = 0; step < kSteps; ++step) {
    if (!is_number(function.value(id).name)) return function.value(id).name;
    const int32_t maker = makers[ir::index(id)];
    if (maker < 0) return "value";
    const ir::Op& op  = function.ops[static_cast<size_t>(maker)];
    const auto inputs = function.inputs(op);
    if (op.is_call()) return "call";
    const bool carries = (is_communication(op) || op.def->role == ir::Role::view || op.def->name == "Cast") && !inputs.empty();
    if (!carries) {
      for (const ValueId input : inputs) {
        if (input != ValueId::none && !is_number(function.value(input).name))
          return std::string(op.def->name) + "(" + function.value(input).name + ")";
      }
      return std::string(op.def->name);
    }
    id = inputs[0];
  }
  return "value";
}

}  // namespace foreflow::lower
