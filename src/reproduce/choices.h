// Best strategies, as papers print them: "D/T/P/K".
#pragma once

#include "foreflow/reproduce/reproduce.h"
#include "foreflow/search/search.h"

namespace foreflow::reproduce {

// A scenario as JSON and where it lies.
struct Question {
  Json source;
  std::string file;
};
// `name` below the scenarios of `options`. Throws Error when it is not there.
Question question(const Options& options, const std::string& name);

// Sets a key in every object of the strategy, which is one or a list of them.
void set_strategy(Question& question, std::string_view key, const Json& value);

// "1/16/1/1" of an object with dp, tp, pp and microbatches; what is absent is 1.
std::string words_of(const Json& strategy);
// The object of such words, for samples that are `batch` in all.
struct Degrees {
  int dp = 1, tp = 1, pp = 1, microbatches = 1;
};

// The best of `question`, which `search` has found, against `published`: the row says by how much the published choice
// would be slower by our prediction, or in `more` why it would not work. Throws Error where nothing works.
Row compare_choice(std::string name, const Question& question, const search::Result& found, const Degrees& published,
                   int64_t batch);

// Notes the rank of the published strategy in the exact part of a ranking for its batch, if it has one, and how many
// rows have one among the best.
void add_place(Row& row, const search::Result& found, const Degrees& degrees);
std::string count_places(const std::vector<Row>& rows, size_t best);

// A row for each of "published / ours agree" and "ours is within 2 % of theirs", as notes.
std::vector<std::string> count_agreement(const std::vector<Row>& rows);

}  // namespace foreflow::reproduce
