#include <cmath>

#include "foreflow/base/error.h"
#include "workload/images.h"
#include "workload/layers.h"
#include "workload/sizes.h"
#include "workload/spatial_transformer.h"

namespace foreflow::workload::definitions::unet {
namespace {

constexpr int64_t kMostBlocks = 16;

struct Sizes {
  int64_t blocks, width, image, channels, targets, heads, groups, context, batch;

  // Channels of a block: they double, except at the last, which does not halve its image either.
  int64_t width_of(int64_t block) const { return width << std::min(block, blocks - 2); }
  int64_t widest() const { return width_of(blocks - 1); }
};

// Rows times columns where the image is smallest; 0 where the sizes are not legal.
int64_t context_of_smallest(const FilledValues& values) {
  const int64_t blocks = values.size("blocks");
  if (blocks == 0 || blocks > kMostBlocks) return 0;
  const int64_t smallest = values.size("image") >> (blocks - 1);
  return smallest * smallest;
}

const std::vector<Key>& keys() {
  static const std::vector<Key> rows = {
      {"blocks", "on each side", 4},
      {"width", "channels of the first block; those of the next ones double", 320},
      {"image", "rows and columns of the image", 32},
      {"channels", "of the image", 3},
      {"target_channels", "of the prediction", 4},
      {"heads", "attention heads", 8},
      {"groups", "of the normalisations", 4},
      {"context", "tokens that are attended to", Derived{"those of the smallest image", context_of_smallest}}};
  return rows;
}

Sizes read(const Request& request) {
  const KeyValues& stated = request.sizes;
  const FilledValues values(keys(), stated);
  const int64_t blocks = positive(values, "blocks", kMostBlocks), image = positive(values, "image");
  const int64_t width = positive(values, "width"), heads = positive(values, "heads");
  if (blocks < 2) stated.fail("blocks", "1 block has no skip connection; use 2 or more");
  const int64_t halvings = int64_t{1} << (blocks - 1);
  if (image % halvings != 0) {
    stated.fail("image", std::to_string(image) + " rows cannot be halved " + std::to_string(blocks - 1) +
                             " times; use a multiple of " + std::to_string(halvings));
  }
  if (width % 2 != 0 || width % heads != 0) {
    stated.fail("width",
                std::to_string(width) + " channels are odd or no multiple of the " + std::to_string(heads) + " heads");
  }
  return {.blocks   = blocks,
          .width    = width,
          .image    = image,
          .channels = positive(values, "channels"),
          .targets  = positive(values, "target_channels"),
          .heads    = heads,
          .groups   = positive(values, "groups"),
          .context  = positive(values, "context"),
          .batch    = request.batch};
}

// The U-Transformer of "On Optimizing the Communication of Model Parallelism" (Zhuang et al., 2023, table 3), as its
// artifact builds it: a U-Net of diffusion models (Rombach et al., 2022) with one residual layer a block, and attention
// after it to itself and to a context, in all blocks but the innermost ones of both sides that neither halve nor
// double.
//
//   image ---- conv in ------------------------------------------ res, res ---- conv out
//                 block 0 -------------------------------- block 2
//                        block 1 ------------------ block 1
//                               block 2 --- block 0
//                                     block 3, middle
//
// Letters: b batch, c channels, y rows, x columns, t tokens of the context, e width of the embedded time.
class UnetWriter {
 public:
  UnetWriter(const Sizes& sizes, const Request& request, const ir::OpTable& ops)
      : sizes_(sizes), net_("unet", request.dtype, ops) {}

  ir::Module training() {
    const Image y      = denoised();
    const Value target = net_.data("target", {sizes_.batch, y.channels, y.size, y.size});
    return net_.finish({net_.op("Loss", {y.value, target}, {{"count", sizes_.batch}}, "loss")});
  }

  ir::Module inference() { return net_.finish({denoised().value}); }

 private:
  Image denoised() {
    const Image noisy{net_.data("image", {sizes_.batch, sizes_.channels, sizes_.image, sizes_.image}), sizes_.channels,
                      sizes_.image};
    time_    = embedded_time();
    context_ = net_.data("context", {sizes_.batch, sizes_.context, sizes_.widest()});
    Image x  = biased_convolution(net_, "conv_in", noisy, sizes_.width, {3});
    skips_   = {x};
    for (int64_t i = 0; i < sizes_.blocks; ++i) x = down("down." + std::to_string(i) + ".", x, i);
    x = residual("middle.0.", x, x.channels);
    x = residual("middle.1.", attended("middle.", x), x.channels);
    for (int64_t i = 0; i < sizes_.blocks; ++i) x = up("up." + std::to_string(i) + ".", x, i);
    x = activated("norm_out", x);
    return biased_convolution(net_, "conv_out", x, sizes_.targets, {3});
  }

  // Sines and cosines of the data `steps`[b], through two layers: [b,e]
  Value embedded_time() {
    const int64_t half = sizes_.width / 2, wide = 4 * sizes_.width;
    std::vector<float> speeds;
    for (int64_t i = 0; i < half; ++i) {
      speeds.push_back(static_cast<float>(std::pow(10000.0, -static_cast<double>(i) / static_cast<double>(half))));
    }
    const auto cast = [&](Value x, ir::DType dtype) {
      return net_.op("Cast", {x}, {{"to", std::string(ir::name(dtype))}});
    };
    const Value steps = cast(net_.view(net_.integers("steps", {sizes_.batch}), {-1, 1}), ir::DType::f32);
    const Value angle = net_.op("Mul", {steps, net_.constant(ir::Array::of_floats({half}, speeds))});
    const Value waves = net_.op("Concat", {net_.op("Cos", {angle}), net_.op("Sin", {angle})}, {{"axis", int64_t{1}}});
    const Value inner = linear(net_, "time.0", cast(waves, net_.dtype()), sizes_.width, wide);
    return linear(net_, "time.1", silu(net_, inner), wide, wide);
  }

  Image activated(const std::string& name, const Image& x) {
    const Image y = group_norm(net_, name, x, sizes_.groups);
    return {silu(net_, y.value), y.channels, y.size};
  }

  Image residual(const std::string& name, const Image& x, int64_t out) {
    Image y          = biased_convolution(net_, name + "conv_1", activated(name + "norm_1", x), out, {3});
    const Value time = linear(net_, name + "time", silu(net_, time_), 4 * sizes_.width, out);
    y.value          = net_.op("Add", {y.value, net_.view(time, {0, out, 1, 1})});
    y                = biased_convolution(net_, name + "conv_2", activated(name + "norm_2", y), out, {3});
    const Image same = x.channels == out ? x : biased_convolution(net_, name + "shortcut", x, out, {1});
    return {net_.op("Add", {y.value, same.value}), out, y.size};
  }

  Image attended(const std::string& name, const Image& x) {
    const Context context{context_, sizes_.context, sizes_.widest()};
    return spatial_transformer(net_, name + "attention.", x, sizes_.heads, context);
  }

  Image kept(const Image& x) {
    skips_.push_back(x);
    return x;
  }

  Image down(const std::string& name, const Image& x, int64_t i) {
    const Image y = residual(name, x, sizes_.width_of(i));
    if (i == sizes_.blocks - 1) return kept(y);
    const Image z = kept(attended(name, y));
    return kept(biased_convolution(net_, name + "down", z, z.channels, {3, 2}));
  }

  Image joined(const Image& x) {
    const Image skip = skips_.back();
    skips_.pop_back();
    return {net_.op("Concat", {x.value, skip.value}, {{"axis", int64_t{1}}}), x.channels + skip.channels, x.size};
  }

  Image up(const std::string& name, const Image& x, int64_t i) {
    const bool last   = i == sizes_.blocks - 1;
    const int64_t out = sizes_.width_of(sizes_.blocks - 1 - i);
    if (last) return residual(name + "1.", joined(residual(name + "0.", joined(x), out)), out);
    const Image y = attended(name, residual(name, joined(x), out));
    skips_.pop_back();  // the halved image of the block, which only the way down uses
    const Value doubled =
        net_.op("Resize", {y.value}, {{"mode", std::string("nearest")}, {"scales", std::vector<double>{1, 1, 2, 2}}});
    return biased_convolution(net_, name + "up", {doubled, y.channels, 2 * y.size}, out, {3});
  }

  const Sizes sizes_;
  Network net_;
  Value time_{}, context_{};
  std::vector<Image> skips_;
};

Model build(const Request& request, const ir::OpTable& ops) {
  UnetWriter writer(read(request), request, ops);
  return {request.mode == Mode::training ? writer.training() : writer.inference(), 0};
}

}  // namespace

WorkloadDef row() {
  return {"unet",
          "U-Transformer: a U-Net with attention and long skip connections that predicts the noise of an image",
          keys(),
          build,
          {.is_transformer = false, .has_sequence = false}};
}

}  // namespace foreflow::workload::definitions::unet
