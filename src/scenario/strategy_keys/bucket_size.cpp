#include <fmt/core.h>

#include "scenario/idle_reasons.h"
#include "scenario/strategy_keys/common.h"

namespace foreflow::scenario::definitions::bucket_size_key {
namespace {

// PyTorch's DistributedDataParallel packs gradients into buckets of 25 MB unless told otherwise.
constexpr Bytes kUsual(25e6);

Bytes usual(const Strategy& strategy) { return strategy.zero > 0 || strategy.overlap_gradients ? kUsual : Bytes(0); }

void read(const JsonView& value, Strategy& strategy) { strategy.bucket = value.as_bytes(); }

std::optional<Refusal> settle(const StrategySource& source, Strategy& strategy) {
  if (!source.has("bucket_size")) strategy.bucket = usual(strategy);
  return std::nullopt;
}

Json write(const Strategy& strategy) {
  return strategy.bucket == usual(strategy) ? Json() : Json(fmt::format("{}B", strategy.bucket.value()));
}

}  // namespace

StrategyKeyDef row() {
  return {.name = "bucket_size",
          .doc =
              "size of a bucket: gradients, in the order in which they are computed, travel together as soon as they "
              "have this many bytes; so do weights",
          .type = types::bytes(),
          .otherwise =
              "\"25MB\" as in PyTorch with `zero` or `overlap_gradients`; else every gradient travels by itself, after "
              "the backward pass",
          .read        = read,
          .settle      = settle,
          .depends_on  = {"bucket_size", "zero", "overlap_gradients"},
          .write       = write,
          .of_replicas = true,
          .idle        = unless_copied};
}

}  // namespace foreflow::scenario::definitions::bucket_size_key
