#include <algorithm>

#include "ops/common/kernel.h"
#include "ops/common/letters.h"
#include "ops/common/work.h"

namespace foreflow::ops::definitions::tf_idf_vectorizer {

namespace {

using Ints = std::vector<int64_t>;

// A sequence of n numbers that is counted, and the column of the result that counts it.
struct Gram {
  Ints items;
  size_t column;
};

// `pool_int64s` lists the grams of one item, then those of two and so on; ngram_counts[n - 1] is where those of n
// begin.
std::vector<Gram> grams_of(const OpCall& call) {
  const auto pool = call.attributes.find_ints("pool_int64s");
  if (!pool) call.fail("has no attribute pool_int64s; only integers are counted");
  const Ints starts = call.attributes.get_ints("ngram_counts"), columns = call.attributes.get_ints("ngram_indexes");
  std::vector<Gram> grams;
  for (size_t n = 1; n <= starts.size(); ++n) {
    const auto end = n < starts.size() ? starts[n] : static_cast<int64_t>(pool->size());
    for (int64_t at = starts[n - 1]; at + static_cast<int64_t>(n) <= end; at += static_cast<int64_t>(n)) {
      if (at < 0 || end > static_cast<int64_t>(pool->size()) || grams.size() == columns.size()) {
        call.fail("ngram_counts, ngram_indexes and pool_int64s do not fit together");
      }
      const auto first = pool->begin() + at;
      grams.push_back({{first, first + static_cast<int64_t>(n)}, static_cast<size_t>(columns[grams.size()])});
    }
  }
  return grams;
}

int64_t columns_of(const OpCall& call) {
  const Ints columns = call.attributes.get_ints("ngram_indexes");
  if (columns.empty() || *std::min_element(columns.begin(), columns.end()) < 0)
    call.fail("ngram_indexes should be columns from 0 on");
  return *std::max_element(columns.begin(), columns.end()) + 1;
}

// [c] -> [columns], [n,c] -> [n,columns]
Dims result_dims(const OpCall& call, const Dims& x) {
  if (x.size() > 2) call.fail("the operand is " + to_string(x) + "; one or two dimensions would be right");
  return x.size() == 2 ? Dims{x[0], columns_of(call)} : Dims{columns_of(call)};
}

// How often the gram stands in the row with its items `step` apart.
int64_t occurrences(std::span<const int64_t> row, const Ints& gram, size_t step) {
  int64_t count = 0;
  for (size_t start = 0; start + (gram.size() - 1) * step < row.size(); ++start) {
    bool same = true;
    for (size_t i = 0; i < gram.size(); ++i) same = same && row[start + i * step] == gram[i];
    count += same ? 1 : 0;
  }
  return count;
}

std::vector<double> weights_of(const OpCall& call, size_t grams) {
  const ir::Attribute* given = call.attributes.find("weights");
  if (given == nullptr) return std::vector<double>(grams, 1);
  const auto* list = std::get_if<std::vector<double>>(given);
  if (list == nullptr || list->size() != grams) call.fail("weights should be one number for each gram");
  return *list;
}

// The formula of one count: TF the count itself, IDF its weight where it is not 0, TFIDF both.
double scored(const OpCall& call, const std::string& mode, double count, double weight) {
  if (mode == "TF") return count;
  if (mode == "IDF") return count > 0 ? weight : 0;
  if (mode == "TFIDF") return count * weight;
  call.fail("mode is \"" + mode + "\"; TF, IDF or TFIDF would be right");
}

std::vector<Array> eval(const OpCall& call) {
  const Array& x         = value_of(call, 0);
  const Dims dims        = result_dims(call, x.dims());
  const auto grams       = grams_of(call);
  const auto weights     = weights_of(call, grams.size());
  const auto shortest    = static_cast<size_t>(call.attributes.get_int("min_gram_length")),
             longest     = static_cast<size_t>(call.attributes.get_int("max_gram_length")),
             skips       = static_cast<size_t>(call.attributes.get_int("max_skip_count"));
  const std::string mode = call.attributes.string_or("mode", "");
  const auto items       = x.to_ints();
  const auto columns     = static_cast<size_t>(dims.back());
  const size_t rows      = static_cast<size_t>(element_count(dims)) / columns;
  const size_t length    = rows == 0 ? 0 : items.size() / rows;
  std::vector<double> result(rows * columns);
  for (size_t row = 0; row < rows; ++row) {
    for (size_t g = 0; g < grams.size(); ++g) {
      const Ints& gram = grams[g].items;
      if (gram.size() < shortest || gram.size() > longest) continue;
      int64_t count = 0;
      // A single item has no gaps.
      for (size_t step = 1; step <= (gram.size() == 1 ? 1 : skips + 1); ++step) {
        count += occurrences(std::span(items).subspan(row * length, length), gram, step);
      }
      result[row * columns + grams[g].column] = scored(call, mode, static_cast<double>(count), weights[g]);
    }
  }
  return {array_of(DType::f32, dims, result)};
}

Factors factors(const OpCall& call) {
  if (!splittable(call)) return {};
  const bool rows = tensor_operand(call, 0).dims.size() == 2;
  return {.text = factor_text(call, {rows ? "a." : "."}, {rows ? "a." : "."})};
}

std::vector<Sample> samples() {
  const Attributes attributes{{"mode", "TF"},
                              {"min_gram_length", int64_t{1}},
                              {"max_gram_length", int64_t{2}},
                              {"max_skip_count", int64_t{1}},
                              {"ngram_counts", Ints{0, 2}},
                              {"ngram_indexes", Ints{0, 1, 2}},
                              {"pool_int64s", Ints{3, 5, 5, 3}}};
  return {{attributes, {i64({5})}, {{0, Array::of_ints({5}, {3, 5, 3, 5, 3})}}},
          {attributes, {i64({2, 4})}, {{0, Array::of_ints({2, 4}, {5, 3, 5, 3, 1, 5, 1, 3})}}}};
}

}  // namespace

OpDef row() {
  return {
      .name = "TfIdfVectorizer",
      .doc =
          "x[n,c] of integers -> y[n,columns]: how often each n-gram of pool_int64s stands in a row, weighted by "
          "`mode`",
      .whole_because = "it counts what follows what along that dimension",
      .infer         = [](const OpCall& call) -> std::vector<Type> {
        const Type x = tensor_operand(call, 0);
        return {has_rank(x) ? f32(result_dims(call, x.dims)) : Type::unranked(DType::f32)};
      },
      .factors = factors,
      .work    = [](const OpCall& call,
                 std::span<const Type> outputs) { return computes(call, outputs, count_of(outputs[0])); },
      .eval    = eval,
      .samples = samples,
  };
}

}  // namespace foreflow::ops::definitions::tf_idf_vectorizer
