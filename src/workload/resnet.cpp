#include <algorithm>
#include <array>

#include "workload/images.h"
#include "workload/layers.h"
#include "workload/sizes.h"

namespace foreflow::workload::definitions::resnet {
namespace {

using Stages = std::array<int64_t, 4>;  // bottlenecks of each

struct Depth {
  int64_t layers;
  Stages stages;
};
// He et al., 2016, table 1; the two shortest have as many bottlenecks as their numbers of layers allow.
constexpr std::array kDepths = {Depth{14, {1, 1, 1, 1}}, Depth{26, {2, 2, 2, 2}}, Depth{50, {3, 4, 6, 3}},
                                Depth{101, {3, 4, 23, 3}}, Depth{152, {3, 8, 36, 3}}};

enum class Norm : uint8_t { running, batch, group };

struct Sizes {
  Stages stages;
  int64_t width, image, classes, batch;
  Norm norm;
};

const std::vector<Key>& keys() {
  static const std::vector<Key> rows = {
      {"depth", "layers: 14, 26, 50, 101 or 152", 50},
      {"width", "channels of the first layer", 64},
      {"image", "rows and columns of the image", 224},
      {"classes", "that are told apart", 1000},
      {"normalization",
       "by running statistics, which a batch may be split under; by those of the batch, on one device without "
       "microbatches; or by groups of channels: running, batch or group",
       "running", Key::Kind::word}};
  return rows;
}

Stages read_stages(const FilledValues& values) {
  const int64_t layers = positive(values, "depth");
  const auto row =
      std::find_if(kDepths.begin(), kDepths.end(), [&](const Depth& depth) { return depth.layers == layers; });
  if (row == kDepths.end())
    values.stated().fail("depth", std::to_string(layers) + " layers have no plan; use 14, 26, 50, 101 or 152");
  return row->stages;
}

Norm read_norm(const FilledValues& values) {
  const std::string word = values.word("normalization");
  if (word == "running") return Norm::running;
  if (word == "batch") return Norm::batch;
  if (word == "group") return Norm::group;
  values.stated().fail("normalization", "unknown normalization \"" + word + "\"; use running, batch or group");
}

Sizes read(const Request& request) {
  const FilledValues values(keys(), request.sizes);
  return {read_stages(values), positive(values, "width"), positive(values, "image"), positive(values, "classes"),
          request.batch,       read_norm(values)};
}

// ResNet with bottlenecks (He et al., 2016) that stride in their 3x3 convolution, as torchvision's do.
class ResnetWriter {
 public:
  ResnetWriter(const Sizes& sizes, const Request& request, const ir::OpTable& ops)
      : sizes_(sizes), net_("resnet", request.dtype, ops) {}

  ir::Module training() {
    const Value logits = classes();
    return net_.finish({cross_entropy(net_, logits, net_.integers("labels", {sizes_.batch}), sizes_.batch)});
  }

  ir::Module inference() { return net_.finish({classes()}); }

 private:
  Image normalised(const std::string& name, const Image& image) {
    if (sizes_.norm == Norm::group) return group_norm(net_, name, image);
    return batch_norm(net_, name, image, sizes_.norm == Norm::batch ? Statistics::batch : Statistics::running);
  }

  Image block(const std::string& name, const std::string& number, const Image& x, int64_t out, Kernel kernel) {
    return normalised(name + "norm" + number, convolution(net_, name + "conv" + number, x, out, kernel));
  }

  // [b,classes]
  Value classes() {
    const Image image{net_.data("image", {sizes_.batch, 3, sizes_.image, sizes_.image}), 3, sizes_.image};
    Image x       = pooled(each(net_, "Relu", block("", "1", image, sizes_.width, {7, 2})));
    int64_t width = sizes_.width;
    for (size_t stage = 0; stage < sizes_.stages.size(); ++stage, width *= 2) {
      for (int64_t i = 0; i < sizes_.stages[stage]; ++i) {
        const std::string name = "layer" + std::to_string(stage + 1) + "." + std::to_string(i) + ".";
        x                      = bottleneck(name, x, width, stage > 0 && i == 0 ? 2 : 1);
      }
    }
    const Value flat = net_.view(net_.op("GlobalAveragePool", {x.value}), {0, x.channels});
    return linear(net_, "fc", flat, x.channels, sizes_.classes);
  }

  Image pooled(const Image& x) {
    const Value value = net_.op("MaxPool", {x.value},
                                {{"kernel_shape", std::vector<int64_t>{3, 3}},
                                 {"pads", std::vector<int64_t>{1, 1, 1, 1}},
                                 {"strides", std::vector<int64_t>{2, 2}}});
    return {value, x.channels, (x.size - 1) / 2 + 1};
  }

  Image bottleneck(const std::string& name, const Image& x, int64_t width, int64_t stride) {
    const int64_t out     = 4 * width;
    Image y               = each(net_, "Relu", block(name, "1", x, width, {1}));
    y                     = each(net_, "Relu", block(name, "2", y, width, {3, stride}));
    y                     = block(name, "3", y, out, {1});
    const bool same       = x.channels == out && stride == 1;
    const Image short_cut = same ? x : block(name + "downsample.", "", x, out, {1, stride});
    return {net_.op("Relu", {net_.op("Add", {y.value, short_cut.value})}), out, y.size};
  }

  const Sizes sizes_;
  Network net_;
};

Model build(const Request& request, const ir::OpTable& ops) {
  ResnetWriter writer(read(request), request, ops);
  return {request.mode == Mode::training ? writer.training() : writer.inference(), 0};
}

}  // namespace

WorkloadDef row() {
  return {"resnet", "ResNet with bottlenecks", keys(), build, {.is_transformer = false, .has_sequence = false}};
}

}  // namespace foreflow::workload::definitions::resnet
