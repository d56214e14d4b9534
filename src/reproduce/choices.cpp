#include "reproduce/choices.h"

#include <fmt/core.h>

#include <algorithm>

#include "foreflow/base/text.h"
#include "foreflow/scenario/run.h"

namespace foreflow::reproduce {
namespace {

constexpr double kAsGood = 0.02;  // a choice that is slower by less is as good, by the predictions' own accuracy

int64_t degree(const Json& strategy, std::string_view key) {
  const Json* value = strategy.find(key);
  return value != nullptr && value->if_int() != nullptr ? *value->if_int() : 1;
}

std::string words_of(const Degrees& degrees) {
  return fmt::format("{}/{}/{}/{}", degrees.dp, degrees.tp, degrees.pp, degrees.microbatches);
}

// The first object of the strategy holds what all points have in common.
Json point(const Question& question, const Degrees& degrees, int64_t batch) {
  const Json& strategy = *question.source.find("strategy");
  Json one             = strategy.if_array() == nullptr ? strategy : strategy.if_array()->front();
  one.set("dp", degrees.dp).set("tp", degrees.tp).set("pp", degrees.pp);
  one.set("microbatches", degrees.microbatches).set("global_batch", batch);
  return Json(question.source).set("strategy", std::move(one));
}

// Samples per second, or why it cannot be.
struct Judged {
  double samples_per_second = 0;
  std::string why;
};

Judged judge(const Question& question, const Degrees& degrees, int64_t batch) {
  try {
    const auto outcome = scenario::run(scenario::load(point(question, degrees, batch), question.file));
    if (!outcome.summary.fits) return {0, "does not fit in memory, by our prediction"};
    return {outcome.summary.samples_per_second, ""};
  } catch (const Error& error) {
    return {0, error.what()};
  }
}

}  // namespace

Question question(const Options& options, const std::string& name) {
  const std::string file = options.folder + "/scenarios/" + name + ".json";
  return {parse_json(read_file(file), file), file};
}

void set_strategy(Question& question, std::string_view key, const Json& value) {
  Json& strategy = question.source.member("strategy");
  if (strategy.if_array() == nullptr) {
    strategy.set(key, value);
    return;
  }
  Json::Array regions = *strategy.if_array();
  for (Json& region : regions) region.set(key, value);
  strategy = std::move(regions);
}

std::string words_of(const Json& strategy) {
  return fmt::format("{}/{}/{}/{}", degree(strategy, "dp"), degree(strategy, "tp"), degree(strategy, "pp"),
                     degree(strategy, "microbatches"));
}

Row compare_choice(std::string name, const Question& question, const search::Result& found, const Degrees& published,
                   int64_t batch) {
  if (found.ranked.empty()) throw Error(question.file, "no strategy works for " + name);
  const search::Candidate& best = found.ranked.front();
  Row row{std::move(name), words_of(published), words_of(best.strategy), {}, {}};
  const Judged theirs = judge(question, published, batch);
  row.more.set("agree", row.published.dump_compact() == row.ours.dump_compact());
  row.more.set("ours_samples_per_s", best.samples_per_second);
  if (theirs.why.empty()) {
    row.relative_error = theirs.samples_per_second / best.samples_per_second - 1;
    row.more.set("published_samples_per_s", theirs.samples_per_second);
  } else {
    row.more.set("published_why_not", theirs.why);
  }
  return row;
}

void add_place(Row& row, const search::Result& found, const Degrees& degrees) {
  for (size_t place = 0; place < found.exact; ++place) {
    if (words_of(found.ranked[place].strategy) == words_of(degrees)) row.more.set("place_at_its_batch", place + 1);
  }
}

std::string count_places(const std::vector<Row>& rows, size_t best) {
  const auto placed = std::count_if(rows.begin(), rows.end(),
                                    [](const Row& row) { return row.more.find("place_at_its_batch") != nullptr; });
  return fmt::format(
      "{} of {} published choices are among our {} best for their batch: the authors ran their {} best on the hardware "
      "and printed the fastest",
      placed, rows.size(), best, best);
}

std::vector<std::string> count_agreement(const std::vector<Row>& rows) {
  size_t agree = 0, close = 0;
  for (const Row& row : rows) {
    const bool same = *row.more.find("agree")->if_bool();
    agree += same ? 1 : 0;
    close += same || (row.relative_error && *row.relative_error > -kAsGood) ? 1 : 0;
  }
  return {fmt::format(
      "{} of {} choices are the published ones; {} are these or lie within {:.0f} % of them, by our prediction", agree,
      rows.size(), close, 100 * kAsGood)};
}

}  // namespace foreflow::reproduce
