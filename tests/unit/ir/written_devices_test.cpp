// Every device is represented by one that is written.
#include "foreflow/ir/written_devices.h"

#include <gtest/gtest.h>

#include <map>
#include <vector>

namespace foreflow::ir::written_devices_test {
namespace {

// The devices that each written one stands for, of `written` ones.
std::map<int32_t, std::vector<int32_t>> represented(const WrittenDevices& devices, int32_t written) {
  std::map<int32_t, std::vector<int32_t>> all;
  for (int32_t device = 0; device < devices.count(written); ++device) all[devices.written(device)].push_back(device);
  return all;
}

TEST(WrittenDevices, StandForShardsAndRanks) {
  const WrittenDevices devices{.shards = 4, .ranks = 3, .of_rank = 2};
  const std::map<int32_t, std::vector<int32_t>> expected = {
      {0, {0}}, {1, {1, 2, 3}}, {2, {4, 8}}, {3, {5, 6, 7, 9, 10, 11}}};
  EXPECT_EQ(represented(devices, 4), expected);
  EXPECT_EQ(devices.shard_of(10), 2);
  EXPECT_EQ(devices.rank_of(10), 2);
}

TEST(WrittenDevices, CountAndFindWhatTheyStandFor) {
  for (const WrittenDevices& devices :
       {WrittenDevices{}, WrittenDevices{.shards = 8}, WrittenDevices{.ranks = 4, .of_rank = 3},
        WrittenDevices{.shards = 4, .ranks = 16, .of_rank = 2}}) {
    constexpr int32_t kWritten = 24;  // two stages and more of each
    const auto all             = represented(devices, kWritten);
    ASSERT_EQ(all.size(), static_cast<size_t>(kWritten));
    for (const auto& [written, stands_for] : all) {
      EXPECT_EQ(devices.first(written), stands_for.front());
      EXPECT_EQ(static_cast<size_t>(devices.copies(written)), stands_for.size());
    }
  }
}

TEST(WrittenDevices, CountWholeStages) {
  EXPECT_EQ((WrittenDevices{.shards = 8}).count(1), 8);
  EXPECT_EQ((WrittenDevices{.shards = 8, .ranks = 4, .of_rank = 2}).count(5), 64);
  EXPECT_EQ(WrittenDevices{}.count(5), 5);
}

}  // namespace
}  // namespace foreflow::ir::written_devices_test
