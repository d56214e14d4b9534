// The form of an op: one struct says what it is, what it means, how it may be split and what it costs.
// The rows live in src/ops; here is only their shape, so that programs can point to them.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "foreflow/base/error.h"
#include "foreflow/base/registry.h"
#include "foreflow/base/units.h"
#include "foreflow/ir/array.h"
#include "foreflow/ir/attributes.h"
#include "foreflow/ir/type.h"

namespace foreflow::ir {

struct OpDef;

// An op's own complaint about its operands or attributes, under its name: whoever runs it knows the place.
class OpError : public Error {
 public:
  OpError(std::string_view op, std::string what) : Error(std::string(op), std::move(what)) {}
};

// One application of an op, as a type rule sees it.
struct OpCall {
  const OpDef& def;
  const Attributes& attributes;
  std::span<const Type> inputs;  // an operand left out has Kind::unknown and no device
  std::span<const Array* const>
      known;           // the numbers of an input where they are known, else null; same length as inputs
  size_t outputs = 1;  // how many results the program asks for

  size_t arity() const { return inputs.size(); }
  bool has(size_t index) const {
    return index < inputs.size() &&
           (inputs[index].kind != Type::Kind::unknown || known[index] != nullptr || inputs[index].device.placed());
  }
  // Throws OpError: the interpreter names function, line and op.
  [[noreturn]] void fail(const std::string& what) const;
};

// The work of one application on one device. A fused op that launches several kernels says so.
struct Work {
  Flops flops;
  Bytes read, written;
  int kernels = 1;
};

// Which dimensions may be split, one letter a dimension: MatMul "ik,kj->ij". The same letter is the same index; a '.'
// is a dimension that must stay whole (a broadcast 1, a normalised axis). Splitting a letter that an output lacks
// leaves that output as partial sums; an input marked '+' ("ik,kj,+j->ij") is added to one of them only. An empty text:
// the op may not be split at all. An input marked '~' passes partial sums on where the others are whole: the op is
// linear in it.
struct Factors {
  enum class Rule : uint8_t {
    letters,     // `text` decides
    linear_view  // Reshape: the row-major order of elements is kept, any split of it carries over
  };
  Rule rule = Rule::letters;
  std::string text;
  // Split into n equal parts (and Concat of n): the letter `blocked` counts n blocks on the side that holds all of them
  // (Split's input, Concat's output), each of which is split by itself. '\0': none.
  char blocked = 0;
  int blocks   = 1;
};

enum class Role : uint8_t {
  compute,        // arithmetic on one device
  view,           // moves or renames elements, no arithmetic (Reshape, Transpose, Split); f(a + b) = f(a) + f(b)
  shape,          // reads only the shape of its input (Shape, Size)
  constant,       // no inputs
  loss_gradient,  // starts the backward pass
  optimizer,      // updates parameters, once a step
  communication   // runs on several devices
};

// What the result of an op with one operand is of that operand, for analyses that follow a value through ops that only
// hand it on.
enum class Copy : uint8_t {
  none,       // something else
  same,       // the same elements in the same shape (Identity)
  converted,  // the same elements in another data type (Cast)
  permuted    // the same elements with the dimensions in another order (Transpose)
};

// Which operand's memory a result may take over once nothing reads that operand any more.
enum class InPlace : uint8_t {
  never,
  rows,       // result 0 that of operand 0, of which some rows are overwritten: a cache (TensorScatter)
  first,      // result 0 that of operand 0, where both have the same type (Add)
  each,       // result i that of operand i (MPIAllreduce)
  on_request  // result i that of operand i where the attribute `in_place` is not 0 (MPIReduceScatter)
};

// How one of `ways` equal parts of a call cuts operand 0 and result 0.
struct PartOfCall {
  int ways            = 1;
  int32_t operand_dim = -1;  // the dimension that is cut; -1: the part has all of the operand
  int32_t result_dim  = -1;
  // The cut goes through every block that the op takes out of the operand's dimension (Split, Slice).
  bool cuts_blocks = false;
};

class GradBuilder;

struct OpDef {
  std::string_view name;         // "MatMul"
  std::string_view doc;          // one sentence with shapes: "x[..,i,k] * w[..,k,j] -> y[..,i,j]"
  std::string_view domain = {};  // ONNX domain; "" is ONNX's own, "foreflow" is ours
  Role role               = Role::compute;
  std::vector<std::string_view> positional =
      {};                     // attributes that may stand as trailing literals: Send(%a, 2) is {"to"}
  bool list_operand = false;  // the operands stand in brackets: MPIReduce([%a, %b], 1)
  // f(a + b) = f(a) + f(b) in all its tensor operands together (Add, Sum, Identity): partial sums may pass through.
  bool additive = false;
  // An integer or boolean result may be computed at compile time whatever its role (default); false for ops with state
  // or randomness.
  bool foldable = true;
  // The elements of result 0 lie in memory in the order of operand 0's: a result that is as large as the operand shares
  // its storage. True for every view that does not reorder elements, as Transpose does.
  bool aliases_operand = false;
  Copy copy            = Copy::none;
  InPlace in_place     = InPlace::never;
  // A view of all its operands, not of the first alone (Concat).
  bool joins_operands = false;
  // Result 0 is the sum of all operands and nothing else (Add, Sum).
  bool sums_operands = false;
  // Measures a prediction against a target, or is the gradient of such an op.
  bool loss = false;
  // Operands that hold running statistics, which training does not update by a gradient.
  std::vector<size_t> statistics = {};

  // The operand that the op is linear in while all others are whole, in addition to what `factors` marks '~'; nothing
  // when the attributes of this call rule it out. Null: there is none.
  std::optional<size_t> (*linear_operand)(const OpCall& call) = nullptr;

  // Adjusts attributes that state sizes (a shape, the lengths of parts) to one part of the call, whose whole results
  // are `outputs`. Null: no attribute does.
  void (*fit_part)(Attributes& attributes, const OpCall& whole, std::span<const Type> outputs,
                   const PartOfCall& part) = nullptr;

  // Types of the outputs on no device (the interpreter places them), except for communication ops, which place theirs.
  std::vector<Type> (*infer)(const OpCall& call)                  = nullptr;
  Factors (*factors)(const OpCall& call)                          = nullptr;
  Work (*work)(const OpCall& call, std::span<const Type> outputs) = nullptr;
  // Reference kernel, written to be read. call.known holds every input (null: left out).
  std::vector<Array> (*eval)(const OpCall& call) = nullptr;
  // Reverse rule; null: not differentiable.
  void (*grad)(GradBuilder& builder) = nullptr;
  // Small applications that the property suites run: shapes, attributes.
  struct Sample {
    Attributes attributes;
    std::vector<Type> inputs;
    std::vector<std::pair<size_t, Array>> values = {};  // inputs that need particular numbers (indices, shapes)
    size_t outputs                               = 1;
  };
  std::vector<Sample> (*samples)() = nullptr;
};

// The numbering that an op writes its gradients in: what a reverse rule may use.
class GradBuilder {
 public:
  virtual ~GradBuilder()                            = default;
  virtual const OpCall& call() const                = 0;  // types of the forward op
  virtual int input(size_t index)                   = 0;  // handle of a forward input
  virtual int output(size_t index)                  = 0;  // handle of a forward output
  virtual int output_gradient(size_t index)         = 0;  // handle of dL/d(output); every gradient rule needs output 0
  virtual std::vector<int> emit(std::string_view op, Attributes attributes, std::vector<int> inputs,
                                size_t outputs = 1) = 0;
  virtual void set_input_gradient(size_t index, int handle) = 0;
  virtual bool wanted(size_t index)                         = 0;  // false: nobody needs the gradient of this input
};

using OpTable = Registry<OpDef>;

}  // namespace foreflow::ir
