#include <cmath>

#include "foreflow/ir/builder.h"
#include "moe_sizes.h"
#include "number.h"

namespace foreflow::workload::definitions {
namespace {

using ir::ValueId;
using Ints = std::vector<int64_t>;

// Writes a decoder with mixtures of experts (Mixtral; Jiang et al., 2024): root mean square norms, rotary positions, groups of
// heads that share keys and values, and SwiGLU experts among which a router chooses (GShard's dispatch and combine).
// Letters: b batch, s sequence, h hidden, a heads, k heads of keys and values, d = h/a, e experts, g groups, c capacity,
// f width inside an expert, v vocabulary.
class Writer {
 public:
  Writer(const MoeSizes& sizes, ir::DType dtype, const ir::OpTable& ops) : z_(sizes), dtype_(dtype), f_("moe", ops) {}

  ir::Function run(Mode mode) {
    declare(mode);
    write_constants();
    ValueId x = f_.op("Gather", {wte_, ids_}, {{"axis", int64_t{0}}}, "tokens");  // [b,s,h]
    for (const Block& block : blocks_) x = layer(block, x);
    x = normalise(final_, x);
    if (mode == Mode::inference) return f_.finish({f_.op("MatMul", {x, head_}, {}, "logits")});
    const ValueId logits = f_.op("Gemm", {reshape(x, {-1, z_.hidden}), head_}, {}, "logits");  // [bs,v]
    const ValueId loss   = f_.op("SoftmaxCrossEntropyLoss", {logits, reshape(labels_, {-1})},
                               {{"count", z_.batch * z_.sequence}}, "loss");
    return f_.finish({loss});
  }

 private:
  struct SwiGlu {
    ValueId gate, up, down;
  };
  struct Block {
    ValueId norm1, q, k, v, o, norm2, router;
    SwiGlu experts, shared;
  };

  ValueId weight(const std::string& name, ir::Dims dims) {
    return f_.parameter(name, ir::ParameterRole::weight, ir::Type::tensor(dtype_, dims));
  }
  SwiGlu swiglu(const std::string& name, const Ints& batch, int64_t inner) {
    const auto dims = [&](int64_t rows, int64_t columns) {
      Ints all = batch;
      all.insert(all.end(), {rows, columns});
      return ir::Dims(all);
    };
    const ValueId gate = weight(name + ".gate", dims(z_.hidden, inner)), up = weight(name + ".up", dims(z_.hidden, inner));
    return {gate, up, weight(name + ".down", dims(inner, z_.hidden))};
  }

  void declare(Mode mode) {
    const int64_t h = z_.hidden, kv = z_.kv_heads * z_.width();
    wte_ = weight("wte", {z_.vocabulary, h});
    for (int64_t i = 0; i < z_.layers; ++i) {
      const std::string p = "h." + std::to_string(i) + ".";
      Block block{weight(p + "norm_1", {h}),  weight(p + "attn.q", {h, h}), weight(p + "attn.k", {h, kv}), weight(p + "attn.v", {h, kv}),
                  weight(p + "attn.o", {h, h}), weight(p + "norm_2", {h}),    weight(p + "router", {h, z_.experts}), {}, {}};
      block.experts = swiglu(p + "experts", {z_.experts}, z_.ffn);
      if (z_.shared_experts > 0) block.shared = swiglu(p + "shared", {}, z_.shared_experts * z_.ffn);
      blocks_.push_back(block);
    }
    final_          = weight("norm_f", {h});
    head_           = weight("head", {h, z_.vocabulary});
    const auto data = ir::Type::tensor(ir::DType::i64, {z_.batch, z_.sequence});
    ids_            = f_.parameter("ids", ir::ParameterRole::data, data);
    if (mode == Mode::training) labels_ = f_.parameter("labels", ir::ParameterRole::data, data);
  }

  ValueId constant(const ir::Array& value) { return f_.op("Constant", {}, {{"value", value}}); }
  ValueId reshape(ValueId x, Ints shape) { return f_.op("Reshape", {x}, {{"shape", std::move(shape)}}); }
  ValueId normalise(ValueId scale, ValueId x) {
    return f_.op("SimplifiedLayerNormalization", {x, scale}, {{"axis", int64_t{-1}}, {"epsilon", 1e-5}});
  }
  ValueId linear(ValueId w, ValueId x) { return f_.op("MatMul", {x, w}); }

  // The mask [s,s], the angles' cosine and sine [s,d/2] (Su et al., 2021), and numbers.
  void write_constants() {
    const Ints square{z_.sequence, z_.sequence};
    const ValueId far = f_.op("ConstantOfShape", {}, {{"shape", square}, {"value", number(dtype_, -10000.0F)}});
    mask_             = f_.op("Trilu", {far}, {{"upper", int64_t{1}}, {"k", int64_t{1}}}, "mask");
    std::vector<float> positions, rates;
    for (int64_t s = 0; s < z_.sequence; ++s) positions.push_back(static_cast<float>(s));
    const double width = static_cast<double>(z_.width());
    for (int64_t i = 0; i < z_.width() / 2; ++i)
      rates.push_back(static_cast<float>(std::pow(z_.rotary_base, -2.0 * static_cast<double>(i) / width)));
    const ValueId angles = f_.op("Mul", {constant(ir::Array::of_floats({z_.sequence, 1}, positions)),
                                         constant(ir::Array::of_floats({z_.width() / 2}, rates))});
    cosine_ = as_dtype(f_.op("Cos", {angles}));
    sine_   = as_dtype(f_.op("Sin", {angles}));
    scale_  = constant(number(dtype_, static_cast<float>(1 / std::sqrt(width))));
    zero_   = constant(number(dtype_, 0));
  }
  ValueId as_dtype(ValueId x) {
    return dtype_ == ir::DType::f32 ? x : f_.op("Cast", {x}, {{"to", std::string(ir::name(dtype_))}});
  }

  // [b,s,n*d] -> [b,n,s,d]
  ValueId by_head(ValueId x, int64_t heads) {
    return f_.op("Transpose", {reshape(x, {0, z_.sequence, heads, z_.width()})}, {{"perm", Ints{0, 2, 1, 3}}});
  }

  // Turns both halves of every head by the angle of its position.
  ValueId rotate(ValueId x) {
    const auto half       = f_.emit("Split", {x}, {{"axis", int64_t{3}}, {"num_outputs", int64_t{2}}}, 2);
    const ValueId turned  = f_.op("Sub", {f_.op("Mul", {half[0], cosine_}), f_.op("Mul", {half[1], sine_})});
    const ValueId turned2 = f_.op("Add", {f_.op("Mul", {half[1], cosine_}), f_.op("Mul", {half[0], sine_})});
    return f_.op("Concat", {turned, turned2}, {{"axis", int64_t{3}}});
  }

  // Heads that share keys stand below each other: [b,a,s,n] -> [b,k,(a/k)s,n] and back.
  ValueId grouped(ValueId x, int64_t n) { return z_.kv_heads == z_.heads ? x : reshape(x, {0, z_.kv_heads, -1, n}); }
  ValueId ungrouped(ValueId x, int64_t n) { return z_.kv_heads == z_.heads ? x : reshape(x, {0, z_.heads, z_.sequence, n}); }

  ValueId attention(const Block& block, ValueId x) {
    const ValueId q     = f_.op("Mul", {rotate(by_head(linear(block.q, x), z_.heads)), scale_});
    const ValueId k     = f_.op("Transpose", {rotate(by_head(linear(block.k, x), z_.kv_heads))}, {{"perm", Ints{0, 1, 3, 2}}});
    const ValueId v     = by_head(linear(block.v, x), z_.kv_heads);
    const ValueId score = ungrouped(f_.op("MatMul", {grouped(q, z_.width()), k}), z_.sequence);  // [b,a,s,s]
    const ValueId seen  = f_.op("Softmax", {f_.op("Add", {score, mask_})}, {{"axis", int64_t{-1}}});
    const ValueId read  = ungrouped(f_.op("MatMul", {grouped(seen, z_.sequence), v}), z_.width());
    const ValueId back  = f_.op("Transpose", {read}, {{"perm", Ints{0, 2, 1, 3}}});
    return linear(block.o, reshape(back, {0, z_.sequence, z_.hidden}));
  }

  ValueId feed_forward(const SwiGlu& w, ValueId x) {
    const ValueId gate = f_.op("QuickGelu", {linear(w.gate, x)}, {{"alpha", 1.0}});  // x * sigmoid(x)
    return linear(w.down, f_.op("Mul", {gate, linear(w.up, x)}));
  }

  // Zero for experts that a token does not choose: [g,s/groups,e].
  ValueId gates(ValueId router, ValueId x) {
    const ValueId share  = f_.op("Softmax", {linear(router, x)}, {{"axis", int64_t{-1}}});
    const ValueId chosen = f_.op("TopKMask", {share}, {{"k", z_.top_k}});
    const ValueId kept   = f_.op("Where", {chosen, share, zero_});
    if (!z_.normalise) return kept;
    const ValueId total = f_.op("ReduceSum", {kept}, {{"axes", Ints{-1}}, {"keepdims", int64_t{1}}});
    return f_.op("Div", {kept, total}, {}, "gates");
  }

  ValueId experts(const Block& block, ValueId x) {
    const bool cut       = z_.groups > 1;
    const ValueId tokens = cut ? reshape(x, {-1, z_.tokens(), z_.hidden}) : x;  // [g,s/groups,h]
    const ValueId gate   = gates(block.router, tokens);
    const ValueId seated = f_.op("MoeDispatch", {tokens, gate}, {{"capacity", z_.capacity}});  // [e,g,c,h]
    const ValueId done   = feed_forward(block.experts, reshape(seated, {0, -1, z_.hidden}));
    const ValueId rows   = reshape(done, {0, -1, z_.capacity, z_.hidden});
    const ValueId y      = f_.op("MoeCombine", {rows, gate}, {{"weighted", int64_t{1}}});
    const ValueId whole  = cut ? reshape(y, {-1, z_.sequence, z_.hidden}) : y;
    return z_.shared_experts == 0 ? whole : f_.op("Add", {whole, feed_forward(block.shared, x)});
  }

  ValueId layer(const Block& block, ValueId x) {
    x = f_.op("Add", {x, attention(block, normalise(block.norm1, x))});
    return f_.op("Add", {x, experts(block, normalise(block.norm2, x))});
  }

  const MoeSizes z_;
  const ir::DType dtype_;
  ir::FunctionBuilder f_;
  ValueId wte_{}, ids_{}, labels_{}, final_{}, head_{}, mask_{}, cosine_{}, sine_{}, scale_{}, zero_{};
  std::vector<Block> blocks_;
};

Model build(const Request& request, const ir::OpTable& ops) {
  const MoeSizes sizes = read_moe(request);
  Model model{{}, sizes.sequence};
  model.module.source = "moe";
  model.module.functions.push_back(Writer(sizes, request.dtype, ops).run(request.mode));
  return model;
}

}  // namespace

WorkloadDef moe() {
  return {"moe", "a decoder whose layers choose among experts (Mixtral), with grouped heads, rotary positions and SwiGLU",
          moe_keys(), build};
}

}  // namespace foreflow::workload::definitions
