// Communication libraries: what each has, and what it takes, against the numbers of NCCL's tuning model.
#include "foreflow/collective/library.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "foreflow/base/text.h"

namespace foreflow::collective::library_test {
namespace {

// Eight A100 on NVSwitch: 300 GB/s and 3.4 us a step of a ring under Simple.
Task in_a_server(Kind kind, double bytes, int generation = 3) {
  Group group{.ranks = 8, .node = std::vector<int>(8, 0)};
  group.nvlink_generation = generation;
  const Wire nvlink{Seconds(3.4e-6), BytesPerSecond(300e9), Medium::nvlink};
  return {kind, std::move(group), Bytes(bytes), nvlink, nvlink};
}

// Nodes of one GPU, with a NIC of 200 Gb/s each: 14 us a step.
Task between_servers(Kind kind, double bytes, int ranks = 8) {
  Group group{.ranks = ranks, .node = {}};
  group.nvlink_generation = 3;
  const Wire nic{Seconds(14e-6), BytesPerSecond(25e9), Medium::network};
  return {kind, std::move(group), Bytes(bytes), nic, nic};
}

const AlgorithmDef& taken(std::string_view library, const Task& task) {
  return library_algorithms().get(library, "test").choose(task, [&](const AlgorithmDef& row) {
    return closed_form(row, task);
  });
}

Seconds time_of(std::string_view library, const Task& task) { return closed_form(taken(library, task), task).total(); }

TEST(Libraries, HaveAWayForEveryKindInAndBetweenServers) {
  for (const AlgorithmDef& library : library_algorithms()) {
    for (const KindDef& kind : kinds()) {
      for (Task task : {in_a_server(kind.kind, 1e6), between_servers(kind.kind, 1e6)}) {
        if (kind.kind == Kind::send)
          task.group.ranks = 2, task.group.node.resize(std::min<size_t>(task.group.node.size(), 2));
        const AlgorithmDef& way = taken(library.name, task);
        EXPECT_TRUE(way.supports_task(task)) << library.name << " " << kind.name;
        EXPECT_TRUE(way.is_of_libraries) << library.name << " has nothing for " << kind.name;
      }
    }
  }
}

TEST(Libraries, NameRowsOfTheTableOfAlgorithms) {
  for (const LibraryDef& library : libraries()) {
    for (const Way& way : library.ways) {
      const AlgorithmDef& row = algorithms().get(way.algorithm, std::string(library.name));
      EXPECT_EQ(row.choose, nullptr);
      for (const Kind kind : way.kinds) EXPECT_TRUE(row.does(kind)) << library.name << " " << way.algorithm;
      for (const double share : way.efficiency) EXPECT_TRUE(share >= 0 && share <= 1);
    }
  }
}

// tuning.cc: time = base + 14 steps + bytes / (ring's share of the bandwidth), in us and GB/s.
TEST(Nccl, TakesWhatItsModelSaysForARingInAServer) {
  const double lines = 0.8 * 300e9, algbw = 8.0 / 14;  // of the bus bandwidth
  EXPECT_EQ(taken("nccl@2.18", in_a_server(Kind::all_reduce, 4096)).name, "ring LL");
  EXPECT_NEAR(time_of("nccl@2.18", in_a_server(Kind::all_reduce, 4096)).value(),
              6.6e-6 + 14 * 0.6e-6 + 4096 / (87.7e9 * algbw), 1e-12);
  EXPECT_EQ(taken("nccl@2.18", in_a_server(Kind::all_reduce, 8e6)).name, "ring LL128");
  EXPECT_NEAR(time_of("nccl@2.18", in_a_server(Kind::all_reduce, 8e6)).value(),
              14e-6 + 14 * 1.9e-6 + 8e6 / (0.92 * lines * algbw), 1e-12);
  EXPECT_EQ(taken("nccl@2.18", in_a_server(Kind::all_reduce, 1e9)).name, "ring Simple");
  EXPECT_NEAR(time_of("nccl@2.18", in_a_server(Kind::all_reduce, 1e9)).value(),
              8.4e-6 + 14 * 3.4e-6 + 1e9 / (lines * algbw), 1e-9);
}

TEST(Nccl, LimitsProtocolLlToWhatDevicesOfAGenerationStore) {
  const auto time = [](int generation) {
    const LibraryDef& nccl = libraries().get("nccl@2.18", "test");
    for (const Way& way : nccl.ways) {
      if (way.algorithm != "ring" || way.protocol != "LL" || generation < way.nvlink_from || generation > way.nvlink_to)
        continue;
      const Task task  = in_a_server(Kind::all_reduce, 1e9, generation);
      AlgorithmDef row = algorithms().get("ring", "test");
      row.flows        = [&, ring = row.flows](const Task& of) {
        AlgorithmDef plain = row;
        plain.flows        = ring;
        return flows_of(way, plain, of);
      };
      return closed_form(row, task).transfer.value();
    }
    return 0.0;
  };
  EXPECT_NEAR(time(2), 1.75e9 / 39e9, 1e-9);    // Volta
  EXPECT_NEAR(time(3), 1.75e9 / 87.7e9, 1e-9);  // Ampere
  // Half of the 0.824 * 300 GB/s that are counted of these wires: less than the 141 GB/s of Hopper.
  EXPECT_NEAR(time(4), 1.75e9 / (0.5 * 0.824 * 300e9), 1e-9);
}

TEST(Nccl, TakesTreesForShortMessagesBetweenServers) {
  EXPECT_EQ(taken("nccl@2.18", between_servers(Kind::all_reduce, 4096)).name, "tree LL");
  EXPECT_EQ(taken("nccl@2.18", between_servers(Kind::all_reduce, 1e9)).name, "ring Simple");
}

// Each rank ends one of eight chains, and sends up and down the others: 2 S * 7/8 over NVLink, of which 92 % of
// 0.8 * 300 GB/s are left, while the NICs have time.
TEST(Nccl, IsLimitedInsideServersWhereNetworksAreFaster) {
  Task task        = in_a_server(Kind::all_reduce, 1e9);
  task.group.ranks = 16;
  task.group.node  = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1};
  task.far         = {Seconds(14e-6), BytesPerSecond(100e9), Medium::network};
  for (const Way& way : libraries().get("nccl@2.18", "test").ways) {
    if (way.algorithm != "tree" || way.protocol != "Simple" || way.nvlink_from != 3) continue;
    const AlgorithmDef& tree = algorithms().get("tree", "test");
    EXPECT_NEAR(flows_of(way, tree, task).phases.front().least.value(), 2e9 * 7 / 8 / (0.92 * 0.8 * 300e9), 1e-9);
  }
}

TEST(Nccl, HasOfEachVersionWhatCameWithIt) {
  Task task       = in_a_server(Kind::all_reduce, 1e9, 4);
  task.group.nvls = true;
  EXPECT_EQ(taken("nccl@2.8", task).name, "ring Simple");
  EXPECT_EQ(taken("nccl@2.18", task).name, "nvls Simple");
  const Task gather = between_servers(Kind::all_gather, 1e6, 64);
  EXPECT_EQ(taken("nccl@2.18", gather).name.substr(0, 4), "ring");
  EXPECT_EQ(taken("nccl@2.23", gather).name, "pat Simple");
}

TEST(Nccl, NeverTakesWhatItDoesNotHave) {
  const std::set<std::string_view> has = {"ring", "tree", "nvls", "sharp", "pat", "chain", "direct"};
  for (const std::string_view version : {"nccl@2.8", "nccl@2.18", "nccl@2.23"}) {
    for (double bytes = 512; bytes < 4e9; bytes *= 4) {
      for (const Kind kind : {Kind::all_reduce, Kind::all_gather, Kind::reduce_scatter, Kind::all_to_all}) {
        for (const Task& task : {in_a_server(kind, bytes), between_servers(kind, bytes)}) {
          const std::string_view name = taken(version, task).name;
          EXPECT_TRUE(has.contains(name.substr(0, name.find(' ')))) << version << " takes " << name;
        }
      }
    }
  }
}

// LL128 needs stores of 128 bytes that arrive whole, which PCIe does not promise.
TEST(Nccl, TakesNoLl128OverPcie) {
  for (double bytes = 512; bytes < 4e9; bytes *= 2) {
    Task task        = in_a_server(Kind::all_reduce, bytes, 0);
    task.near.medium = task.far.medium = Medium::bus;
    EXPECT_EQ(taken("nccl@2.18", task).name.find("LL128"), std::string_view::npos) << bytes;
  }
}

// Messages are merged for bounds, so a library must never be faster with two than with one.
TEST(Libraries, NeverTakeLongerForOneMessageThanForItsHalves) {
  for (const AlgorithmDef& library : library_algorithms()) {
    for (const KindDef& kind : kinds()) {
      if (kind.kind == Kind::send || kind.kind == Kind::broadcast || kind.kind == Kind::reduce) continue;
      for (double bytes = 1024; bytes < 4e9; bytes *= 2) {
        const auto time = [&](double size) { return time_of(library.name, in_a_server(kind.kind, size)).value(); };
        EXPECT_LE(time(bytes), 2 * time(bytes / 2) * (1 + 1e-12)) << library.name << " " << kind.name;
      }
    }
  }
}

TEST(Libraries, TakeWhatWasMeasuredInAServerAndTheirOwnModelBetweenServers) {
  const MeasuredTime measured = [](const Task& task) -> std::optional<Seconds> {
    return Seconds(30e-6) + task.bytes / BytesPerSecond(50e9);
  };
  const auto rows = library_algorithms(", measured", measured);
  size_t count    = 0;
  for (const AlgorithmDef& row : rows) {
    const Task inside = in_a_server(Kind::all_gather, 1e6), between = between_servers(Kind::all_gather, 1e6);
    const auto time = [](const AlgorithmDef& library, const Task& task) {
      return closed_form(library.choose(task, [&](const AlgorithmDef& way) { return closed_form(way, task); }), task)
          .total()
          .value();
    };
    const std::string name(row.name.substr(0, row.name.find(',')));
    const double own = time(library_algorithms().get(name, "test"), inside);
    const bool known = libraries().get(name, "test").is_measured;
    count += known ? 1 : 0;
    EXPECT_NEAR(time(row, inside), known ? 30e-6 + 1e6 / 50e9 : own, 1e-12) << row.name;
    EXPECT_EQ(time(row, between), time(library_algorithms().get(name, "test"), between)) << row.name;
  }
  EXPECT_GT(count, 0U);
  EXPECT_LT(count, rows.size());
}

TEST(Libraries, AreTheNewestVersionWhereNoneIsNamed) {
  EXPECT_EQ(library_called("nccl", "test").name, "nccl@2.23");
  EXPECT_EQ(library_called("nccl@2.8", "test").name, "nccl@2.8");
  EXPECT_EQ(library_called("gloo", "test").name, "gloo");
  EXPECT_THROW(library_called("ncc", "test"), Error);
  for (const std::string& name : library_names()) EXPECT_TRUE(library_called(name, "test").name.starts_with(name));
}

// The newest version is the last one in the table.
TEST(Libraries, HaveTheirVersionsInTheOrderOfTheirNumbers) {
  std::map<std::string, std::vector<int>> newest;
  for (const LibraryDef& library : libraries()) {
    const auto parts = split(library.name, '@');
    if (parts.size() != 2) continue;
    std::vector<int> version;
    for (const std::string& number : split(parts[1], '.')) version.push_back(std::stoi(number));
    EXPECT_LT(newest[parts[0]], version) << library.name;
    newest[parts[0]] = version;
  }
  EXPECT_GT(newest.size(), 1U);
}

TEST(Libraries, AreRefusedWithTheNearestName) {
  try {
    libraries().get("nccl@2.19", "$.collective.library");
    FAIL() << "an unknown version is refused";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("nccl@2.18"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace foreflow::collective::library_test
