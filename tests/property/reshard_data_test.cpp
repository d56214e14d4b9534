// Proof of data movement: plans of random tasks are executed on sets of elements. A device may only send what it has,
// and in the end every device of the target mesh has exactly its slice besides what it had before.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "foreflow/base/nth.h"
#include "foreflow/reshard/strategy.h"

namespace foreflow::reshard::data_test {
namespace {

using Elements = std::set<int64_t>;

// The row-major numbers of the elements of a box.
Elements elements(const Box& box, const std::vector<int64_t>& shape) {
  std::vector<int64_t> numbers = {0};
  for (size_t dim = 0; dim < box.size(); ++dim) {
    std::vector<int64_t> next;
    for (const int64_t number : numbers) {
      for (int64_t i = box[dim].begin; i < box[dim].end; ++i) next.push_back(number * shape[dim] + i);
    }
    numbers = std::move(next);
  }
  return {numbers.begin(), numbers.end()};
}

// What each device has, by move and device.
using State = std::map<std::pair<int, int>, Elements>;

// Whole slices of a tiling, computed from the definition element by element and not from `tiles`.
Elements slice(const Layout& layout, const std::vector<int64_t>& shape, size_t position) {
  std::vector<int> coordinate(layout.mesh.shape.size());
  for (size_t axis = coordinate.size(), rest = position; axis-- > 0;) {
    coordinate[axis] = static_cast<int>(rest % static_cast<size_t>(layout.mesh.shape[axis]));
    rest /= static_cast<size_t>(layout.mesh.shape[axis]);
  }
  Elements result;
  int64_t all = 1;
  for (const int64_t extent : shape) all *= extent;
  for (int64_t number = 0; number < all; ++number) {
    bool own     = true;
    int64_t rest = number;
    for (size_t dim = shape.size(); dim-- > 0;) {
      const int64_t index = rest % shape[dim];
      rest /= shape[dim];
      int64_t parts = 1, part = 0;
      for (const int axis : layout.spec.split[dim]) {
        parts *= nth(layout.mesh.shape, axis);
        part = part * nth(layout.mesh.shape, axis) + nth(coordinate, axis);
      }
      own = own && index / ((shape[dim] + parts - 1) / parts) == part;
    }
    if (own) result.insert(number);
  }
  return result;
}

bool has_all(const Elements& set, const Elements& part) {
  return std::includes(set.begin(), set.end(), part.begin(), part.end());
}

// Executes a job. False: a device sends what it does not have.
bool execute(const Job& job, const std::vector<Move>& moves, State& state) {
  const auto& shape = nth(moves, job.move).tensor.shape;
  const bool gather = job.kind == collective::Kind::all_gather;
  Elements moved;
  for (size_t rank = 0; rank < (gather ? job.devices.size() : 1); ++rank) {
    const Elements part = elements(job.boxes[rank], shape);
    if (!has_all(state[{job.move, job.devices[rank]}], part)) return false;
    moved.insert(part.begin(), part.end());
  }
  for (const int device : job.devices) state[{job.move, device}].insert(moved.begin(), moved.end());
  return true;
}

int between(std::mt19937_64& rng, int first, int last) {
  return first + static_cast<int>(rng() % static_cast<uint64_t>(last - first + 1));
}

std::vector<int> random_mesh(std::mt19937_64& rng) {
  std::vector<int> shape(static_cast<size_t>(between(rng, 1, 3)));
  for (int& extent : shape) extent = between(rng, 1, shape.size() > 2 ? 2 : 4);
  return shape;
}

// Each mesh dimension goes to a random dimension of the tensor, or to none.
Spec random_spec(std::mt19937_64& rng, size_t mesh_rank, size_t rank) {
  Spec spec{std::vector<std::vector<int>>(rank)};
  std::vector<int> axes(mesh_rank);
  for (size_t i = 0; i < mesh_rank; ++i) axes[i] = static_cast<int>(i);
  for (size_t i = mesh_rank; i > 1; --i) std::swap(axes[i - 1], axes[rng() % i]);
  for (const int axis : axes) {
    const auto dim = static_cast<size_t>(between(rng, 0, static_cast<int>(rank)));
    if (dim < rank) spec.split[dim].push_back(axis);
  }
  return spec;
}

// Meshes are disjoint, or share devices.
std::vector<Move> random_moves(std::mt19937_64& rng) {
  std::vector<Move> moves;
  for (int i = between(rng, 1, 2); i > 0; --i) {
    Move move;
    const int rank = between(rng, 1, 5);
    for (int dim = 0; dim < rank; ++dim) move.tensor.shape.push_back(between(rng, 1, rank > 3 ? 4 : 7));
    move.tensor.element = Bytes(4);
    const auto src = random_mesh(rng), dst = random_mesh(rng);
    const int devices = size(src);
    move.from         = {consecutive(src, 0), random_spec(rng, src.size(), move.tensor.shape.size())};
    move.to           = {consecutive(dst, between(rng, 0, 3) == 0 ? between(rng, 0, devices) : devices),
                         random_spec(rng, dst.size(), move.tensor.shape.size())};
    moves.push_back(std::move(move));
  }
  return moves;
}

Ports random_ports(std::mt19937_64& rng, const std::vector<Move>& moves) {
  const int host_size = between(rng, 1, 4);
  std::map<int, int> host_of;
  for (const Move& move : moves) {
    for (const auto* layout : {&move.from, &move.to}) {
      for (const int device : layout->mesh.devices) host_of.emplace(device, device / host_size);
    }
  }
  Ports ports = uniform_ports(host_of, BytesPerSecond(1));
  for (Port& port : ports.ports)
    port.out = BytesPerSecond(between(rng, 1, 4)), port.in = BytesPerSecond(between(rng, 1, 4));
  return ports;
}

// Empty: every device ends with exactly its slices.
std::string fault(const Plan& plan, const std::vector<Move>& moves) {
  State state, wanted;
  for (size_t i = 0; i < moves.size(); ++i) {
    const Move& move = moves[i];
    for (size_t position = 0; position < move.from.mesh.devices.size(); ++position) {
      const std::pair key(static_cast<int>(i), move.from.mesh.devices[position]);
      wanted[key] = state[key] = slice(move.from, move.tensor.shape, position);
    }
    for (size_t position = 0; position < move.to.mesh.devices.size(); ++position) {
      const Elements own = slice(move.to, move.tensor.shape, position);
      wanted[{static_cast<int>(i), move.to.mesh.devices[position]}].insert(own.begin(), own.end());
    }
  }
  for (size_t i = 0; i < plan.jobs.size(); ++i) {
    if (!execute(plan.jobs[i], moves, state)) return "job " + std::to_string(i) + " sends what the device lacks";
    for (const Wait& wait : plan.jobs[i].waits) {
      if (wait.job >= static_cast<int>(i)) return "job " + std::to_string(i) + " waits for a later one";
    }
  }
  for (const auto& [key, elements] : wanted) {
    if (state[key] != elements) return "device " + std::to_string(key.second) + " ends with something else";
  }
  return "";
}

class EveryStrategy : public testing::TestWithParam<std::string> {};

TEST_P(EveryStrategy, BringsEveryDeviceExactlyItsSlice) {
  const StrategyDef& strategy = strategies().get(GetParam(), "test");
  std::mt19937_64 rng(20261125);
  for (int i = 0; i < 10'000; ++i) {
    const auto moves = random_moves(rng);
    for (const Move& move : moves) check(move, "random move");
    PlanOptions options{.chunks = 0, .seed = rng(), .node_budget = 50};
    options.balance     = &*std::next(balances().begin(), between(rng, 0, 5));
    const Ports ports   = random_ports(rng, moves);
    const Plan plan     = strategy.plan(unit_tasks(moves), ports, options);
    const std::string f = fault(plan, moves);
    ASSERT_EQ(f, "") << "task " << i << ": " << print(moves.front().from.spec) << " -> "
                     << print(moves.front().to.spec);
  }
}

std::vector<std::string> names() { return strategies().names(); }
INSTANTIATE_TEST_SUITE_P(Reshard, EveryStrategy, testing::ValuesIn(names()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace foreflow::reshard::data_test
