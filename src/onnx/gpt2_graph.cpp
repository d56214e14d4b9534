// The graph that torch 1.5 exported GPT-2 to at opset 10, as its node-level dump tells (openvinotoolkit/nncf,
// gpt2-10.dot). Every size that PyTorch's tracer saw as a tensor is there as Shape -> Gather; scalars are Constant
// nodes, folded lists are initializers.   b: batch and choices, s: sequence, h: hidden, n: heads, d: h/n
#include "foreflow/onnx/gpt2_graph.h"

#include <cmath>

#include "onnx/graph_writer.h"

namespace foreflow::onnx {
namespace {

using ir::Array;
using Name = std::string;

class Gpt2Writer {
 public:
  explicit Gpt2Writer(const Gpt2Size& size) : size_(size), out_("gpt2", 10) {}

  std::string write() {
    Name x = embed();
    for (int64_t layer = 0; layer < size_.layers; ++layer) x = block(x, "h." + std::to_string(layer) + ".");
    finish(x);
    return out_.finish();
  }

 private:
  int64_t head_size() const { return size_.hidden / size_.heads; }
  Name list(int64_t value) { return out_.literal(Array::of_ints({1}, {value})); }
  Name number(float value) { return out_.constant(Array::scalar(value)); }
  Name unsqueeze(const Name& x) { return out_.node("Unsqueeze", {x}, {{"axes", std::vector<int64_t>{0}}}); }
  Name concat(const std::vector<Name>& parts) { return out_.node("Concat", parts, {{"axis", int64_t{0}}}); }
  Name transpose(const Name& x, std::vector<int64_t> order) {
    return out_.node("Transpose", {x}, {{"perm", std::move(order)}});
  }
  Name cast_to_int(const Name& x) { return out_.node("Cast", {x}, {{"to", int64_t{onnx_proto::TensorProto::INT64}}}); }

  Name dimension(const Name& x, int64_t axis) {
    const Name shape = out_.node("Shape", {x});
    const Name index = out_.constant(Array::scalar(axis));
    return out_.node("Gather", {shape, index}, {{"axis", int64_t{0}}});
  }

  std::vector<Name> dimensions(const Name& x, int64_t count) {
    std::vector<Name> all;
    for (int64_t axis = 0; axis < count; ++axis) all.push_back(dimension(x, axis));
    return all;
  }

  // x[b, last] of any shape[..., last]
  Name flatten(const Name& x, const Name& last) {
    const Name rest = list(-1);
    return out_.node("Reshape", {x, concat({rest, unsqueeze(last)})});
  }

  // Positions 0 .. s-1, which opset 10 has to count as the places of ones.
  Name positions(const Name& sequence) {
    Name count      = unsqueeze(sequence);
    count           = out_.node("Sub", {count, list(0)});
    count           = out_.node("Div", {count, list(1)});
    const Name ones = out_.node("ConstantOfShape", {count}, {{"value", Array::of_ints({1}, {1})}});
    const Name rows = transpose(out_.node("NonZero", {ones}), {1, 0});
    Name steps      = out_.node("Squeeze", {rows}, {{"axes", std::vector<int64_t>{1}}});
    steps           = out_.node("Mul", {steps, out_.literal(Array::scalar(int64_t{1}))});
    steps           = out_.node("Add", {steps, out_.literal(Array::scalar(int64_t{0}))});
    return cast_to_int(steps);
  }

  Name embed() {
    const Name tokens = out_.input("input1", ir::DType::i64, {"input1_dim_0", "input1_dim_1", "input1_dim_2"});
    input_dims_       = dimensions(tokens, 3);
    const Name rows   = flatten(tokens, input_dims_[2]);
    const Name steps  = unsqueeze(positions(input_dims_[2]));
    const Name last   = unsqueeze(input_dims_[2]);
    const Name places = out_.node("Reshape", {steps, concat({list(-1), last})});
    const Name wte    = out_.weight("wte.weight", {size_.vocabulary, size_.hidden});
    const Name wpe    = out_.weight("wpe.weight", {size_.positions, size_.hidden});
    const Name token  = out_.node("Gather", {wte, rows});
    const Name place  = out_.node("Gather", {wpe, places});
    const Name x      = out_.node("Add", {token, place});
    input_dims_.push_back(dimension(x, 2));
    return x;
  }

  Name layer_norm(const Name& x, const std::string& prefix) {
    const std::vector<int64_t> last = {-1};
    const Name scale                = out_.weight(prefix + ".weight", {size_.hidden});
    const Name shift                = out_.weight(prefix + ".bias", {size_.hidden});
    const Name mean                 = out_.node("ReduceMean", {x}, {{"axes", last}});
    const Name centred              = out_.node("Sub", {x, mean});
    const Name square               = out_.node("Pow", {centred, number(2)});
    const Name variance             = out_.node("ReduceMean", {square}, {{"axes", last}});
    const Name sum                  = out_.node("Add", {variance, number(1e-5f)});
    const Name normal               = out_.node("Div", {centred, out_.node("Sqrt", {sum})});
    return out_.node("Add", {out_.node("Mul", {normal, scale}), shift});
  }

  // x[b,s,from] * w[from,to] + bias -> y[b,s,to]; GPT-2's Conv1D.
  Name project(const Name& x, const std::string& prefix, int64_t from, int64_t to) {
    const std::vector<Name> dims = dimensions(x, 3);
    const Name weight            = out_.weight(prefix + ".weight", {from, to});
    const Name bias              = out_.weight(prefix + ".bias", {to});
    const Name rows              = flatten(x, dims[2]);
    const Name product           = out_.node("Gemm", {rows, weight, bias}, {{"alpha", 1.0f}, {"beta", 1.0f}});
    const Name b = unsqueeze(dims[0]), s = unsqueeze(dims[1]);
    return out_.node("Reshape", {product, concat({b, s, list(to)})});
  }

  // x[b,s,h] -> [b,n,s,d], or another order of the axes [b,s,n,d].
  Name split_heads(const Name& x, std::vector<int64_t> order) {
    const std::vector<Name> dims = dimensions(x, 3);
    const Name heads             = out_.constant(Array::scalar(size_.heads));
    const Name size              = cast_to_int(cast_to_int(out_.node("Div", {dims[2], heads})));
    const Name b = unsqueeze(dims[0]), s = unsqueeze(dims[1]), d = unsqueeze(size);
    const Name shape = concat({b, s, list(size_.heads), d});
    return transpose(out_.node("Reshape", {x, shape}), std::move(order));
  }

  // The rows of the lower triangle that these scores [b,n,queries,keys] need.
  Name causal_mask(const Name& scores, const Name& triangle) {
    const Name queries = dimension(scores, 2);
    const Name keys    = dimension(scores, 3);
    const Name past    = out_.node("Sub", {keys, queries});
    const Name from = unsqueeze(past), to = unsqueeze(keys);
    const Name row_step    = out_.constant(Array::of_ints({1}, {1}));
    const Name rows        = out_.node("Slice", {triangle, from, to, list(2), row_step});
    const Name end         = unsqueeze(keys);
    const Name column_step = out_.constant(Array::of_ints({1}, {1}));
    const Name zero        = list(0);
    return out_.node("Slice", {rows, zero, end, list(3), column_step});
  }

  // w * mask - 1e4 * (1 - mask)
  Name masked(const Name& scores, const Name& mask) {
    const Name kept    = out_.node("Mul", {scores, mask});
    const Name hidden  = out_.node("Sub", {number(1), mask});
    const Name penalty = out_.node("Mul", {hidden, number(1e4f)});
    return out_.node("Sub", {kept, penalty});
  }

  Name merge_heads(const Name& x) {
    const Name turned            = transpose(x, {0, 2, 1, 3});
    const std::vector<Name> dims = dimensions(turned, 4);
    const Name hidden            = out_.node("Mul", {dims[2], dims[3]});
    const Name b = unsqueeze(dims[0]), s = unsqueeze(dims[1]), h = unsqueeze(hidden);
    return out_.node("Reshape", {turned, concat({b, s, h})});
  }

  Name attention(const Name& x, const std::string& prefix, const Name& triangle) {
    const int64_t h   = size_.hidden;
    const Name qkv    = project(x, prefix + "attn.c_attn", h, 3 * h);
    const auto parts  = out_.node("Split", {qkv}, {{"axis", int64_t{2}}, {"split", std::vector<int64_t>{h, h, h}}}, 3);
    const Name q      = split_heads(parts[0], {0, 2, 1, 3});
    const Name k      = split_heads(parts[1], {0, 2, 3, 1});
    const Name v      = split_heads(parts[2], {0, 2, 1, 3});
    const Name past_k = unsqueeze(transpose(k, {0, 1, 3, 2}));
    const Name past_v = unsqueeze(v);
    presents_.push_back(concat({past_k, past_v}));
    const Name products = out_.node("MatMul", {q, k});
    const Name scores   = out_.node("Div", {products, number(std::sqrt(static_cast<float>(head_size())))});
    const Name mask     = causal_mask(scores, triangle);
    const Name weights  = out_.node("Softmax", {masked(scores, mask)}, {{"axis", int64_t{3}}});
    const Name merged   = merge_heads(out_.node("MatMul", {weights, v}));
    return project(merged, prefix + "attn.c_proj", h, h);
  }

  // 0.5 x (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3)))
  Name gelu(const Name& x) {
    const Name half   = out_.node("Mul", {x, number(0.5f)});
    const Name cube   = out_.node("Pow", {x, number(3)});
    const Name scaled = out_.node("Mul", {cube, number(0.044715f)});
    const Name sum    = out_.node("Add", {x, scaled});
    const Name inner  = out_.node("Mul", {sum, number(0.7978845608f)});
    const Name bent   = out_.node("Tanh", {inner});
    return out_.node("Mul", {half, out_.node("Add", {bent, number(1)})});
  }

  Name block(const Name& x, const std::string& prefix) {
    const Name triangle = out_.weight(prefix + "attn.bias", {1, 1, size_.positions, size_.positions});
    const Name attended = out_.node("Add", {x, attention(layer_norm(x, prefix + "ln_1"), prefix, triangle)});
    const Name normal   = layer_norm(attended, prefix + "ln_2");
    const Name wide     = gelu(project(normal, prefix + "mlp.c_fc", size_.hidden, 4 * size_.hidden));
    return out_.node("Add", {attended, project(wide, prefix + "mlp.c_proj", 4 * size_.hidden, size_.hidden)});
  }

  void finish(const Name& x) {
    const Name normal = layer_norm(x, "ln_f");
    std::vector<Name> dims;
    for (const Name& dim : input_dims_) dims.push_back(unsqueeze(dim));
    const Name result = out_.node("Reshape", {normal, concat(dims)});
    out_.output(result, ir::DType::f32, {"input1_dim_0", "input1_dim_1", "input1_dim_2", size_.hidden});
    for (const Name& present : presents_) {
      out_.output(present, ir::DType::f32, {int64_t{2}, "input1_dim_0", size_.heads, "input1_dim_2", head_size()});
    }
  }

  Gpt2Size size_;
  GraphWriter out_;
  std::vector<Name> input_dims_;  // the tokens' three dimensions and the hidden size
  std::vector<Name> presents_;    // keys and values of each layer
};

void check(const Gpt2Size& size) {
  const auto positive = [](int64_t value, const char* name) {
    if (value < 1) throw Error("gpt2", std::string(name) + " is " + std::to_string(value) + "; it must be positive");
  };
  positive(size.layers, "layers");
  positive(size.heads, "heads");
  positive(size.hidden, "hidden");
  positive(size.vocabulary, "vocabulary");
  positive(size.positions, "positions");
  if (size.hidden % size.heads == 0) return;
  throw Error("gpt2", "hidden " + std::to_string(size.hidden) + " is not a multiple of the " +
                          std::to_string(size.heads) + " heads");
}

}  // namespace

std::string write_gpt2(const Gpt2Size& size) {
  check(size);
  return Gpt2Writer(size).write();
}

}  // namespace foreflow::onnx
