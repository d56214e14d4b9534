#include "ops/communication/mesh_layout.h"

#include <map>

#include "foreflow/ir/countable.h"

namespace foreflow::ops {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// "S^{01}R" -> {"S01", "R"}.
std::vector<std::string> letters_of(const std::string& spec) {
  std::vector<std::string> letters;
  for (const char c : spec) {
    if (c == '^' || c == '{' || c == '}') continue;
    if (is_digit(c) && !letters.empty()) {
      letters.back() += c;
    } else {
      letters.emplace_back(1, c);
    }
  }
  return letters;
}

}  // namespace

MeshLayout::MeshLayout(const OpCall& call, const std::string& name, size_t rank)
    : mesh_(call.attributes.get_ints(name + "_mesh")) {
  constexpr int64_t kMostDevices = 1 << 20;
  for (const int64_t length : mesh_) {
    if (length < 1 || static_cast<int64_t>(devices_) * length > kMostDevices)
      call.fail(name + "_mesh has a length of " + std::to_string(length) + "; numbers from 1 on would be right");
    devices_ *= static_cast<size_t>(length);
  }
  const std::string spec = call.attributes.string_or(name + "_spec", "");
  std::vector<bool> used(mesh_.size());
  for (const std::string& letter : letters_of(spec)) {
    split_.emplace_back();
    const bool whole = letter == "R", cut = letter.size() > 1 && letter[0] == 'S';
    if (!whole && !cut)
      call.fail(name + "_spec is \"" + spec +
                "\"; R, or S with numbers of mesh dimensions, would be right for each "
                "dimension, as in \"S0R\"");
    for (const char c : letter.substr(1)) {
      const auto dim = static_cast<size_t>(c - '0');
      if (dim >= mesh_.size() || used[dim])
        call.fail(name + "_spec is \"" + spec + "\"; each of the " + std::to_string(mesh_.size()) +
                  " dimensions of the mesh may be there once");
      used[dim] = true;
      split_.back().push_back(dim);
    }
  }
  if (split_.size() != rank)
    call.fail(name + "_spec is \"" + spec + "\"; " + std::to_string(rank) +
              " letters would be right, one for each dimension");
}

int64_t MeshLayout::parts(size_t dim) const {
  int64_t parts = 1;
  for (const size_t mesh_dim : split_[dim]) parts *= mesh_[mesh_dim];
  return parts;
}

size_t MeshLayout::replicas() const {
  size_t distinct = 1;
  for (size_t dim = 0; dim < split_.size(); ++dim) distinct *= static_cast<size_t>(parts(dim));
  return devices_ / distinct;
}

int64_t MeshLayout::part_of(size_t device, size_t dim) const {
  std::vector<int64_t> at(mesh_.size());
  auto rest = static_cast<int64_t>(device);
  for (size_t i = mesh_.size(); i-- > 0;) {
    at[i] = rest % mesh_[i];
    rest /= mesh_[i];
  }
  int64_t part = 0;
  for (const size_t mesh_dim : split_[dim]) part = part * mesh_[mesh_dim] + at[mesh_dim];
  return part;
}

Dims MeshLayout::whole(const OpCall&, Dims part) const {
  for (size_t dim = 0; dim < part.size(); ++dim) {
    if (part[dim] != Dims::kUnknown) part[dim] = ir::clamped_product(part[dim], parts(dim));
  }
  return part;
}

Dims MeshLayout::part(const OpCall& call, Dims whole) const {
  for (size_t dim = 0; dim < whole.size(); ++dim) {
    if (whole[dim] == Dims::kUnknown) continue;
    if (whole[dim] % parts(dim) != 0)
      call.fail("dimension " + std::to_string(dim) + " of " + to_string(whole) + " should be a multiple of its " +
                std::to_string(parts(dim)) + " parts");
    whole[dim] /= parts(dim);
  }
  return whole;
}

std::vector<std::vector<size_t>> MeshLayout::holders(size_t rank) const {
  std::map<std::vector<int64_t>, std::vector<size_t>> by_part;
  for (size_t device = 0; device < devices_; ++device) {
    std::vector<int64_t> part(rank);
    for (size_t dim = 0; dim < rank; ++dim) part[dim] = part_of(device, dim);
    by_part[part].push_back(device);
  }
  std::vector<std::vector<size_t>> all;
  all.reserve(by_part.size());
  for (auto& [part, devices] : by_part) all.push_back(std::move(devices));
  return all;
}

}  // namespace foreflow::ops
