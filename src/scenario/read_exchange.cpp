#include "scenario/read.h"

namespace foreflow::scenario {
namespace {

// PyTorch's DistributedDataParallel packs gradients into buckets of 25 MB unless told otherwise.
constexpr Bytes kBucket(25e6);

constexpr int64_t kStages = 3, kMostChunks = 64;

}  // namespace

void read_exchange(const JsonView& json, const Workload& workload, Strategy& strategy) {
  const int64_t zero = json.int_or("zero", 0);
  if (zero < 0 || zero > kStages) json.at("zero").fail(std::to_string(zero) + " is no stage of ZeRO; use 0, 1, 2 or 3");
  if (zero > 0 && workload.mode == workload::Mode::inference)
    json.at("zero").fail(std::to_string(zero) + " splits what training keeps, and this is inference; use 0");
  strategy.zero              = static_cast<int>(zero);
  strategy.overlap_gradients = json.bool_or("overlap_gradients", false);
  strategy.bucket            = zero > 0 || strategy.overlap_gradients ? kBucket : Bytes(0);
  if (json.has("bucket_size")) strategy.bucket = json.at("bucket_size").as_bytes();
  strategy.tensor_chunks = static_cast<int>(positive_or(json, "overlap_tensor", 1, kMostChunks));
}

}  // namespace foreflow::scenario
