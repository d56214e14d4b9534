#include "foreflow/ir/attribute_keys.h"

#include <array>

namespace foreflow::ir {
namespace {

constexpr std::array<std::string_view, 2> kNumbersOfSegments = {"recompute", "segment"};

}  // namespace

uint64_t AttributeKeys::of(const AttributesRef& attributes) {
  const auto [found, fresh] = known_.try_emplace(attributes.get(), attributes.get());
  for (const std::string_view name : kNumbersOfSegments) {
    if (!fresh || attributes->find(name) == nullptr) continue;
    Attributes same = *attributes;
    same.set(std::string(name), int64_t{0});
    const AttributesRef shared = unnumbered_(std::move(same));
    if (shared.use_count() > 1) found->second = shared.get();  // else the table does not keep it: it is too large
    break;                                                     // an op has one of the two
  }
  return reinterpret_cast<uint64_t>(found->second);
}

}  // namespace foreflow::ir
