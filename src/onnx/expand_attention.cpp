// Attention of opsets 23 and later, written out so that passes see its two products and its softmax:
//
//   scores = softcap(q[b,n,s,h] k[b,n,t,h]^T * scale) + bias      y = softmax(scores) v[b,n,t,d]
//
// Its meaning is that of the text of ONNX 1.23, which corrects opsets 23 and 24 in place: heads of keys are repeated
// for neighbouring query heads, the softcap comes before the mask, a causal mask is aligned with the keys that a cache
// holds, and a query that sees no key gives zeros.
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

// Query i is at the absolute position p = offset + i, and sees key j if p - left <= j <= p + right. Nothing: no bound.
struct Window {
  std::optional<int64_t> left, right;
  bool none() const { return !left && !right; }
};

std::optional<int64_t> window_side(const ControlNode& node, std::string_view name) {
  const int64_t size = node.attributes.int_or(name, -1);
  if (size < -1)
    throw Error(node.where, std::string(name) + " is " + std::to_string(size) + "; at least 0, or -1, would be right");
  return size < 0 ? std::nullopt : std::optional(size);
}

Window window_of(const ControlNode& node) {
  Window window{window_side(node, "left_window_size"), window_side(node, "right_window_size")};
  if (node.attributes.int_or("is_causal", 0) != 0) window.right = 0;
  return window;
}

// The value that is added to scores, and the queries [..,s,1] that see no key; none if every query sees one.
struct Bias {
  ValueId added = ValueId::none, blind = ValueId::none, exact = ValueId::none;  // exact: before blind rows become 0
};

class AttentionWriter {
 public:
  explicit AttentionWriter(const ControlNode& node)
      : node_(node),
        q_heads_(node.attributes.int_or("q_num_heads", 0)),
        kv_heads_(node.attributes.int_or("kv_num_heads", 0)),
        mode_(node.attributes.int_or("qk_matmul_output_mode", 0)),
        window_(window_of(node)) {
    if (mode_ < 0 || mode_ > 3)
      throw Error(node.where, "qk_matmul_output_mode is " + std::to_string(mode_) + "; 0, 1, 2 or 3 would be right");
    if ((node.input(kPastKey) == ValueId::none) != (node.input(kPastValue) == ValueId::none))
      throw Error(node.where, "Attention has one of past_key and past_value; both or none would be right");
  }

  std::vector<ValueId> run() {
    const ValueId query = required(node_, 0, "Q");
    packed_             = rank_of(node_, query).value_or(q_heads_ > 0 ? 3 : 4) == 3;
    if (packed_ && (q_heads_ < 1 || kv_heads_ < 1))
      throw Error(node_.where, "Attention of Q[b,s,n*h] needs q_num_heads and kv_num_heads");
    q_                  = packed_ ? split_heads(node_, query, q_heads_) : query;
    const ValueId key   = with_past(heads(required(node_, 1, "K")), kPastKey);
    const ValueId value = with_past(heads(required(node_, 2, "V")), kPastValue);
    k_                  = key;
    const Bias bias     = shared_bias();
    const ValueId share = probabilities(scores(shared(key), bias), bias);
    const ValueId y     = seen(bias, node_.op("MatMul", {share, shared(value)}));
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
    const ValueId apart = node_.op("Unsqueeze", {x, integers(node_, {2})});
    const ValueId all   = node_.op("Expand", {apart, integers(node_, {1, 1, queries / keys, 1, 1})});
    const ValueId shape = node_.op(
        "Concat", {size_at(node_, x, 0), integers(node_, {queries}), size_at(node_, x, 2), size_at(node_, x, 3)},
        {{"axis", int64_t{0}}});
    return node_.op("Reshape", {all, shape});
  }

  ValueId scale() const {
    if (node_.attributes.find("scale") != nullptr) return scalar_like(node_, node_.attributes.float_or("scale", 1), q_);
    if (const auto size = size_of(node_, q_, -1))
      return scalar_like(node_, 1 / std::sqrt(static_cast<double>(*size)), q_);
    const ValueId size =
        node_.op("Cast", {size_at(node_, q_, 3)}, {{"to", std::string(ir::name(dtype_of(node_, q_)))}});
    return node_.op("Reciprocal", {node_.op("Sqrt", {size})});
  }

  ValueId scores(ValueId keys, const Bias& bias) {
    const ValueId product = node_.op("MatMul", {q_, transposed(node_, keys, {0, 1, 3, 2})});
    ValueId score         = node_.op("Mul", {product, scale()});
    if (keeps(0)) matrix_ = score;
    score = capped(score);
    if (keeps(1)) matrix_ = score;
    if (keeps(2)) matrix_ = bias.exact == ValueId::none ? score : node_.op("Add", {score, bias.exact});
    return bias.added == ValueId::none ? score : node_.op("Add", {score, bias.added});
  }

  ValueId capped(ValueId score) const {
    const double cap = node_.attributes.float_or("softcap", 0);
    if (cap <= 0) return score;
    const ValueId bound = scalar_like(node_, cap, q_);
    return node_.op("Mul", {node_.op("Tanh", {node_.op("Div", {score, bound})}), bound});
  }

  // Returns true if result 3 is asked for, and is the score after step `mode`.
  bool keeps(int64_t mode) const {
    return mode_ == mode && node_.proto.output_size() > 3 && !node_.proto.output(3).empty();
  }

  DType precision() const {
    const int64_t number = node_.attributes.int_or("softmax_precision", 0);
    if (number == 0) return dtype_of(node_, q_);
    const auto dtype = find_dtype(number);
    if (!dtype || !ir::is_float(*dtype))
      throw Error(node_.where, "softmax_precision is " + dtype_text(number) + "; a float type would be right");
    return *dtype;
  }

  ValueId probabilities(ValueId score, const Bias& bias) {
    const DType dtype = dtype_of(node_, q_), inner = precision();
    if (inner != dtype) score = node_.op("Cast", {score}, {{"to", std::string(ir::name(inner))}});
    ValueId share = node_.op("Softmax", {score}, {{"axis", int64_t{-1}}});
    if (inner != dtype) share = node_.op("Cast", {share}, {{"to", std::string(ir::name(dtype))}});
    if (keeps(3)) matrix_ = seen(bias, share);
    return share;
  }

  // The rows of queries that see a key; zeros for others.
  ValueId seen(const Bias& bias, ValueId rows) const {
    return bias.blind == ValueId::none ? rows : node_.op("Where", {bias.blind, scalar_like(node_, 0, q_), rows});
  }

  // The bias, which attentions of the same masks and sizes share.
  Bias shared_bias() const {
    const ValueId mask = node_.input(kMask), past = node_.input(kPastKey), lengths = node_.input(kLengths);
    if (window_.none() && mask == ValueId::none && lengths == ValueId::none) return {};
    const auto queries = size_of(node_, q_, 2), keys = size_of(node_, k_, 2);
    const auto before = past == ValueId::none ? std::optional<int64_t>(-1) : size_of(node_, past, 2);
    if (!queries || !keys || !before) return bias();
    std::string key = "Attention: " + std::string(ir::name(dtype_of(node_, q_)));
    for (const int64_t part : {static_cast<int64_t>(mask), static_cast<int64_t>(lengths), *queries, *keys, *before,
                               window_.left.value_or(-1), window_.right.value_or(-1), node_.opset})
      key += " " + std::to_string(part);
    std::vector<ValueId>& noted = node_.emitter.noted(key);
    if (noted.empty()) {
      const Bias made = bias();
      noted           = {made.added, made.blind, made.exact};
    }
    return {noted[0], noted[1], noted[2]};
  }

  Bias bias() const {
    std::vector<ValueId> terms;
    const bool by_sample = node_.input(kLengths) != ValueId::none && node_.input(kPastKey) == ValueId::none;
    if (!window_.none()) by_sample ? add_window_of_samples(terms) : add_window(terms);
    if (node_.input(kMask) != ValueId::none) terms.push_back(mask());
    if (node_.input(kLengths) != ValueId::none) terms.push_back(padding());
    Bias all{terms[0], ValueId::none, terms[0]};
    for (size_t i = 1; i < terms.size(); ++i) all.added = node_.op("Add", {all.added, terms[i]});
    all.exact = all.added;
    if (terms.size() == 1 && node_.input(kMask) == ValueId::none && node_.input(kLengths) == ValueId::none &&
        window_.right && !window_.left)
      return all;  // every query sees key 0
    const ValueId most = node_.op("ReduceMax", {all.added, integers(node_, {-1})}, {{"keepdims", int64_t{1}}});
    all.blind          = node_.op("Equal", {most, hides()});
    all.added          = node_.op("Where", {all.blind, scalar_like(node_, 0, q_), all.added});
    return all;
  }

  ValueId hides() const { return node_.emitter.constant(far(dtype_of(node_, q_))); }
  ValueId number(int64_t value) const { return node_.emitter.constant(Array::scalar(value)); }
  ValueId size(ValueId x, int64_t axis) const { return node_.op("Squeeze", {size_at(node_, x, axis)}); }

  // The same offset for all samples: what a cache holds. Keys behind a diagonal are hidden: [s,t].
  void add_window(std::vector<ValueId>& terms) const {
    const ValueId shape = node_.op("Concat", {size_at(node_, q_, 2), size_at(node_, k_, 2)}, {{"axis", int64_t{0}}});
    const auto hidden   = [&](int64_t from, int64_t upper) {
      const ValueId all = node_.op("ConstantOfShape", {shape}, {{"value", far(dtype_of(node_, q_))}});
      ValueId diagonal  = number(from);
      if (node_.input(kPastKey) != ValueId::none)
        diagonal = node_.op("Add", {size(node_.input(kPastKey), 2), diagonal});
      terms.push_back(node_.op("Trilu", {all, diagonal}, {{"upper", upper}}));
    };
    if (window_.right) hidden(*window_.right + 1, 1);
    if (window_.left) hidden(-*window_.left - 1, 0);
  }

  // The offset of a sample is its number of keys, less that of queries: [b,1,s,t].
  void add_window_of_samples(std::vector<ValueId>& terms) const {
    const ValueId offset   = node_.op("Sub", {lengths(), size(q_, 2)});
    const ValueId queries  = node_.op("Unsqueeze", {range(size(q_, 2)), integers(node_, {1})});
    const ValueId position = node_.op("Add", {queries, offset}), keys = range(size(k_, 2));
    if (window_.right)
      terms.push_back(hidden(node_.op("LessOrEqual", {keys, node_.op("Add", {position, number(*window_.right)})})));
    if (window_.left)
      terms.push_back(hidden(node_.op("GreaterOrEqual", {keys, node_.op("Sub", {position, number(*window_.left)})})));
  }

  ValueId range(ValueId count) const { return node_.op("Range", {number(0), count, number(1)}); }
  ValueId lengths() const {  // [b,1,1,1]
    return node_.op("Unsqueeze", {node_.input(kLengths), integers(node_, {1, 2, 3})});
  }

  ValueId hidden(ValueId visible) const { return node_.op("Where", {visible, scalar_like(node_, 0, q_), hides()}); }

  // Since opset 24, a mask for fewer keys than there are hides the others.
  ValueId mask() const {
    const ValueId stated = node_.input(kMask);
    const DType dtype    = dtype_of(node_, q_);
    const auto rank      = rank_of(node_, stated);
    if (rank && (*rank < 1 || *rank > 4))
      throw Error(node_.where, "Attention has a mask of " + std::to_string(*rank) +
                                   " dimensions; one that broadcasts to [b,n,s,t] would be right");
    ValueId added = stated;
    if (dtype_of(node_, stated) == DType::boolean) {
      added = hidden(stated);
    } else if (dtype_of(node_, stated) != dtype) {
      added = node_.op("Cast", {stated}, {{"to", std::string(ir::name(dtype))}});
    }
    const auto columns = size_of(node_, stated, -1), keys = size_of(node_, k_, 2);
    if (node_.opset < 24 || !rank || !columns || !keys || *columns >= *keys) return added;
    Ints pads(2 * *rank, 0);
    pads.back() = *keys - *columns;
    return node_.op("Pad", {added, integers(node_, pads), node_.op("Squeeze", {hides()})});
  }

  // Keys from a sample's length on are hidden: [b,1,1,t].
  ValueId padding() const { return hidden(node_.op("Less", {range(size(k_, 2)), lengths()})); }

  const ControlNode& node_;
  int64_t q_heads_, kv_heads_, mode_;
  Window window_;
  bool packed_ = false;
  ValueId q_ = ValueId::none, k_ = ValueId::none;
  ValueId matrix_ = ValueId::none;
};

}  // namespace

std::vector<ValueId> attention(const ControlNode& node) { return AttentionWriter(node).run(); }

}  // namespace foreflow::onnx::expansions
