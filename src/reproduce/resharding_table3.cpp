// Table 3: the end-to-end models, by our own workloads of these sizes, and what crosses between their two stages.
#include "reproduce/choices.h"
#include "reproduce/resharding_models.h"

namespace foreflow::reproduce::definitions::resharding_table3 {
namespace {

using namespace resharding;  // NOLINT(google-build-using-namespace): of this paper

Result run(const Options& options) {
  Result result;
  for (const Model& model : models()) {
    const std::string family = model.name.substr(0, model.name.find(' '));
    const Question asked     = question(options, model.scenario);
    result.rows.push_back(compare_stated(model.name + ": parameters in 1e9",
                                         stated(options, "3", family + ": parameters in 1e9"),
                                         weights_of(asked.source, asked.file) / 1e9));
    Bytes boundary;
    for (const reshard::Tensor& tensor : model.boundary) {
      double elements = 1;
      for (const int64_t extent : tensor.shape) elements *= static_cast<double>(extent);
      boundary += elements * tensor.element;
    }
    result.rows.push_back({model.name + ": MiB between stages, each microbatch", {}, boundary.value() / 0x1p20});
  }
  return result;
}

}  // namespace

ReproductionDef row() {
  return {"resharding_table3", "the models of the end-to-end figures: size, and what crosses between two stages",
          kPaper, run};
}

}  // namespace foreflow::reproduce::definitions::resharding_table3
