// The op Reshard: its reference kernel against the tiles of the reshard module, for random meshes, specs and shapes.
#include <gtest/gtest.h>

#include <numeric>
#include <random>

#include "foreflow/base/nth.h"
#include "foreflow/interpret/concrete.h"
#include "foreflow/ir/builder.h"
#include "foreflow/ir/text.h"
#include "foreflow/ops/table.h"
#include "foreflow/reshard/unit_tasks.h"

namespace foreflow::reshard_op_test {
namespace {

using Ints = std::vector<int64_t>;

constexpr int kPrograms = 400;

struct Side {
  std::vector<int> mesh;
  reshard::Spec spec;
};

int64_t below(std::mt19937_64& random, int64_t n) { return static_cast<int64_t>(random() % static_cast<uint64_t>(n)); }

Side random_side(std::mt19937_64& random, size_t rank) {
  Side side;
  const auto dims = static_cast<size_t>(1 + below(random, 3));
  for (size_t i = 0; i < dims; ++i) side.mesh.push_back(static_cast<int>(1 + below(random, 3)));
  side.spec.split.resize(rank);
  for (size_t i = 0; i < dims; ++i) {
    const auto dim = static_cast<size_t>(below(random, static_cast<int64_t>(rank) + 1));
    if (dim < rank) side.spec.split[dim].push_back(static_cast<int>(i));
  }
  return side;
}

// The numbers of a box of the tensor whose element i is i.
ir::Array numbers(const Ints& shape, const reshard::Box& box) {
  Ints dims, values;
  for (const reshard::Range& range : box) dims.push_back(range.length());
  const int64_t count = reshard::volume(box);
  for (int64_t i = 0; i < count; ++i) {
    int64_t rest = i, value = 0, stride = 1;
    for (size_t dim = dims.size(); dim-- > 0;) {
      value += (box[dim].begin + rest % dims[dim]) * stride;
      rest /= dims[dim];
      stride *= shape[dim];
    }
    values.push_back(value);
  }
  return ir::Array::of_ints(ir::Dims(dims), values);
}

Ints as_ints(const std::vector<int>& numbers) { return {numbers.begin(), numbers.end()}; }

TEST(Reshard, GivesEveryDeviceItsSlice) {
  std::mt19937_64 random(5);
  for (int program = 0; program < kPrograms; ++program) {
    const auto rank   = static_cast<size_t>(1 + below(random, 3));
    const Side source = random_side(random, rank), target = random_side(random, rank);
    Ints shape;
    for (size_t dim = 0; dim < rank; ++dim) {
      const int a = reshard::parts(source.spec, source.mesh)[dim], b = reshard::parts(target.spec, target.mesh)[dim];
      shape.push_back(std::lcm(a, b) * (1 + below(random, 2)));
    }
    const reshard::Mesh from   = reshard::consecutive(source.mesh, 1),
                        to     = reshard::consecutive(target.mesh, 1 + reshard::size(source.mesh));
    const reshard::Tiling have = reshard::tiles(shape, from, source.spec),
                          want = reshard::tiles(shape, to, target.spec);

    ir::FunctionBuilder builder("f", ops::table());
    std::vector<ir::ValueId> operands;
    std::vector<ir::Array> arguments;
    for (size_t i = 0; i < from.devices.size(); ++i) {
      arguments.push_back(numbers(shape, nth(have.tiles, have.tile_of[i]).box));
      operands.push_back(builder.parameter("x" + std::to_string(i), ir::ParameterRole::data,
                                           arguments.back().type(ir::Device(from.devices[i]))));
    }
    const auto results = builder.emit("Reshard", operands,
                                      {{"source_mesh", as_ints(source.mesh)},
                                       {"source_spec", reshard::print(source.spec)},
                                       {"target_mesh", as_ints(target.mesh)},
                                       {"target_spec", reshard::print(target.spec)},
                                       {"to", as_ints(to.devices)}},
                                      to.devices.size());
    ir::Module module;
    module.functions.push_back(builder.finish(results));
    SCOPED_TRACE(ir::print(module));
    module         = ir::parse(ir::print(module), "text", ops::table());
    const auto got = interpret::evaluate(module, 0, arguments);
    ASSERT_EQ(got.size(), to.devices.size());
    for (size_t i = 0; i < got.size(); ++i) {
      const ir::Array expected = numbers(shape, nth(want.tiles, want.tile_of[i]).box);
      ASSERT_EQ(got[i].dims(), expected.dims());
      ASSERT_EQ(got[i].to_ints(), expected.to_ints()) << "device " << i;
    }
  }
}

}  // namespace
}  // namespace foreflow::reshard_op_test
