// The definition of an op: one struct states what it is, what it computes, how it may be split and how much work it is.
// The rows themselves live in src/ops; programs point to them.
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

// An error of an op about its operands or attributes. It states the name of the op only; the caller, which knows the
// place in the program, adds it.
class OpError : public Error {
 public:
  OpError(std::string_view op, const std::string& what) : Error(std::string(op), what) {}
};

// One application of an op.
struct OpCall {
  const OpDef& def;
  const Attributes& attributes;
  std::span<const Type> inputs;         // an absent operand has Kind::unknown and no device
  std::span<const Array* const> known;  // per input: its elements, or null where they are not known
  size_t outputs = 1;                   // number of results that the program asks for

  size_t arity() const { return inputs.size(); }
  // True if operand `index` is present.
  bool has(size_t index) const {
    return index < inputs.size() &&
           (inputs[index].kind != Type::Kind::unknown || known[index] != nullptr || inputs[index].device.placed());
  }
  // Throws OpError(`what`).
  [[noreturn]] void fail(const std::string& what) const;
};

// The work of one application on one device.
struct Work {
  Flops flops;  // executed
  Bytes read, written;
  int kernels = 1;  // number of kernels that it launches
  Flops masked{0};  // left out because a mask hides their results, which published counts of FLOPs include
};

// Dimension factors: which dimensions of an op may be split. Every dimension has a letter, and equal letters are the
// same index. For example, MatMul has "ik,kj->ij":
//
//   i   may be split: x and y are then split along it
//   k   may be split: y lacks it, so every part computes a partial sum of y
//
// Other characters:
//
//   .   a dimension that must stay whole (a broadcast 1, a normalised axis)
//   +   before an input ("ik,kj,+j->ij"): it is added to only one of the partial sums
//   ~   before an input: the op is linear in it, so it may be a partial sum while the others are whole
//
// An op with an empty text may not be split at all.
struct Factors {
  enum class Rule : uint8_t {
    letters,     // as `text` says
    linear_view  // Reshape: the row-major order of the elements is kept, and so is any split along it
  };
  Rule rule = Rule::letters;
  std::string text;
  // For a Split into n equal parts and a Concat of n equal parts: the dimension with the letter `blocked` consists of n
  // blocks in the input of the Split or the output of the Concat, and every block is split. '\0': none.
  char blocked = 0;
  // For attention: a dimension with the letter `grouped` consists of groups of elements (heads of keys with the queries
  // that share them), as many in every operand and result: `blocks`. None of them is cut. '\0': none.
  char grouped = 0;
  int blocks   = 1;
};

enum class Role : uint8_t {
  compute,        // arithmetic on one device
  view,           // moves or renames elements without arithmetic (Reshape, Transpose, Split); f(a + b) = f(a) + f(b)
  shape,          // reads only the shape of its input (Shape, Size)
  constant,       // has no inputs
  loss_gradient,  // starts the backward pass
  optimizer,      // updates weights, once per step
  communication   // runs on several devices
};

// The effect of a communication op on the values of its devices. Each enumerator is the kind of collective of that name
// (foreflow/collective/collective.h); the comment beside it states the results.
enum class Communication : uint8_t {
  none,            // nothing: the op runs on one device; or several of these, which a plan chooses (Reshard)
  send,            // a value from one device, or stream, to another
  all_reduce,      // the sum of the operands, on each device
  all_reduce_max,  // the largest elements of the operands, on each device
  reduce_scatter,  // one part of the sum on each device
  all_gather,      // the concatenation of the operands, on each device
  broadcast,       // the operand of one device, on each device
  reduce,          // the sum of the operands, on one device
  gather,          // the concatenation of the operands, on one device
  scatter,         // one part of the operand of one device on each device
  all_to_all,      // on each device one part of each operand
  shift            // round a ring, the operand of the device before
};

// How the result of an op relates to operand 0, its only tensor of data. Analyses use it to follow a value through ops
// that only pass it on.
enum class Copy : uint8_t {
  none,       // not a copy
  same,       // the same elements in the same shape (Identity)
  converted,  // the same elements in another data type (Cast)
  permuted,   // the same elements with the dimensions in another order (Transpose)
  ones_moved  // the same elements with dimensions of 1 inserted or removed (Unsqueeze, Squeeze)
};

// Which result may reuse the memory of which operand, once nothing reads the operand any more.
enum class InPlace : uint8_t {
  never,
  rows,       // result 0 that of operand 0, a cache of which only some rows are overwritten (TensorScatter)
  first,      // result 0 that of operand 0, if both have the same type (Add)
  each,       // result i that of operand i (MPIAllreduce)
  on_request  // result i that of operand i, if the attribute `in_place` is not 0 (MPIReduceScatter)
};

// Tells whether result 0 is a softmax of operand 0 along some of its dimensions, and of which form.
enum class Softmax : uint8_t {
  none,
  plain,   // of operand 0 itself (Softmax)
  biased,  // of the sum of operands 0 and 1 (BiasSoftmax)
  log      // the logarithm of the softmax (LogSoftmax)
};

// Tells whether result 0 is a product of operands 0 and 1, perhaps scaled, with nothing added to it, and of which form.
enum class Product : uint8_t {
  none,
  matrices,  // of their last two dimensions, for every batch (MatMul)
  turned,    // the same, but attributes may turn the matrices, x[..,k,i] or w[..,j,k] (FusedMatMul)
  letters    // of dimensions that an attribute names (Einsum)
};

// The kernels that compute an op on a GPU. The time of each kind follows a law of its own (src/cost/laws).
enum class Kernels : uint8_t {
  traffic,   // read and write memory, which takes most of the time: most ops
  product,   // multiply matrices: result 0 is of operands 0 and 1, perhaps with more added; or GradientOf::product
  attention  // attention that keeps no scores, or its gradients
};

// The forward computation whose gradients an op computes. Only those are listed that other modules must recognise. The
// comments state operands -> results.
enum class GradientOf : uint8_t {
  none,
  product,    // x, w, dy -> dx, dw of y = x * w (MatMulGrad)
  softmax,    // y, dy -> dx of y = softmax(x) (SoftmaxGrad)
  attention,  // q, k, v, bias, .., do -> dq, dk, dv, dbias (BlockAttentionGrad)
  resize,     // x, roi, scales, sizes, dy -> dx (ResizeGrad)
  relu        // y, dy -> dx of y = relu(x), or the same of x (ReluGrad)
};

// An op that frameworks without a compiler, which run a model op by op, compute by a chain of kernels. Each kernel of
// the chain reads and writes the tensor.
enum class Chain : uint8_t {
  none,
  rms_norm,           // operand 0 divided by its root mean square (SimplifiedLayerNormalization)
  rms_norm_gradient,  // x, scale, dy -> dx, dscale (SimplifiedLayerNormalizationGrad)
  rotation            // operand 0 turned by angles of its positions; its gradient is turned back (RotaryEmbedding)
};

// Tuples, which are views of their elements.
enum class Tuple : uint8_t {
  none,
  packs,   // the operands are the elements, result 0 is the tuple (PackTuple)
  unpacks  // operand 0 is the tuple, the results are the elements (UnpackTuple)
};

// How result 0 gets the dimensions that numbers in an operand or an attribute state.
enum class Sizes : uint8_t {
  none,      // nothing states them
  shape,     // it has the elements of operand 0 in their order (Reshape)
  expanded,  // operand 0 is broadcast to them (Expand)
  repeated,  // it has copies of operand 0, so many along each dimension (Tile)
  filled,    // every element is the same number (ConstantOfShape)
  resized    // operand 0 is interpolated (Resize); or it is the gradient of that, and the sizes are those of dy
};

// The form of an op that works on one part of a vocabulary (see src/transform/tensor/vocabulary.h). The op of that form
// gets two more attributes: `first`, the number of the first row or class of its part, and `all`, the number of rows or
// classes of all parts together.
struct VocabularyForm {
  enum class Kind : uint8_t {
    none,
    lookup,           // takes rows of table operand 0, named by operand 1
    lookup_gradient,  // adds the rows of operand 1 up, each to the row of the table that operand 0 names
    loss              // compares logits, operand 0, with labels, operand 1; or the gradient of that
  };
  Kind kind           = Kind::none;
  std::string_view op = {};  // its name
};

// One of `ways` equal parts of a call: how it cuts operand 0 and result 0.
struct PartOfCall {
  int ways            = 1;
  int32_t operand_dim = -1;  // the dimension of the operand that is cut; -1: none
  int32_t result_dim  = -1;  // the dimension of the result that is cut; -1: none
  // Every block that the op takes out of the operand's dimension is cut (Split, Slice).
  bool cuts_blocks = false;
};

class CallBuilder;
class GradBuilder;

struct OpDef {
  std::string_view name;         // "MatMul"
  std::string_view doc;          // one sentence with shapes: "x[..,i,k] * w[..,k,j] -> y[..,i,j]"
  std::string_view domain = {};  // ONNX domain; "" is ONNX's own, "foreflow" is ours
  // The names of the attributes that the op may have, separated by spaces. Nothing: it is not stated, so any may be
  // given.
  std::optional<std::string_view> attributes = std::nullopt;
  // How many operands the op may have at most. Nothing: any number, or it is not stated.
  std::optional<size_t> most_operands = std::nullopt;
  Role role                           = Role::compute;
  Communication communication         = Communication::none;
  // Needs sums over rows of its operands before it writes any of their elements (softmax, norms and their gradients).
  bool normalises = false;
  std::vector<std::string_view> positional =
      {};                     // attributes that may be written as trailing literals: {"to"} for Send(%a, 2)
  bool list_operand = false;  // operands are written in brackets: MPIReduce([%a, %b], 1)
  // f(a + b) = f(a) + f(b) in all tensor operands together (Add, Sum, Identity), so operands may be partial sums.
  bool additive = false;
  // Integer and boolean results may be computed at compile time. False for ops with state or randomness.
  bool foldable = true;
  // The elements of result 0 have the same order in memory as those of operand 0, so that a result of the operand's
  // size shares its storage. True for all views that do not reorder elements; false for Transpose.
  bool aliases_operand = false;
  Copy copy            = Copy::none;
  Sizes sizes          = Sizes::none;
  Tuple tuple          = Tuple::none;
  InPlace in_place     = InPlace::never;
  // The op is a view of all its operands, not only of the first (Concat).
  bool joins_operands = false;
  // Result 0 is the sum of all operands and nothing else (Add, Sum).
  bool sums_operands = false;
  // Result 0 is operand 0 with each element multiplied or divided by one of operand 1 (Mul, Div).
  bool scales_elements = false;
  // The op measures a prediction against a target, or is the gradient of such an op.
  bool loss = false;
  // `grad` takes the gradient of result 0 to be one: the op may end the forward pass, as a loss does (Loss).
  bool grad_from_one = false;
  // Operands that hold running statistics, which training does not update by gradients.
  std::vector<size_t> statistics = {};
  // Operands from number 1 on are what a model learns, where they are no activations (MatMul, Conv).
  bool takes_weights = false;
  // Operand 1 is the scale of quantised numbers (QuantizeLinear, DequantizeLinear).
  bool takes_scale       = false;
  Softmax softmax        = Softmax::none;
  Product product        = Product::none;
  Kernels kernels        = Kernels::traffic;
  GradientOf gradient_of = GradientOf::none;
  Chain chain            = Chain::none;
  // Attention of queries, keys and values, its operands 0, 1 and 2, as one op.
  bool attention = false;
  // Result 0 is operand 0 with some of its dimensions reduced to one number each (ReduceSum).
  bool reduction = false;
  // Result 0 has positions along the dimension `axis` of operand 0: integers from 0 on, below its length (ArgMax).
  bool gives_positions = false;
  // Adds two of its operands before anything else, one of which may be a bias (Add, BiasGelu).
  bool adds_bias = false;
  // Moves a tensor from the devices of the operands to others that have it in another layout; lowering chooses by which
  // messages (Reshard).
  bool reshards = false;
  // Works on all gradients before an optimizer takes them (their norm): the host issues it with the update, whose time
  // it counts as one.
  bool for_update = false;
  // Combines features of operand 0, but only within an attention head (RotaryEmbedding).
  bool within_heads = false;
  // May stand between the scores of attention and the product with the values, where it scales, masks, caps, drops or
  // converts each of them (Mul, Where, Tanh, Dropout, Cast). Views may stand there, too.
  bool adjusts_scores = false;
  // Operands `past_keys` and the one after it are keys and values of earlier positions, [b,n,p,h], and results 1 and 2
  // are these with the new positions behind them; 0: none (GroupQueryAttention).
  uint8_t past_keys         = 0;
  VocabularyForm vocabulary = {};

  // The operand in which the op is linear while all others are whole, besides the one that `factors` marks with '~'.
  // Returns nothing if the attributes of the call rule it out. Null: there is none.
  std::optional<size_t> (*linear_operand)(const OpCall& call) = nullptr;

  // Adjusts attributes that state sizes (a shape, the lengths of parts) to one part of the call `whole`, whose results
  // are `outputs`. Null: the op has no such attributes.
  void (*fit_part)(Attributes& attributes, const OpCall& whole, std::span<const Type> outputs,
                   const PartOfCall& part) = nullptr;

  // Why the op cannot work on a part of a dimension that its factors leave whole, as a clause: "it ranks all elements
  // along that dimension". And what could be split in its stead, as a sentence after a semicolon. Both are for
  // messages; empty: there is nothing to say.
  std::string_view whole_because = {};
  std::string_view instead       = {};

  // The types of the results. Communication ops state their devices; for all others the interpreter adds them.
  std::vector<Type> (*infer)(const OpCall& call)                  = nullptr;
  Factors (*factors)(const OpCall& call)                          = nullptr;
  Work (*work)(const OpCall& call, std::span<const Type> outputs) = nullptr;
  // Reference kernel, written for clarity. call.known holds every input; null: absent.
  std::vector<Array> (*eval)(const OpCall& call) = nullptr;
  // Emits the gradients of the inputs. Null: the op is not differentiable.
  void (*grad)(GradBuilder& builder) = nullptr;
  // Emits the ops that a fused op without a gradient consists of, which can be differentiated, and returns what they
  // make for result 0; -1: not for a call of this form, and nothing is emitted. Null: it does not consist of others.
  int (*unfused)(CallBuilder& builder) = nullptr;
  // A small application of the op for the property tests.
  struct Sample {
    Attributes attributes;
    std::vector<Type> inputs;
    std::vector<std::pair<size_t, Array>> values = {};  // inputs that need particular elements (indices, shapes)
    size_t outputs                               = 1;
  };
  std::vector<Sample> (*samples)() = nullptr;
};

// The interface for a rule that replaces a call by other ops. Values are handles, which only this interface interprets;
// -1 stands for an operand that is left out.
class CallBuilder {
 public:
  virtual ~CallBuilder()                            = default;
  virtual const OpCall& call() const                = 0;
  virtual int input(size_t index)                   = 0;  // an operand of the call
  virtual std::vector<int> emit(std::string_view op, Attributes attributes, std::vector<int> inputs,
                                size_t outputs = 1) = 0;
};

// The interface for the reverse rule of an op. The call is the forward op.
class GradBuilder : public CallBuilder {
 public:
  virtual int output(size_t index)                          = 0;  // a forward output
  virtual int output_gradient(size_t index)                 = 0;  // dL/d(output); every rule uses that of output 0
  virtual void set_input_gradient(size_t index, int handle) = 0;
  virtual bool wanted(size_t index)                         = 0;  // whether the gradient of this input is needed
  // Returns true if a forward input is a weight, perhaps converted to another type.
  virtual bool is_weight(size_t index) = 0;
};

// Returns true if the results are a sum of the operands of all devices, or parts of such a sum (MPIAllreduce,
// MPIReduceScatter).
inline bool sums_over_devices(const OpDef& def) {
  return def.communication == Communication::all_reduce || def.communication == Communication::reduce_scatter;
}

using OpTable = Registry<OpDef>;

}  // namespace foreflow::ir
