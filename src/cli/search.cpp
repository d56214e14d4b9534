#include "foreflow/search/search.h"

#include <fmt/core.h>

#include <cmath>
#include <iostream>
#include <optional>

#include "cli/command.h"
#include "cli/files.h"
#include "cli/interruption.h"
#include "cli/output.h"
#include "cli/remarks.h"
#include "cli/search_progress.h"
#include "cli/timing.h"
#include "foreflow/base/escape.h"
#include "foreflow/base/text.h"

namespace foreflow::cli::definitions::search_command {
namespace {

struct Options {
  std::string scenario, store, engine, json, csv;
  std::string method = "exhaustive", prune, risk = "mean", objective = "throughput", pareto;
  std::vector<std::string> settings;
  int jobs        = default_workers();
  int top         = 10;
  int budget      = 300;
  bool has_budget = false;  // whether --budget is given
  int worlds      = 0;
  std::string price;
  std::optional<double> at_least;
  uint64_t seed = 1;
  bool timing   = false;
};

// A front that is asked for is exact, unless something else is said.
search::Pruning pruning(const std::string& word, bool asks_for_front) {
  if (word.empty()) return asks_for_front ? search::Pruning::front : search::Pruning::top;
  if (word == "top") return search::Pruning::top;
  if (word == "front") return search::Pruning::front;
  if (word == "none") return search::Pruning::none;
  throw Error("--prune", "unknown word \"" + word + "\"; use top, front or none");
}

search::Risk risk(const std::string& word) {
  for (const search::Risk one : {search::Risk::mean, search::Risk::p95}) {
    if (search::name(one) == word) return one;
  }
  throw Error("--risk", "unknown word \"" + word + "\"; use mean or p95");
}

int at_least_one(const char* option, int value) {
  if (value < 1) throw Error(option, std::to_string(value) + " is too small; use 1 or more");
  return value;
}

// 0 where it is not given.
double positive(const char* option, const std::optional<double>& value) {
  if (value && (!(*value > 0) || std::isinf(*value)))
    throw Error(option, fmt::format("{} is no number above 0", *value));
  return value.value_or(0);
}

double dollars(const std::string& text) {
  const std::optional<double> number = parse_number<double>(text);
  if (!number) throw Error("--price", "\"" + text + "\" is no number; write 2.5, or H100=2.5,A100=1.2");
  return positive("--price", number);
}

// "2.5" is the price of every device, "H100=2.5,A100=1.2" those of kinds.
void read_price(const std::string& text, search::Goal& goal) {
  if (text.empty()) return;
  if (text.find('=') == std::string::npos) {
    goal.terms.price = dollars(text);
    return;
  }
  for (const std::string& part : split(text, ',')) {
    const size_t sign = part.find('=');
    if (sign == std::string::npos || sign == 0)
      throw Error("--price", "\"" + part + "\" is not KIND=DOLLARS; write H100=2.5,A100=1.2");
    if (!goal.prices.emplace(part.substr(0, sign), dollars(part.substr(sign + 1))).second)
      throw Error("--price", "has \"" + part.substr(0, sign) + "\" twice; give each kind one price");
  }
}

search::Goal goal(const Options& options) {
  search::Goal goal;
  goal.objective      = &search::objectives().get(options.objective, "--objective");
  goal.terms.at_least = positive("--at-least", options.at_least);
  read_price(options.price, goal);
  if (options.pareto.empty()) return goal;
  const std::vector<std::string> front = split(options.pareto, ',');
  if (front.size() != goal.front.size())
    throw Error("--pareto", "\"" + options.pareto + "\" is not two objectives; write A,B, such as throughput,memory");
  for (size_t i = 0; i < front.size(); ++i) goal.front[i] = &search::objectives().get(front[i], "--pareto");
  return goal;
}

// An exhaustive search goes on until it has a proof.
void check_budget(const Options& options, const search::MethodDef& method) {
  if (!options.has_budget || method.has_budget) return;
  std::vector<std::string> others;
  for (const search::MethodDef& row : search::methods()) {
    if (row.has_budget) others.emplace_back(row.name);
  }
  throw Error("--budget", std::string(method.name) + " search has none; add --method " + list_or(others));
}

search::Result searched(const Options& options, const Interruption& interruption) {
  search::Options how;
  how.jobs    = at_least_one("--jobs", options.jobs);
  how.top     = static_cast<size_t>(at_least_one("--top", options.top));
  how.budget  = static_cast<size_t>(at_least_one("--budget", options.budget));
  how.seed    = options.seed;
  how.pruning = pruning(options.prune, !options.pareto.empty());
  how.method  = &search::methods().get(options.method, "--method");
  check_budget(options, *how.method);
  if (!options.engine.empty()) how.engine = &simulate::engines().get(options.engine, "--engine");
  // The parser makes -1 of a 0.
  if (options.worlds < 0) throw Error("--disturbances", "the number of worlds is too small; use 1 or more");
  how.worlds = static_cast<size_t>(options.worlds);
  how.risk   = risk(options.risk);
  how.goal   = goal(options);
  if (how.worlds == 0 && how.risk != search::Risk::mean)
    throw Error("--risk", "p95 is over disturbed worlds; add --disturbances");
  how.store   = options.store;
  how.version = FOREFLOW_VERSION;
  how.begun   = [&](size_t predictions) {
    if (predictions > 0)
      std::cerr << fmt::format("foreflow: {} predictions are in {}\n", predictions, escape::terminal(options.store));
  };
  SearchProgress progress;
  how.report        = [&](const search::Status& status) { progress.show(status); };
  how.stop          = [&] { return interruption.asked(); };
  const Json source = scenario::read_source(options.scenario, options.settings);
  remark_on_opsets(source, options.scenario);
  remark_on_data_sheets(source, options.scenario);
  return search::search(source, options.scenario, how);
}

void run(const Options& options) {
  // Lives until all is written: a second signal right behind the first must not cost the answer.
  const Interruption interruption;
  const search::Result result = searched(options, interruption);
  const auto top              = static_cast<size_t>(options.top);
  for (const std::string& line : result.remarks)
    std::cerr << escape::terminal("foreflow: note: the best strategy: " + line) << "\n";
  if (options.json != "-" && options.csv != "-") show(search::to_text(result, top));
  if (!options.json.empty()) {
    Json json = search::to_json(result, top);
    if (options.timing) add_timing(json);
    write_if_given(options.json, json.dump());
  }
  if (!options.csv.empty()) write_if_given(options.csv, search::to_csv(result));
}

Action declare(CLI::App& command) {
  const auto options = std::make_shared<Options>();
  reads_scenario(
      command
          .add_option(
              "SCENARIO.json", options->scenario,
              "the question; a list in its strategy, placement or platform is an axis, what is absent or \"any\" of "
              "the strategy and the placement takes all that is legal; the strategy may be a list of such objects")
          ->required());
  command.add_option("--top", options->top, "how many of the ranking to show; these are exact")->capture_default_str();
  command.add_option("--objective", options->objective, "rank by it: " + list_or(search::objectives().names()))
      ->capture_default_str();
  command.add_option(
      "--price", options->price,
      "dollars for an hour of one device, for the objective cost; H100=2.5,A100=1.2 gives those of kinds "
      "of devices, by the beginnings of their names");
  command.add_option("--at-least", options->at_least, "samples per second: slower strategies are infeasible");
  command.add_option(
      "--pareto", options->pareto,
      "A,B: tell the exact Pareto front of these two objectives (default: of throughput and memory, of what is "
      "predicted anyway)");
  command
      .add_option("--method", options->method,
                  "exhaustive, annealing or beam; the last two look at --budget strategies and prove nothing")
      ->capture_default_str();
  command.add_option(
      "--prune", options->prune,
      "exhaustive: what lower bounds may leave out. top: all that cannot be among the --top; front: keep "
      "the Pareto front exact, too; none: nothing (default: top; with --pareto front)");
  const CLI::Option* budget =
      command.add_option("--budget", options->budget, "annealing, beam: how many strategies to predict at most")
          ->capture_default_str();
  command.add_option("--seed", options->seed, "annealing: of its random numbers")->capture_default_str();
  command.add_flag(
      "--disturbances{20}", options->worlds,
      "predict in disturbed worlds, too (=N: in N of them), drawn from the scenario's disturbances or from default "
      "stragglers, jitter and lost links, and rank by --risk");
  command.add_option("--risk", options->risk, "with --disturbances: rank by the mean time, or by its p95")
      ->capture_default_str();
  keeps(command.add_option(
      "--store", options->store,
      "an SQLite file for predictions: a search that was ended goes on where it was (default: none)"));
  command.add_option("--jobs", options->jobs,
                     "worker processes (default: one a core); the answer is the same for any number");
  command.add_option("--engine", options->engine, "analytic (no contention) or simgrid; instead of the scenario's");
  command
      .add_option("--set", options->settings, "PATH=VALUE: change one value, such as strategy.tp=[1,2,4]; repeatable")
      ->expected(1)
      ->take_all();
  writes(command.add_option("--json", options->json, "write the result to FILE (- for stdout)"));
  writes(command.add_option("--csv", options->csv, "write the whole ranking to FILE (- for stdout)"));
  command.add_flag("--timing", options->timing, "add the wall time and peak memory of the command itself to the JSON");
  return [options, budget] {
    options->has_budget = budget->count() > 0;
    run(*options);
  };
}

}  // namespace

CommandDef row() {
  return {"search", "rank strategies: the fastest that fit, with proof, and those that use less memory",
          "foreflow search scenarios/gpt2_search_dgx2.json --top 5", declare};
}

}  // namespace foreflow::cli::definitions::search_command
