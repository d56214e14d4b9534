// Shared by the tables and figures of "On Optimizing the Communication of Model Parallelism": p3.8xlarge nodes of four
// V100 on NVLink with one 10 Gb/s card, the nine cases of its Table 2, and its three ways to communicate.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "foreflow/platform/platform.h"
#include "foreflow/reproduce/reproduce.h"
#include "foreflow/scenario/resharding.h"
#include "reproduce/published.h"

namespace foreflow::reproduce::resharding {

constexpr std::string_view kPaper =
    "Zhuang et al., On Optimizing the Communication of Model Parallelism (MLSys 2023, arXiv 2211.05322)";

constexpr int kNodeSize = 4;
platform::Platform nodes(int count);

// The lines of tests/published/resharding/NAME.csv.
std::vector<Published> published(const Options& options, const std::string& name);
// The value of a line of stated.csv: a number, or text where the paper states a range.
Json stated(const Options& options, std::string_view figure, std::string_view what);

// A tensor of 4-byte elements between meshes whose rows are nodes, the second mesh behind the first.
reshard::Move move(const std::vector<int64_t>& shape, const std::vector<int>& src_mesh, const std::string& src_spec,
                   const std::vector<int>& dst_mesh, const std::string& dst_spec);
struct Case {
  std::string name;  // "case 4"
  reshard::Move move;
  int unit_tasks;  // counted
};
std::vector<Case> cases(const Options& options);

// A column of the CSV files, which is also the name of a strategy or a balance.
struct Way {
  std::string_view column, strategy, balance, label;  // "Alpa", "Ours"
};

// Simulates one move on as many nodes as it needs.
Seconds time_of(const reshard::Move& move, const Way& way, int chunks = 0);

// A row whose `more` says what kind of number the published one is: "stated", "ideal" or "counted".
Row of_kind(Row row, std::string_view kind);
// A stated value against ours: compared if it is a number.
Row compare_stated(std::string name, const Json& stated, double ours);

// Elements of all weights of the model of a scenario, without the state of an optimizer.
double weights_of(const Json& scenario, const std::string& file);

// The size over the time in the paper's unit: 2^30 bits per second.
double gibibits(Bytes size, Seconds time);

}  // namespace foreflow::reproduce::resharding
