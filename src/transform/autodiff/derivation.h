// Reverse-mode differentiation of one function: its ops are followed by the ops of its gradients, in reverse order.
//
//   func @f(%x) {            func @f(%x) {                    func @layer_forward(%x) -> %y, %saved..
//     %y = @layer(%x)   ->     %y, %saved.. = @layer_forward(%x)
//     %l = Loss(%y, ..)        %l = Loss(%y, ..)
//     return %l                %dy = LossGrad(%y, ..)         func @layer_backward(%saved.., %dy) -> %dx
//   }                          %dx = @layer_backward(%saved.., %dy) ...
//
// A called function becomes one such pair for all calls that have the same signature and need the same gradients.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>

#include "transform/autodiff/activity.h"
#include "transform/rewrite/copy.h"

namespace foreflow::transform {

// The source of the gradient of a result: it has none, the caller passes it, or it is one (the result is the loss).
enum class Upstream : uint8_t { none, given, one };

// Which gradients of a function a caller needs: of the marked parameters, given those of the results.
struct Demand {
  std::vector<bool> parameters;
  std::vector<Upstream> results;
  auto operator<=>(const Demand&) const = default;
};

// A value of the caller, described by its relation to the call of the forward function. It is number `index` of
//
//   argument   the arguments
//   result     the results
//   saved      the values saved for the backward function, which follow the results
//   upstream   the gradients of the results
//   returned   the results of the backward function
struct CallerValue {
  enum class Kind : uint8_t { argument, result, saved, upstream, returned };
  Kind kind;
  size_t index;
};

struct BackwardPair {
  size_t forward = 0;
  std::optional<size_t> backward;           // absent if every gradient is the gradient of a result, unchanged
  size_t saved = 0, returned = 0;           // number of saved values of `forward`; number of results of `backward`
  std::vector<CallerValue> arguments;       // of `backward`
  std::map<size_t, CallerValue> gradients;  // by parameter; zero gradients are left out
};

// The functions of the new program. Each is made on request; callees come before their callers.
class Derivatives {
 public:
  Derivatives(const Interpreted& program, const ir::OpTable& ops)
      : program_(program), ops_(ops), taken_{program.module.entry().name} {}

  const BackwardPair& pair(size_t instance, const Demand& demand);
  // The new number of function `function` of the old program, which is copied unchanged.
  size_t copy_of(size_t function);
  // The functions made so far.
  std::vector<ir::Function> take() && { return std::move(functions_); }

  const Interpreted& program() const { return program_; }
  const ir::OpTable& ops() const { return ops_; }

 private:
  size_t add(ir::Function function);  // gives the function a unique name and returns its number

  const Interpreted& program_;
  const ir::OpTable& ops_;
  std::vector<ir::Function> functions_;
  std::set<std::string> taken_;
  std::map<size_t, size_t> copies_;
  std::map<std::pair<size_t, Demand>, BackwardPair> pairs_;
};

// Writes the joint function of forward and backward ops. The gradient of a result with Upstream::given becomes a
// parameter, after those of the function.
class Derivation {
 public:
  Derivation(Derivatives& derivatives, size_t instance, const Demand& demand);

  // Appends the forward ops, then the backward ops.
  void run();

  ir::FunctionBuilder& builder() { return builder_; }
  ir::ValueId value(ir::ValueId old) const { return map_(old); }
  // The gradient of a value of the old function; none if it is zero.
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
  bool is_weight(ir::ValueId old) const;
  Demand demand_of(size_t op) const;

  Derivatives& derivatives_;
  const size_t number_;
  const Demand demand_;
  const ir::Function& function_;
  const interpret::Values<interpret::Mixed>& values_;
  const std::vector<int32_t> makers_;
  std::vector<bool> active_, reached_;
  ir::FunctionBuilder builder_;
  ValueMap map_;
  std::vector<ir::ValueId> gradients_;                // per old value
  std::map<size_t, std::vector<ir::ValueId>> saved_;  // per op that is a call
  size_t forward_ops_ = 0, first_backward_value_ = 0;
};

}  // namespace foreflow::transform
