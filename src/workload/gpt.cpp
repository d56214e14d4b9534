#include <cmath>

#include "foreflow/ir/builder.h"
#include "workload/dropout.h"
#include "workload/gpt_cache.h"
#include "workload/number.h"
#include "workload/sizes.h"

namespace foreflow::workload::definitions::gpt {
namespace {

using ir::ValueId;

struct Sizes {
  int64_t layers, hidden, heads, sequence, vocabulary, batch;
  double dropout;
};

Sizes read(const Request& request) {
  const JsonView& json = request.sizes;
  const Sizes sizes{positive(json, "layers", 12, kMostLayers),
                    positive(json, "hidden", 768),
                    positive(json, "heads", 12),
                    positive(json, "sequence", 1024),
                    positive(json, "vocabulary", 50257),
                    request.batch,
                    read_dropout(request)};
  if (sizes.hidden % sizes.heads != 0) {
    throw Error(json.where() + (json.has("heads") ? ".heads" : ""),
                std::to_string(sizes.heads) + " heads do not divide the hidden size " + std::to_string(sizes.hidden) +
                    "; use a divisor of it");
  }
  return sizes;
}

// Writes a GPT-2 (Radford et al., 2019; pre-norm decoder, fused q|k|v projection, tied embeddings) for training.
// Letters: b batch, s sequence, h hidden, a heads, d = h/a, v vocabulary.
class Writer {
 public:
  Writer(const Sizes& sizes, ir::DType dtype, const ir::OpTable& ops) : sizes_(sizes), dtype_(dtype), f_("gpt", ops) {}

  ir::Function run() {
    declare();
    ValueId x = f_.op("Gather", {wte_, ids_}, {{"axis", int64_t{0}}}, "tokens");  // [b,s,h]
    x         = dropped(f_.op("Add", {x, wpe_}, {}, "embedded"), "embedded");
    // 0 where a position may look, a large negative number where it may not: [s,s]
    const ValueId far = f_.op(
        "ConstantOfShape", {},
        {{"shape", std::vector<int64_t>{sizes_.sequence, sizes_.sequence}}, {"value", number(dtype_, -10000.0F)}});
    mask_ = f_.op("Trilu", {far}, {{"upper", int64_t{1}}, {"k", int64_t{1}}}, "mask");
    for (const Block& block : blocks_) x = layer(block, x);
    x                   = normalise(final_, x, "ln_f");
    const ValueId rows  = f_.op("Reshape", {x}, {{"shape", std::vector<int64_t>{-1, sizes_.hidden}}});  // [bs,h]
    const ValueId label = f_.op("Reshape", {labels_}, {{"shape", std::vector<int64_t>{-1}}});           // [bs]
    const ValueId logit = f_.op("Gemm", {rows, wte_}, {{"transB", int64_t{1}}}, "logits");              // [bs,v]
    const ValueId loss =
        f_.op("SoftmaxCrossEntropyLoss", {logit, label}, {{"count", sizes_.batch * sizes_.sequence}}, "loss");
    return f_.finish({loss});
  }

 private:
  struct Affine {
    ValueId weight, bias;
  };
  struct Block {
    std::string name;  // "h.3."
    Affine norm1, qkv, projection, norm2, up, down;
  };

  ValueId weight(const std::string& name, ir::Dims dims) {
    return f_.parameter(name, ir::ParameterRole::weight, ir::Type::tensor(dtype_, dims));
  }
  Affine affine(const std::string& name, int64_t in, int64_t out) {
    return {weight(name + ".weight", {in, out}), weight(name + ".bias", {out})};
  }
  Affine norm(const std::string& name) {
    return {weight(name + ".weight", {sizes_.hidden}), weight(name + ".bias", {sizes_.hidden})};
  }

  void declare() {
    const int64_t h = sizes_.hidden;
    wte_            = weight("wte", {sizes_.vocabulary, h});
    wpe_            = weight("wpe", {sizes_.sequence, h});
    for (int64_t i = 0; i < sizes_.layers; ++i) {
      const std::string prefix = "h." + std::to_string(i) + ".";
      blocks_.push_back({prefix, norm(prefix + "ln_1"), affine(prefix + "attn", h, 3 * h),
                         affine(prefix + "proj", h, h), norm(prefix + "ln_2"), affine(prefix + "up", h, 4 * h),
                         affine(prefix + "down", 4 * h, h)});
    }
    final_          = norm("ln_f");
    const auto data = ir::Type::tensor(ir::DType::i64, {sizes_.batch, sizes_.sequence});
    ids_            = f_.parameter("ids", ir::ParameterRole::data, data);
    labels_         = f_.parameter("labels", ir::ParameterRole::data, data);
  }

  ValueId normalise(const Affine& w, ValueId x, const std::string& name) {
    return f_.op("LayerNormalization", {x, w.weight, w.bias}, {{"axis", int64_t{-1}}, {"epsilon", 1e-5}}, name);
  }
  ValueId linear(const Affine& w, ValueId x, const std::string& name) {
    return f_.op("Add", {f_.op("MatMul", {x, w.weight}), w.bias}, {}, name);
  }

  // In training a share of the numbers is dropped; the mask is kept for the backward pass.
  ValueId dropped(ValueId x, const std::string& name) {
    if (sizes_.dropout == 0) return x;
    ir::Array yes(ir::DType::boolean, {});
    yes.mutable_data<bool>()[0] = true;
    const ValueId ratio    = f_.op("Constant", {}, {{"value", ir::Array::scalar(static_cast<float>(sizes_.dropout))}});
    const ValueId training = f_.op("Constant", {}, {{"value", yes}});
    return f_.emit("Dropout", {x, ratio, training}, {{"seed", ++dropouts_}}, 2, {name + ".dropped", name + ".mask"})[0];
  }

  // [b,s,h] -> [b,s,a,d] -> permuted
  ValueId heads(ValueId x, std::vector<int64_t> order, const std::string& name) {
    const std::vector<int64_t> shape = {0, sizes_.sequence, sizes_.heads, sizes_.hidden / sizes_.heads};
    return f_.op("Transpose", {f_.op("Reshape", {x}, {{"shape", shape}})}, {{"perm", std::move(order)}}, name);
  }

  ValueId attention(const Block& block, ValueId x) {
    const std::string& at = block.name;
    const auto parts =
        f_.emit("Split", {linear(block.qkv, x, at + "qkv")}, {{"axis", int64_t{2}}, {"num_outputs", int64_t{3}}}, 3);
    const ValueId q     = heads(parts[0], {0, 2, 1, 3}, at + "q");  // [b,a,s,d]
    const ValueId k     = heads(parts[1], {0, 2, 3, 1}, at + "k");  // [b,a,d,s]
    const ValueId v     = heads(parts[2], {0, 2, 1, 3}, at + "v");
    const int64_t width = sizes_.hidden / sizes_.heads;
    const double scale  = 1 / std::sqrt(static_cast<double>(width));
    const ValueId small = f_.op(
        "Mul", {q, f_.op("Constant", {}, {{"value", number(dtype_, static_cast<float>(scale))}})}, {}, at + "q_scaled");
    const ValueId score = f_.op("Add", {f_.op("MatMul", {small, k}), mask_}, {}, at + "scores");  // [b,a,s,s]
    const ValueId share =
        dropped(f_.op("Softmax", {score}, {{"axis", int64_t{-1}}}, at + "probabilities"), at + "probabilities");
    const ValueId seen = f_.op("MatMul", {share, v});
    const ValueId back = f_.op("Transpose", {seen}, {{"perm", std::vector<int64_t>{0, 2, 1, 3}}});
    return f_.op("Reshape", {back}, {{"shape", std::vector<int64_t>{0, sizes_.sequence, sizes_.hidden}}},
                 at + "context");
  }

  ValueId layer(const Block& block, ValueId x) {
    const std::string& at = block.name;
    const ValueId mixed =
        dropped(linear(block.projection, attention(block, normalise(block.norm1, x, at + "ln_1")), at + "attended"),
                at + "attended");
    x                = f_.op("Add", {x, mixed}, {}, at + "middle");
    const ValueId up = f_.op("Gelu", {linear(block.up, normalise(block.norm2, x, at + "ln_2"), at + "up")},
                             {{"approximate", std::string("tanh")}}, at + "gelu");
    return f_.op("Add", {x, dropped(linear(block.down, up, at + "down"), at + "down")}, {}, at + "out");
  }

  const Sizes sizes_;
  const ir::DType dtype_;
  ir::FunctionBuilder f_;
  ValueId wte_{}, wpe_{}, ids_{}, labels_{}, mask_{};
  std::vector<Block> blocks_;
  Affine final_{};
  int64_t dropouts_ = 0;  // so far: the seed of each is its number
};

Model build(const Request& request, const ir::OpTable& ops) {
  const Sizes sizes = read(request);
  if (request.mode == Mode::inference) return gpt_with_cache(request, ops);
  Model model{{}, sizes.sequence};
  model.module.source = "gpt";
  model.module.functions.push_back(Writer(sizes, request.dtype, ops).run());
  return model;
}

}  // namespace

WorkloadDef row() {
  return {
      "gpt",
      "GPT-2 and GPT-3: training from a native program, inference from the ONNX export's graph or, with a phase, from "
      "a native program with a cache of keys and values",
      {{"layers", "transformer blocks (12)"},
       {"hidden", "width (768)"},
       {"heads", "attention heads (12)"},
       {"sequence", "tokens a sample (1024)"},
       {"vocabulary", "tokens in the vocabulary (50257)"},
       dropout_key("training: share of the embeddings, attention probabilities and layer outputs that is dropped (0)"),
       {"caches",
        "inference from the graph: whether it returns the keys and values of every layer, true or false (true)",
        Key::Kind::boolean},
       {"phase", "inference: prefill or decode with a cache of keys and values; without it the ONNX export's graph",
        Key::Kind::word},
       {"context", "decode: tokens in the cache (sequence - 1)"}},
      build};
}

}  // namespace foreflow::workload::definitions::gpt
