// Attention of opsets 23 and later, written out so that passes see its two products and its softmax:
//
//   scores = softcap(q[b,n,s,h] k[b,n,t,h]^T * scale + mask)      y = softmax(scores) v[b,n,t,d]
//
// Opset 25 moves the mask behind the softcap, repeats each key head for neighbouring query heads where older opsets
// repeat all key heads in turn, and lets a causal mask see what a cache holds: the function bodies of ONNX 1.19
// and 1.23.
#include <cmath>
#include <limits>

#include "onnx/dtype.h"
#include "onnx/expansion.h"

namespace foreflow::onnx::expansions {

using ir::Array;
using ir::DType;
using ir::ValueId;

namespace {

constexpr size_t kMask = 3, kPastKey = 4, kPastValue = 5, kLengths = 6;

// Minus infinity in a float type.
Array far(DType dtype) {
  const double far = -std::numeric_limits<double>::infinity();
  switch (dtype) {
    case DType::f64: return Array::of<double>(dtype, {1}, std::vector<double>{far});
    case DType::f16: return Array::of<uint16_t>(dtype, {1}, std::vector<uint16_t>{0xFC00});
    case DType::bf16: return Array::of<uint16_t>(dtype, {1}, std::vector<uint16_t>{0xFF80});
    default: return Array::of_floats({1}, {static_cast<float>(far)});
  }
}

class AttentionWriter {
 public:
  explicit AttentionWriter(const ControlNode& node)
      : node_(node),
        q_heads_(node.attributes.int_or("q_num_heads", 0)),
        kv_heads_(node.attributes.int_or("kv_num_heads", 0)),
        mode_(node.attributes.int_or("qk_matmul_output_mode", 0)),
        is_new_(node.opset >= 25) {}

  std::vector<ValueId> run() {
    const ValueId query = required(node_, 0, "Q");
    packed_             = rank_of(node_, query).value_or(q_heads_ > 0 ? 3 : 4) == 3;
    if (packed_ && (q_heads_ < 1 || kv_heads_ < 1))
      throw Error(node_.where, "Attention of Q[b,s,n*h] needs q_num_heads and kv_num_heads");
    q_                  = packed_ ? split_heads(node_, query, q_heads_) : query;
    const ValueId key   = with_past(heads(required(node_, 1, "K")), kPastKey);
    const ValueId value = with_past(heads(required(node_, 2, "V")), kPastValue);
    k_                  = key;
    const ValueId score = scores(shared(key));
    const ValueId y     = node_.op("MatMul", {probabilities(score), shared(value)});
    return {packed_ ? merge_heads(node_, y) : y, key, value, matrix_};
  }

 private:
  ValueId heads(ValueId x) const { return packed_ ? split_heads(node_, x, kv_heads_) : x; }

  ValueId with_past(ValueId fresh, size_t index) const {
    const ValueId past = node_.input(index);
    return past == ValueId::none ? fresh : node_.op("Concat", {past, fresh}, {{"axis", int64_t{2}}});
  }

  // Keys or values repeated for the query heads that share them.
  ValueId shared(ValueId x) const {
    const int64_t queries = packed_ ? q_heads_ : size_of(node_, q_, 1).value_or(0);
    const int64_t keys    = packed_ ? kv_heads_ : size_of(node_, x, 1).value_or(0);
    if (keys < 1 || queries <= keys) return x;
    if (queries % keys != 0)
      throw Error(node_.where, "Attention has " + std::to_string(queries) + " query heads; a multiple of its " +
                                   std::to_string(keys) + " key heads would be right");
    const int64_t axis  = is_new_ ? 2 : 1;
    const ValueId apart = node_.op("Unsqueeze", {x, integers(node_, {axis})});
    Ints times(5, 1);
    times[static_cast<size_t>(axis)] = queries / keys;
    const ValueId all                = node_.op("Expand", {apart, integers(node_, times)});
    const ValueId shape              = node_.op(
                     "Concat", {size_at(node_, x, 0), integers(node_, {queries}), size_at(node_, x, 2), size_at(node_, x, 3)},
                     {{"axis", int64_t{0}}});
    return node_.op("Reshape", {all, shape});
  }

  ValueId scale() const {
    const double stated = node_.attributes.float_or("scale", 0);
    if (stated != 0) return scalar_like(node_, stated, q_);
    if (const auto size = size_of(node_, q_, -1))
      return scalar_like(node_, 1 / std::sqrt(static_cast<double>(*size)), q_);
    const ValueId size =
        node_.op("Cast", {size_at(node_, q_, 3)}, {{"to", std::string(ir::name(dtype_of(node_, q_)))}});
    return node_.op("Reciprocal", {node_.op("Sqrt", {size})});
  }

  ValueId scores(ValueId keys) {
    const ValueId product = node_.op("MatMul", {q_, transposed(node_, keys, {0, 1, 3, 2})});
    ValueId score         = node_.op("Mul", {product, scale()});
    keep(0, score);
    if (is_new_) score = capped(score);
    if (is_new_) keep(1, score);
    for (const ValueId bias : biases()) score = node_.op("Add", {score, bias});
    keep(is_new_ ? 2 : 1, score);
    if (!is_new_) score = capped(score);
    if (!is_new_) keep(2, score);
    return score;
  }

  ValueId capped(ValueId score) const {
    const double cap = node_.attributes.float_or("softcap", 0);
    if (cap <= 0) return score;
    const ValueId bound = scalar_like(node_, cap, q_);
    return node_.op("Mul", {node_.op("Tanh", {node_.op("Div", {score, bound})}), bound});
  }

  // Result 3 is the score at the step that an attribute names.
  void keep(int64_t mode, ValueId score) {
    if (mode_ == mode) matrix_ = score;
  }

  ValueId probabilities(ValueId score) {
    const DType dtype    = dtype_of(node_, q_);
    const auto precision = find_dtype(node_.attributes.int_or("softmax_precision", 0)).value_or(dtype);
    if (precision != dtype) score = node_.op("Cast", {score}, {{"to", std::string(ir::name(precision))}});
    ValueId share = node_.op("Softmax", {score}, {{"axis", int64_t{-1}}});
    if (precision != dtype) share = node_.op("Cast", {share}, {{"to", std::string(ir::name(dtype))}});
    keep(3, share);
    return share;
  }

  std::vector<ValueId> biases() const {
    std::vector<ValueId> all;
    if (node_.attributes.int_or("is_causal", 0) != 0) all.push_back(causal());
    if (node_.input(kMask) != ValueId::none) all.push_back(mask());
    if (node_.input(kLengths) != ValueId::none) all.push_back(padding());
    return all;
  }

  // Query i sees the keys up to i, and those that a cache holds before them.
  ValueId causal() const {
    const ValueId shape = node_.op("Concat", {size_at(node_, q_, 2), size_at(node_, k_, 2)}, {{"axis", int64_t{0}}});
    const ValueId all   = node_.op("ConstantOfShape", {shape}, {{"value", far(dtype_of(node_, q_))}});
    ValueId diagonal    = node_.emitter.constant(Array::scalar(int64_t{1}));
    if (is_new_ && node_.input(kPastKey) != ValueId::none) {
      const ValueId past = node_.op("Squeeze", {size_at(node_, node_.input(kPastKey), 2)});
      diagonal           = node_.op("Add", {past, diagonal});
    }
    return node_.op("Trilu", {all, diagonal}, {{"upper", int64_t{1}}});
  }

  ValueId hidden(ValueId visible) const {
    const ValueId out = node_.emitter.constant(far(dtype_of(node_, q_)));
    return node_.op("Where", {visible, scalar_like(node_, 0, q_), out});
  }

  // A mask for fewer keys than there are hides the others.
  ValueId mask() const {
    const ValueId stated = node_.input(kMask);
    const ValueId added  = dtype_of(node_, stated) == DType::boolean ? hidden(stated) : stated;
    const auto rank      = rank_of(node_, stated);
    const auto columns = size_of(node_, stated, -1), keys = size_of(node_, k_, 2);
    if (!rank || !columns || !keys || *columns >= *keys || *columns == 1) return added;
    Ints pads(2 * *rank, 0);
    pads.back() = *keys - *columns;
    return node_.op(
        "Pad", {added, integers(node_, pads), node_.op("Squeeze", {node_.emitter.constant(far(dtype_of(node_, q_)))})});
  }

  // Keys from a sample's length on are hidden: [b,1,1,t].
  ValueId padding() const {
    const ValueId zero    = node_.emitter.constant(Array::scalar(int64_t{0})),
                  one     = node_.emitter.constant(Array::scalar(int64_t{1}));
    const ValueId keys    = node_.op("Range", {zero, node_.op("Squeeze", {size_at(node_, k_, 2)}), one});
    const ValueId lengths = node_.op("Unsqueeze", {node_.input(kLengths), integers(node_, {1, 2, 3})});
    return hidden(node_.op("Less", {keys, lengths}));
  }

  const ControlNode& node_;
  int64_t q_heads_, kv_heads_, mode_;
  bool is_new_;
  bool packed_ = false;
  ValueId q_ = ValueId::none, k_ = ValueId::none;
  ValueId matrix_ = ValueId::none;
};

}  // namespace

std::vector<ValueId> attention(const ControlNode& node) {
  for (const char* const window : {"left_window_size", "right_window_size"}) {
    if (node.attributes.int_or(window, -1) >= 0)
      throw Error(node.where, "Attention with " + std::string(window) + " is not supported; only -1, no window, is");
  }
  return AttentionWriter(node).run();
}

}  // namespace foreflow::onnx::expansions
