// The baseline of the paper: receivers of one tile share the work of receiving it and then gather it. The tile is cut
// along its dimensions in order, each by the greatest common divisor of its length and of the replicas that are left;
// replicas beyond the parts receive the same parts again (`_rewrite_allgather_spec` of the public code). Parts go to
// consecutive devices in order: with 6 replicas and 2 parts, devices 0 to 2 have part 0, and 0 gathers with 3.
//
//   3 replicas of 1024 x 8: gcd(3, 1024) = gcd(3, 8) = 1, so each receives the whole tile
#include <map>
#include <numeric>

#include "foreflow/base/nth.h"
#include "foreflow/reshard/strategy.h"
#include "reshard/direct_jobs.h"
#include "reshard/job_list.h"

namespace foreflow::reshard::definitions::alpa {
namespace {

std::vector<Box> parts_of(const Box& tile, size_t replicas) {
  std::vector<Box> parts = {tile};
  auto left              = static_cast<int64_t>(replicas);
  for (size_t dim = 0; dim < tile.size(); ++dim) {
    const int64_t count = std::gcd(left, tile[dim].length()), step = tile[dim].length() / count;
    std::vector<Box> finer;
    for (const Box& part : parts) {
      for (int64_t i = 0; i < count; ++i) {
        finer.push_back(part);
        finer.back()[dim] = {tile[dim].begin + i * step, tile[dim].begin + (i + 1) * step};
      }
    }
    parts = std::move(finer);
    left /= count;
  }
  return parts;
}

// The tiling of the receivers in which each wants only its part, and the groups that gather afterwards.
struct Rewritten {
  Tiling tiling;
  std::vector<int> target;  // of each part: the tile that it is cut from
  struct Group {
    std::vector<int> devices;
    std::vector<Box> parts;
  };
  std::vector<Group> groups;
};

Rewritten rewrite(const Tiling& to) {
  Rewritten result;
  for (size_t index = 0; index < to.tiles.size(); ++index) {
    const Tile& tile    = to.tiles[index];
    const auto parts    = parts_of(tile.box, tile.devices.size());
    const size_t copies = tile.devices.size() / parts.size();
    for (size_t part = 0; part < parts.size(); ++part) {
      const auto first = tile.devices.begin() + static_cast<ptrdiff_t>(part * copies);
      result.tiling.tiles.push_back({parts[part], {first, first + static_cast<ptrdiff_t>(copies)}});
      result.target.push_back(static_cast<int>(index));
    }
    for (size_t copy = 0; copy < copies && parts.size() > 1; ++copy) {
      Rewritten::Group group{{}, parts};
      for (size_t part = 0; part < parts.size(); ++part) group.devices.push_back(tile.devices[part * copies + copy]);
      result.groups.push_back(std::move(group));
    }
  }
  return result;
}

// Unit tasks between the source tiles and other target tiles, which form no grid.
UnitTasks with_targets(const UnitTasks& units, size_t move, Tiling targets) {
  UnitTasks result{{units.moves[move]}, {units.from[move]}, {std::move(targets)}, {}};
  const auto& sources = result.from[0].tiles;
  for (size_t target = 0; target < result.to[0].tiles.size(); ++target) {
    for (size_t source = 0; source < sources.size(); ++source) {
      const int64_t elements = volume(intersection(sources[source].box, result.to[0].tiles[target].box));
      if (elements == 0) continue;
      result.tasks.push_back({0, static_cast<int>(source), static_cast<int>(target),
                              bytes_of(result.moves[0].tensor, static_cast<double>(elements))});
    }
  }
  return result;
}

// Unit tasks of one move by source and target tile.
std::map<std::pair<int, int>, int> numbers(const UnitTasks& units, size_t move) {
  std::map<std::pair<int, int>, int> result;
  for (size_t i = 0; i < units.tasks.size(); ++i) {
    const UnitTask& task = units.tasks[i];
    if (static_cast<size_t>(task.move) == move)
      result.emplace(std::pair(task.source, task.target), static_cast<int>(i));
  }
  return result;
}

Plan plan(const UnitTasks& units, const Ports& /*ports*/, const PlanOptions& /*options*/) {
  Plan plan;
  for (size_t move = 0; move < units.moves.size(); ++move) {
    Rewritten rewritten   = rewrite(units.to[move]);
    const UnitTasks parts = with_targets(units, move, std::move(rewritten.tiling));
    const auto task_of    = numbers(units, move);
    for (Job& job : direct_jobs(parts)) {
      const UnitTask& part = nth(parts.tasks, job.task);
      job.task             = task_of.at({part.source, nth(rewritten.target, part.target)});
      job.move             = static_cast<int>(move);
      plan.jobs.push_back(std::move(job));
    }
    for (auto& group : rewritten.groups) {
      Job job  = JobList(parts).gather(0, std::move(group.devices), std::move(group.parts));
      job.task = -1;
      job.move = static_cast<int>(move);
      plan.jobs.push_back(std::move(job));
    }
  }
  return plan;
}

}  // namespace

StrategyDef row() {
  return {"alpa",
          "receivers of one tile receive different parts of it where its lengths allow, then gather",
          "Zheng et al., OSDI 2022: the baseline of arXiv 2211.05322",
          true,
          false,
          plan};
}

}  // namespace foreflow::reshard::definitions::alpa
