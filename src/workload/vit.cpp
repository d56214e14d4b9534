#include "workload/encoder.h"
#include "workload/images.h"
#include "workload/layers.h"
#include "workload/sizes.h"

namespace foreflow::workload::definitions::vit {
namespace {

constexpr double kEpsilon = 1e-6;

struct Sizes {
  int64_t layers, hidden, feed_forward, image, patch, channels, classes, batch;
  Heads heads;
  double dropout;

  int64_t along() const { return image / patch; }
  int64_t tokens() const { return along() * along() + 1; }
};

const std::vector<Key>& keys() {
  static const std::vector<Key> rows = {
      {"layers", "transformer blocks", 12},
      {"hidden", "width", 768},
      {"heads", "attention heads", 12},
      {"feed_forward", "inner width of the MLP", Derived{"4 hidden", four_hidden}},
      {"image", "rows and columns of the image", 224},
      {"patch", "rows and columns of a patch, a divisor of image", 16},
      {"channels", "of the image", 3},
      {"classes", "that are told apart", 1000},
      dropout_key("training: share of the embeddings, the inner numbers of the MLP and the outputs of both halves "
                  "of a block that is dropped")};
  return rows;
}

Sizes read(const Request& request) {
  const KeyValues& stated = request.sizes;
  const FilledValues values(keys(), stated);
  const int64_t hidden = positive(values, "hidden"), heads = positive(values, "heads");
  const int64_t image = positive(values, "image"), patch = positive(values, "patch");
  if (image % patch != 0) {
    stated.fail("patch", std::to_string(patch) + " does not divide the image's " + std::to_string(image) +
                             " rows; use a divisor");
  }
  return {.layers       = positive(values, "layers", kMostLayers),
          .hidden       = hidden,
          .feed_forward = positive(values, "feed_forward"),
          .image        = image,
          .patch        = patch,
          .channels     = positive(values, "channels"),
          .classes      = positive(values, "classes"),
          .batch        = request.batch,
          .heads        = {heads, heads, head_size(values, hidden, heads)},
          .dropout      = read_dropout(values, request.mode)};
}

// ViT (Dosovitskiy et al., 2021): an image as patches, a token for its class before them, pre-norm encoder.
// Letters: b batch, p patches, s = p + 1 tokens, h hidden, a heads, d = h/a, f feed-forward, c classes.
class VitWriter {
 public:
  VitWriter(const Sizes& sizes, const Request& request, const ir::OpTable& ops)
      : sizes_(sizes), net_("vit", request.dtype, ops), dropped_(sizes.dropout), none_(0) {}

  ir::Module training() {
    const Value logits = classes();
    return net_.finish({cross_entropy(net_, logits, net_.integers("labels", {sizes_.batch}), sizes_.batch)});
  }

  ir::Module inference() { return net_.finish({classes()}); }

 private:
  Value norm(const std::string& name, Value x) { return layer_norm(net_, name, x, sizes_.hidden, kEpsilon); }

  // [b,c]
  Value classes() {
    Value x = tokens();
    for (int64_t i = 0; i < sizes_.layers; ++i) x = block("encoder." + std::to_string(i) + ".", x);
    const Value first =
        net_.op("Gather", {norm("norm", x), net_.constant(ir::Array::scalar(int64_t{0}))}, {{"axis", int64_t{1}}});
    return linear(net_, "head", first, sizes_.hidden, sizes_.classes);
  }

  // Both the token of the class and the patches are padded to all tokens and added, so that samples stay apart.
  Value tokens() {
    const int64_t h = sizes_.hidden, p = sizes_.tokens() - 1;
    const Value image   = net_.data("image", {sizes_.batch, sizes_.channels, sizes_.image, sizes_.image});
    const Value weight  = net_.weight("patches.weight", {h, sizes_.channels, sizes_.patch, sizes_.patch});
    const Value patches = net_.op("Conv", {image, weight, net_.weight("patches.bias", {h})},
                                  {{"kernel_shape", std::vector<int64_t>{sizes_.patch, sizes_.patch}},
                                   {"strides", std::vector<int64_t>{sizes_.patch, sizes_.patch}}});
    const Value rows    = net_.permuted(net_.view(patches, {0, h, p}), {0, 2, 1});  // [b,p,h]
    const Value after   = net_.op("Pad", {rows}, {{"pads", std::vector<int64_t>{0, 1, 0, 0, 0, 0}}});
    const Value first   = net_.op("Pad", {net_.weight("class", {1, h})}, {{"pads", std::vector<int64_t>{0, 0, p, 0}}});
    const Value place   = net_.op("Add", {net_.weight("positions", {p + 1, h}), first});
    return dropped_(net_, net_.op("Add", {after, place}, {}, "embedded"));
  }

  // Its authors drop no attention weights, and the inner numbers of the MLP too.
  Value block(const std::string& name, Value x) {
    const int64_t h = sizes_.hidden, f = sizes_.feed_forward;
    const Value own   = norm(name + "norm_1", x);
    const Value mixed = encoder_attention(net_, name + "attention.", own, sizes_.heads, sizes_.tokens(), none_);
    x                 = net_.op("Add", {x, dropped_(net_, mixed)});
    const Value y     = norm(name + "norm_2", x);
    const Value up    = dropped_(net_, gelu(net_, linear(net_, name + "up", y, h, f), "none"));
    return net_.op("Add", {x, dropped_(net_, linear(net_, name + "down", up, f, h))});
  }

  const Sizes sizes_;
  Network net_;
  Dropout dropped_, none_;
};

Model build(const Request& request, const ir::OpTable& ops) {
  VitWriter writer(read(request), request, ops);
  return {request.mode == Mode::training ? writer.training() : writer.inference(), 0};
}

}  // namespace

WorkloadDef row() {
  return {"vit", "ViT: an encoder over patches of an image", keys(), build, {.has_sequence = false}};
}

}  // namespace foreflow::workload::definitions::vit
