// Reproductions of published tables and figures: the published value, Foreflow's value, and the error. Each
// reproduction is a row of a table; its scenarios are in scenarios/, its published numbers in tests/published/ or
// tests/data/.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "foreflow/base/json.h"
#include "foreflow/base/registry.h"

namespace foreflow::reproduce {

// One cell, bar or point of a table or figure.
struct Row {
  std::string name;
  Json published;  // a number, or a choice as text ("1/16/1/1"); null: not published as a number
  Json ours;
  // For numbers: ours / published - 1. For choices: how much slower the published choice is than ours by our own
  // prediction, as a fraction; 0 when they agree.
  std::optional<double> relative_error = {};
  Json more                            = {};  // an object of further members, or null
};

// `published` and `ours` are numbers; published is not 0.
Row compare(std::string name, double published, double ours, Json more = {});

struct Result {
  std::vector<Row> rows;
  std::vector<std::string> notes;  // assumptions and differences from the paper
};

// Agreement over all rows: mape and worst over those with a relative error, spearman over those with two numbers.
struct Agreement {
  std::optional<double> mape, worst;  // mean and largest of the absolute relative errors
  std::optional<double> spearman;     // rank correlation of published and ours; needs at least three rows
};
Agreement agreement(const Result& result);

struct Options {
  std::string folder;   // the folder that contains scenarios, tests and calibration
  int jobs    = 1;      // worker processes; the result is the same for any number
  bool timing = false;  // add run times of Foreflow itself, which vary from run to run
  std::function<void(size_t done, size_t total)> finished;  // may be empty
};

struct ReproductionDef {
  std::string_view name;    // "distir_table2"
  std::string_view doc;     // what the table or figure shows
  std::string_view source;  // the paper, and where the published numbers come from
  // Throws Error when one of its files is missing.
  Result (*run)(const Options& options);
};
const Registry<ReproductionDef>& reproductions();

// name, source, rows[] {name, published, ours, relative_error, ...}, mape, worst, spearman (null where undefined),
// notes[].
Json to_json(const ReproductionDef& reproduction, const Result& result);
std::string to_text(const ReproductionDef& reproduction, const Result& result);

}  // namespace foreflow::reproduce
