// Published tables and figures, made again: what the paper says, what Foreflow says, and how far apart they are. Each
// is a row of a table; its scenarios lie in scenarios/, and its published numbers in tests/published/.
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
  Json published;  // a number, or the words of a choice ("1/16/1/1"); null: a figure whose numbers were not published
  Json ours;
  // ours / published - 1; of a choice: by how much the published one is slower than ours, by our prediction (0: they
  // agree)
  std::optional<double> relative_error = {};
  Json more                            = {};  // an object of further members, or null
};

// `published` and `ours` are numbers; published is not 0.
Row compare(std::string name, double published, double ours, Json more = {});

struct Result {
  std::vector<Row> rows;
  std::vector<std::string> notes;  // what is assumed, or differs from the paper
};

// Over the rows with a relative error (the first two), and over those with two numbers.
struct Agreement {
  std::optional<double> mape, worst;  // mean and largest of the absolute relative errors
  std::optional<double> spearman;     // rank correlation of published and ours; from three rows on
};
Agreement agreement(const Result& result);

struct Options {
  std::string folder;   // that has the folders scenarios, tests and calibration
  int jobs    = 1;      // worker processes; the result is the same for any number
  bool timing = false;  // add what is measured of Foreflow itself, which differs from run to run
  std::function<void(size_t done, size_t total)> finished;  // may be empty
};

struct ReproductionDef {
  std::string_view name;    // "distir_table2"
  std::string_view doc;     // what the table or figure shows
  std::string_view source;  // the paper, and where the published numbers come from
  // Throws Error when a file of it is not there.
  Result (*run)(const Options& options);
};
const Registry<ReproductionDef>& reproductions();

// name, source, rows[] {name, published, ours, relative_error, ...}, mape, worst, spearman (null where they mean
// nothing), notes[].
Json to_json(const ReproductionDef& reproduction, const Result& result);
std::string to_text(const ReproductionDef& reproduction, const Result& result);

}  // namespace foreflow::reproduce
