// Reverse accumulation over one function: its ops, and behind them the ops of its gradients, the last op's first.
//
//   func @f(%x) {            func @f(%x) {                    func @layer_forward(%x) -> %y, %saved..
//     %y = @layer(%x)   ->     %y, %saved.. = @layer_forward(%x)
//     %l = Loss(%y, ..)        %l = Loss(%y, ..)
//     return %l                %dy = LossGrad(%y, ..)         func @layer_backward(%saved.., %dy) -> %dx
//   }                          %dx = @layer_backward(%saved.., %dy) ...
//
// A called function becomes such a pair once for all calls alike (same signature, same wanted gradients).
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>

#include "transform/autodiff/activity.h"
#include "transform/rewrite/copy.h"

namespace foreflow::transform {

// What is known about the gradient of a result: there is none, somebody passes it, or the result is the loss.
enum class Upstream : uint8_t { none, given, one };

// For which parameters gradients are asked, and from which results they come.
struct Demand {
  std::vector<bool> parameters;
  std::vector<Upstream> results;
  auto operator<=>(const Demand&) const = default;
};

// A value that a caller has, in terms of its call of the forward function: the index-th argument, result, value saved
// for the backward function (which stand behind the results), gradient of a result, or result of the backward function.
struct CallerValue {
  enum class Kind : uint8_t { argument, result, saved, upstream, returned };
  Kind kind;
  size_t index;
};

struct BackwardPair {
  size_t forward = 0;
  std::optional<size_t> backward;           // absent where the gradients are those of the results as they stand
  size_t saved = 0, returned = 0;           // values of `forward` behind its results; results of `backward`
  std::vector<CallerValue> arguments;       // of `backward`
  std::map<size_t, CallerValue> gradients;  // by parameter; those that are not zero
};

// The functions of the new program, made as they are asked for: callees stand before their callers.
class Derivatives {
 public:
  Derivatives(const Interpreted& program, const ir::OpTable& ops)
      : program_(program), ops_(ops), taken_{program.module.entry().name} {}

  const BackwardPair& pair(size_t instance, const Demand& demand);
  // The function with this number in the old program, as it is.
  size_t copy_of(size_t function);
  // The functions made so far.
  std::vector<ir::Function> take() && { return std::move(functions_); }

  const Interpreted& program() const { return program_; }
  const ir::OpTable& ops() const { return ops_; }

 private:
  size_t add(ir::Function function);  // under a name of its own; its number

  const Interpreted& program_;
  const ir::OpTable& ops_;
  std::vector<ir::Function> functions_;
  std::set<std::string> taken_;
  std::map<size_t, size_t> copies_;
  std::map<std::pair<size_t, Demand>, BackwardPair> pairs_;
};

// The joint function while it is written. With Upstream::given, a result's gradient is a parameter behind the others.
class Derivation {
 public:
  Derivation(Derivatives& derivatives, size_t instance, const Demand& demand);

  // Appends the forward ops, then the backward ops.
  void run();

  ir::FunctionBuilder& builder() { return builder_; }
  ir::ValueId value(ir::ValueId old) const { return map_(old); }
  // Of an old value; none: it is zero.
  ir::ValueId gradient(ir::ValueId old) const { return gradients_[ir::index(old)]; }
  size_t forward_ops() const { return forward_ops_; }
  size_t first_backward_value() const { return first_backward_value_; }

 private:
  class Site;

  void copy(size_t op);
  void visit(size_t op);
  void visit_call(size_t op);
  void accumulate(ir::ValueId old, ir::ValueId gradient);
  ir::ValueId upstream(ir::ValueId old);
  ir::ValueId zeros(ir::ValueId value, const ir::Type& type);
  ir::ValueId ones(ir::ValueId loss, const ir::Type& type);
  bool is_loss(ir::ValueId old) const;
  Demand demand_of(size_t op) const;

  Derivatives& derivatives_;
  const size_t number_;
  const Demand demand_;
  const ir::Function& function_;
  const interpret::Values<interpret::Mixed>& values_;
  std::vector<bool> active_, reached_;
  ir::FunctionBuilder builder_;
  ValueMap map_;
  std::vector<ir::ValueId> gradients_;                // per old value
  std::map<size_t, std::vector<ir::ValueId>> saved_;  // per op that is a call
  size_t forward_ops_ = 0, first_backward_value_ = 0;
};

}  // namespace foreflow::transform
