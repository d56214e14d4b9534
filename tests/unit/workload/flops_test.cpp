// The arithmetic of one forward pass against closed forms and published counts. What is no product (norms, softmax,
// activations) is in our numbers and not in those: less than 1 %.
#include "foreflow/interpret/flops.h"

#include <gtest/gtest.h>

#include "foreflow/ops/table.h"
#include "foreflow/workload/preset.h"

namespace foreflow::workload::flops_test {
namespace {

constexpr int64_t kBatch = 2;

double forward(const std::string& sizes) {
  const Json json   = with_preset(parse_json(sizes, "sizes"));
  const auto& model = find_model(*json.find("model")->if_string(), "test");
  const Request request{read_key_values(JsonView(json, "test"), model.keys), kBatch, ir::DType::f16, Mode::training};
  const ir::Module module = model.build(request, ops::table()).module;
  return interpret::total_flops(module, interpret::interpret_mixed(module, 0)).value() / static_cast<double>(kBatch);
}

// Narayanan et al., 2021, of a forward pass of one sample: 24 s l h^2 (1 + s/(6h) + V/(12 l h)).
double transformer(double l, double h, double s, double v) {
  return 24 * s * l * h * h * (1 + s / (6 * h) + v / (12 * l * h));
}

TEST(ForwardFlops, OfGptAreTheClosedForm) {
  EXPECT_NEAR(forward(R"({"model": "gpt3-175b"})") / transformer(96, 12288, 2048, 50257), 1, 0.01);
  EXPECT_NEAR(forward(R"({"model": "megatron-18b"})") / transformer(40, 6144, 2048, 51200), 1, 0.01);
  EXPECT_NEAR(forward(R"({"model": "gpt3-1.3b"})") / transformer(24, 2048, 2048, 50257), 1, 0.01);
}

// The head adds a product of h x h for every token, the pooler one a sample.
TEST(ForwardFlops, OfBertAreTheClosedForm) {
  const double h = 1024, s = 512, head = 2 * s * h * h + 2 * h * h;
  EXPECT_NEAR(forward(R"({"model": "bert-large"})") / (transformer(24, h, s, 30522) + head), 1, 0.01);
}

// Per token: projections of h to all heads and back, to the n heads of keys and values, three of the gated MLP, and
// scores and sums over s tokens.
double gated(double l, double h, double kv, double f, double s, double v) {
  return s * (l * (2 * (2 * h * h + 2 * h * kv + 3 * h * f) + 4 * s * h) + 2 * h * v);
}

TEST(ForwardFlops, OfLlamaAreTheClosedForm) {
  EXPECT_NEAR(forward(R"({"model": "llama3-70b"})") / gated(80, 8192, 8 * 128, 28672, 8192, 128256), 1, 0.01);
  EXPECT_NEAR(forward(R"({"model": "llama2-7b"})") / gated(32, 4096, 4096, 11008, 4096, 32000), 1, 0.01);
}

// An encoder layer has 4 projections, a decoder layer 8; width of all heads i, s tokens read, t written.
TEST(ForwardFlops, OfT5AreTheClosedForm) {
  const double l = 24, h = 1024, i = 128 * 128, f = 65536, s = 512, t = 128, v = 32128;
  const double encoder = s * (2 * (4 * h * i + 2 * h * f) + 4 * s * i);
  const double decoder = t * (2 * (6 * h * i + 2 * h * f) + 4 * t * i + 4 * s * i) + s * 2 * 2 * h * i;
  EXPECT_NEAR(forward(R"({"model": "t5-11b", "target_sequence": 128})") / (l * (encoder + decoder) + 2 * t * h * v), 1,
              0.01);
}

struct Published {
  std::string model;
  double products;  // multiply-accumulates of one image
};

// torchvision 0.13, "GFLOPS" of the weights' tables (which count a multiplication and an addition as one).
TEST(ForwardFlops, OfImageModelsAreThePublishedOnes) {
  for (const Published& row :
       {Published{"resnet50", 4.089e9}, Published{"resnet101", 7.801e9}, Published{"resnet152", 11.514e9},
        Published{"vit-base", 17.564e9}, Published{"vit-large", 61.555e9}, Published{"vit-huge", 167.295e9}}) {
    EXPECT_NEAR(forward(R"({"model": ")" + row.model + R"("})") / (2 * row.products), 1, 0.01) << row.model;
  }
}

}  // namespace
}  // namespace foreflow::workload::flops_test
