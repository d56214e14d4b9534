// The communication ops on any number of devices, as programs: where the results are and what numbers they have.
#include <gtest/gtest.h>

#include <numeric>

#include "foreflow/base/nth.h"
#include "foreflow/interpret/concrete.h"
#include "foreflow/interpret/mixed.h"
#include "foreflow/ir/builder.h"
#include "foreflow/ir/text.h"
#include "foreflow/ops/table.h"

namespace foreflow::communication_ops_test {
namespace {

using ir::Array;
using ir::Attributes;
using ir::Device;
using ir::Dims;
using ir::Type;
using Ints = std::vector<int64_t>;

constexpr int64_t kRows = 2, kColumns = 3;  // of what each of n devices has, n times over

// Devices out of order, every third of them a second stream.
Device place(int64_t i) { return Device(static_cast<int32_t>(40 - 2 * i), i % 3 == 2 ? "comm" : ""); }
Device plain_place(int64_t i) { return Device(static_cast<int32_t>(40 - 2 * i)); }

// Number r * columns + c + 1000 * i at row r, column c of device i.
Array numbers(int64_t i, int64_t rows, int64_t columns) {
  Ints values(static_cast<size_t>(rows * columns));
  std::iota(values.begin(), values.end(), 1000 * i);
  return Array::of_ints({rows, columns}, values);
}

struct Outcome {
  std::vector<Array> results;
  std::vector<Type> types;
};

// One op in a program of its own, read back from its text, interpreted and evaluated.
Outcome communicate(const std::string& op, const Attributes& attributes, const std::vector<Array>& operands,
                    const std::vector<Device>& places, size_t outputs) {
  ir::FunctionBuilder builder("f", ops::table());
  std::vector<ir::ValueId> ids;
  for (size_t i = 0; i < operands.size(); ++i)
    ids.push_back(builder.parameter("x" + std::to_string(i), ir::ParameterRole::data, operands[i].type(places[i])));
  const std::vector<ir::ValueId> results = builder.emit(op, ids, attributes, outputs);
  ir::Module module;
  module.functions.push_back(builder.finish(results));
  module = ir::parse(ir::print(module), "text", ops::table());
  Outcome outcome{.results = interpret::evaluate(module, 0, operands), .types = {}};
  const auto interpretation = interpret::interpret_mixed(module, 0);
  for (const ir::ValueId id : module.entry().results)
    outcome.types.push_back(interpretation.entry().values[ir::index(id)].type);
  return outcome;
}

class Communication : public ::testing::TestWithParam<int64_t> {
 protected:
  const int64_t n    = GetParam();
  const size_t count = static_cast<size_t>(n);
  std::vector<Array> operands(int64_t rows, int64_t columns) const {
    std::vector<Array> all;
    for (int64_t i = 0; i < n; ++i) all.push_back(numbers(i, rows, columns));
    return all;
  }
  std::vector<Device> places() const {
    std::vector<Device> all;
    for (int64_t i = 0; i < n; ++i) all.push_back(place(i));
    return all;
  }
  // The devices that a list can name have no streams.
  std::vector<Device> targets() const {
    std::vector<Device> all;
    for (int64_t i = 0; i < n; ++i) all.push_back(plain_place(i));
    return all;
  }
  Attributes to_targets() const {
    Ints devices;
    for (const Device& device : targets()) devices.push_back(device.index);
    return {{"to", devices}};
  }
  static void expect_types(const Outcome& outcome, const std::vector<Device>& places) {
    ASSERT_EQ(outcome.results.size(), places.size());
    for (size_t i = 0; i < places.size(); ++i)
      EXPECT_EQ(to_string(outcome.types[i]), to_string(outcome.results[i].type(places[i])));
  }
  // The part of rows [first, first + rows) of `array`.
  static Array rows_of(const Array& array, int64_t first, int64_t rows) {
    const Ints all        = array.to_ints();
    const int64_t columns = array.dims()[1];
    return Array::of_ints({rows, columns}, Ints(all.begin() + first * columns, all.begin() + (first + rows) * columns));
  }
  static Array stacked(const std::vector<Array>& parts) {
    Ints all;
    for (const Array& part : parts) {
      const Ints values = part.to_ints();
      all.insert(all.end(), values.begin(), values.end());
    }
    const int64_t columns = parts[0].dims()[1];
    return Array::of_ints({static_cast<int64_t>(all.size()) / columns, columns}, all);
  }
  static Array sum_of(const std::vector<Array>& terms) {
    Ints sum(static_cast<size_t>(terms[0].size()));
    for (const Array& term : terms) {
      for (size_t i = 0; i < sum.size(); ++i) sum[i] += term.to_ints()[i];
    }
    return Array::of_ints(terms[0].dims(), sum);
  }
};

TEST_P(Communication, ReducesToEveryMemberOrToAnyDevice) {
  const auto x      = operands(kRows, kColumns);
  const Outcome all = communicate("MPIAllreduce", {}, x, places(), count);
  expect_types(all, places());
  EXPECT_EQ(all.results, std::vector<Array>(count, sum_of(x)));
  for (const Device& target : {place(0), Device(99), Device(99, "comm")}) {
    const Outcome one = communicate("MPIReduce", {{"to", target}}, x, places(), 1);
    expect_types(one, {target});
    EXPECT_EQ(one.results, std::vector{sum_of(x)});
  }
}

TEST_P(Communication, GathersInTheOrderOfTheOperands) {
  const auto x      = operands(kRows, kColumns);
  const Outcome all = communicate("MPIAllgather", {{"axis", int64_t{0}}}, x, places(), count);
  expect_types(all, places());
  EXPECT_EQ(all.results, std::vector<Array>(count, stacked(x)));
  const Outcome one = communicate("MPIGather", {{"to", Device(99)}, {"axis", int64_t{0}}}, x, places(), 1);
  expect_types(one, {Device(99)});
  EXPECT_EQ(one.results, std::vector{stacked(x)});
}

TEST_P(Communication, ScattersEqualPartsAndUndoesIt) {
  const Array whole   = numbers(0, kRows * n, kColumns);
  const Outcome parts = communicate("MPIScatter", to_targets(), {whole}, {Device(99)}, count);
  expect_types(parts, targets());
  for (int64_t i = 0; i < n; ++i) EXPECT_EQ(nth(parts.results, i), rows_of(whole, kRows * i, kRows)) << i;
  EXPECT_EQ(communicate("MPIGather", {{"to", Device(99)}}, parts.results, targets(), 1).results, std::vector{whole});
}

TEST_P(Communication, ScattersSums) {
  const auto x        = operands(kRows * n, kColumns);
  const Outcome parts = communicate("MPIReduceScatter", {}, x, places(), count);
  expect_types(parts, places());
  for (int64_t i = 0; i < n; ++i) EXPECT_EQ(nth(parts.results, i), rows_of(sum_of(x), kRows * i, kRows)) << i;
}

TEST_P(Communication, ExchangesThePartsOfAll) {
  const auto x            = operands(kRows * n, kColumns);
  const Outcome exchanged = communicate("MPIAlltoall", {}, x, places(), count);
  expect_types(exchanged, places());
  for (int64_t i = 0; i < n; ++i) {
    std::vector<Array> parts;
    for (const Array& from : x) parts.push_back(rows_of(from, kRows * i, kRows));
    EXPECT_EQ(nth(exchanged.results, i), stacked(parts)) << i;
  }
  EXPECT_EQ(communicate("MPIAlltoall", {}, exchanged.results, places(), count).results, x);
}

TEST_P(Communication, ShiftsToTheNextDeviceAndBack) {
  const auto x          = operands(kRows, kColumns);
  const Outcome shifted = communicate("MPIShift", {}, x, places(), count);
  expect_types(shifted, places());
  for (size_t i = 0; i < count; ++i) EXPECT_EQ(shifted.results[(i + 1) % count], x[i]) << i;
  EXPECT_EQ(communicate("MPIShift", {{"by", int64_t{-1}}}, shifted.results, places(), count).results, x);
  EXPECT_THROW(communicate("MPIShift", {{"by", int64_t{2}}}, x, places(), count), Error);
}

TEST_P(Communication, BroadcastsAndSendsWhatOneDeviceHas) {
  const Array x     = numbers(1, kRows, kColumns);
  const Outcome all = communicate("MPIBroadcast", to_targets(), {x}, {place(2)}, count);
  expect_types(all, targets());
  EXPECT_EQ(all.results, std::vector<Array>(count, x));
  for (int64_t i = 0; i < n; ++i) {
    const Outcome one = communicate("Send", {{"to", place(i)}}, {x}, {Device(99)}, 1);
    expect_types(one, {place(i)});
    EXPECT_EQ(one.results, std::vector{x});
  }
}

TEST_P(Communication, RefusesPartsThatAreNotEqual) {
  if (n == 1) return;
  const auto x = operands(n + 1, kColumns);
  EXPECT_THROW(communicate("MPIReduceScatter", {}, x, places(), count), Error);
  EXPECT_THROW(communicate("MPIAlltoall", {}, x, places(), count), Error);
  EXPECT_THROW(communicate("MPIScatter", to_targets(), {x[0]}, {Device(99)}, count), Error);
}

TEST_P(Communication, RefusesAnotherNumberOfResults) {
  const auto x = operands(kRows * n, kColumns);
  for (const char* op : {"MPIAllreduce", "MPIAllgather", "MPIReduceScatter", "MPIAlltoall"})
    EXPECT_THROW(communicate(op, {}, x, places(), count + 1), Error) << op;
}

INSTANTIATE_TEST_SUITE_P(Devices, Communication, ::testing::Values(1, 2, 3, 5, 8, 17),
                         ::testing::PrintToStringParamName());

}  // namespace
}  // namespace foreflow::communication_ops_test
