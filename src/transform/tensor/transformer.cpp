#include "transform/tensor/transformer.h"

#include <algorithm>
#include <map>

#include "foreflow/base/text.h"
#include "foreflow/ir/uses.h"
#include "transform/layout/caches.h"
#include "transform/tensor/vocabulary.h"

namespace foreflow::transform {
namespace {

using ir::ValueId;

// Linears whose weights are split by columns, each with its Linear::cache_heads.
using Columns = std::map<size_t, int64_t>;

// Softmax and products in one op: queries, keys and values are its first operands.
class Recogniser {
 public:
  Recogniser(const ir::Function& function, const interpret::Values<interpret::Mixed>& values)
      : function_(function), values_(values), graph_(function, values) {
    for (const Linear& linear : graph_.linears()) sources_.push_back(graph_.sources(linear.activation));
  }

  Transformer run() {
    find_attention();
    find_mlps();
    found_.embeddings = vocabulary_tables(function_, values_);
    find_heads();
    std::sort(found_.blocks.begin(), found_.blocks.end(),
              [](const TransformerBlock& a, const TransformerBlock& b) { return a.rows[0].op < b.rows[0].op; });
    return std::move(found_);
  }

 private:
  void find_attention() {
    for (size_t o = 0; o < graph_.forward_ops(); ++o) {
      const ir::OpDef& def = *function_.ops[o].def;
      if (def.attention) {
        Columns columns;
        const size_t count = std::min<size_t>(3, function_.ops[o].operand_count);
        for (size_t i = 0; i < count; ++i) add_sources(o, i, columns);
        add_attention(columns, o, count == 3 && is_data(o, 2));
      } else if (def.softmax == ir::Softmax::plain || def.softmax == ir::Softmax::biased) {
        after_softmax(o);
      }
    }
  }

  void add_sources(size_t op, size_t operand, Columns& columns) const {
    const ValueId id = function_.inputs(function_.ops[op])[operand];
    if (id == ValueId::none) return;
    const Sources sources = graph_.sources(id);
    for (const size_t i : sources.linears) {
      const auto [column, is_new] = columns.emplace(i, sources.cache_heads);
      if (!is_new) column->second = std::min(column->second, sources.cache_heads);
    }
  }

  // Returns true if no op of the program made the operand: keys or values of an earlier run.
  bool is_data(size_t op, size_t operand) const {
    const ValueId id = function_.inputs(function_.ops[op])[operand];
    if (id == ValueId::none) return false;
    const Sources sources = graph_.sources(id);
    return sources.reads_data && sources.linears.empty() && sources.others.empty();
  }

  // Scores are a product of activations, and so is what becomes of their softmax.
  void after_softmax(size_t softmax) {
    const Sources scores = graph_.sources(function_.inputs(function_.ops[softmax])[0]);
    Columns columns;
    for (const size_t o : scores.others) {
      if (!graph_.contracts(o)) continue;
      for (size_t i = 0; i < 2; ++i) add_sources(o, i, columns);
    }
    const auto context = next_product(function_.output(function_.ops[softmax], 0));
    if (columns.empty() || !context) return;
    for (size_t i = 0; i < 2; ++i) add_sources(*context, i, columns);
    add_attention(columns, *context, is_data(*context, 0) || is_data(*context, 1));
  }

  // The product of activations that a value reaches through views and element by element.
  std::optional<size_t> next_product(ValueId value) const {
    for (size_t steps = 0; steps < graph_.forward_ops(); ++steps) {
      const auto& readers = graph_.readers(value);
      if (readers.empty()) return std::nullopt;
      const size_t o = readers[0];
      if (graph_.contracts(o)) return o;
      if (!graph_.passes(o)) return std::nullopt;
      value = function_.output(function_.ops[o], 0);
    }
    return std::nullopt;
  }

  // The output projections of `core` end the block.
  void add_attention(const Columns& columns, size_t core, bool only_queries) {
    std::set<size_t> rows;
    for (size_t i = 0; i < graph_.linears().size(); ++i) {
      if (sources_[i].others.contains(core) && sources_[i].linears.empty()) rows.insert(i);
    }
    add_block({TransformerBlock::Kind::attention, {}, {}, only_queries}, columns, rows);
  }

  void add_block(TransformerBlock block, const Columns& columns, const std::set<size_t>& rows) {
    const auto taken = [&](size_t i) { return used_.contains(i); };
    if (columns.empty() || rows.empty() ||
        std::any_of(columns.begin(), columns.end(), [&](const auto& column) { return taken(column.first); }) ||
        std::any_of(rows.begin(), rows.end(), taken))
      return;
    for (const auto& [i, cache_heads] : columns) {
      block.columns.push_back(graph_.linears()[i]);
      block.columns.back().cache_heads = cache_heads;
      used_.insert(i);
    }
    for (const size_t i : rows) block.rows.push_back(graph_.linears()[i]);
    used_.insert(rows.begin(), rows.end());
    found_.blocks.push_back(std::move(block));
  }

  // A product of nothing but other products, worked on element by element.
  void find_mlps() {
    for (size_t i = 0; i < graph_.linears().size(); ++i) {
      const Sources& from = sources_[i];
      if (!from.others.empty() || from.reads_data || !from.activates) continue;
      Columns columns;
      for (const size_t source : from.linears) columns.emplace(source, 0);
      add_block({TransformerBlock::Kind::mlp, {}, {}}, columns, {i});
    }
  }

  void find_heads() {
    for (size_t i = 0; i < graph_.linears().size(); ++i) {
      if (used_.contains(i)) continue;
      Linear linear   = graph_.linears()[i];
      const auto ends = ends_of(function_.output(function_.ops[linear.op], 0));
      if (ends.empty()) continue;
      const bool is_kept = std::all_of(ends.begin(), ends.end(), [&](ValueId id) {
        return id != ValueId::none && are_heads(function_, makers_, id);
      });
      if (is_kept) linear.cache_heads = values_[ir::index(ends.front())].type.dims[1];
      (is_kept ? found_.kept : found_.heads).push_back(linear);
    }
  }

  // The results that a value becomes, perhaps seen or changed element by element, and none for a loss. Empty if it has
  // other uses.
  std::vector<ValueId> ends_of(ValueId value) const {
    std::vector<ValueId> open{value}, ends;
    while (!open.empty()) {
      const ValueId id = open.back();
      open.pop_back();
      if (std::find(function_.results.begin(), function_.results.end(), id) != function_.results.end())
        ends.push_back(id);
      for (const size_t o : graph_.readers(id)) {
        const ir::Op& op      = function_.ops[o];
        const bool is_loss    = op.def->loss;
        const bool is_softmax = op.def->softmax == ir::Softmax::plain || op.def->softmax == ir::Softmax::log;
        if (is_loss) ends.push_back(ValueId::none);
        if (!is_loss && !is_softmax && !graph_.passes(o)) return {};
        for (uint32_t r = 0; r < op.result_count && !is_loss; ++r) open.push_back(function_.output(op, r));
      }
    }
    return ends;
  }

  const ir::Function& function_;
  const interpret::Values<interpret::Mixed>& values_;
  const LinearGraph graph_;
  const std::vector<int32_t> makers_ = ir::makers_of(function_);
  std::vector<Sources> sources_;  // per linear, of its activation
  std::set<size_t> used_;         // linears that are in a block
  Transformer found_;
};

std::string counted(size_t count, const std::string& what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

std::string form(const TransformerBlock& block) {
  const size_t columns = block.columns.size();
  if (block.kind == TransformerBlock::Kind::mlp)
    return columns == 1 ? "up, down" : columns == 2 ? "up and gate, down" : "several products, down";
  if (block.only_queries && columns == 1) return "q in one product, k and v are data";
  return columns == 1 ? "q|k|v in one product" : "q, k, v in " + std::to_string(columns) + " products";
}

}  // namespace

Transformer recognise(const ir::Function& function, const interpret::Values<interpret::Mixed>& values) {
  return Recogniser(function, values).run();
}

std::vector<std::string> describe(const Transformer& transformer, const ir::Function& function) {
  std::map<std::string, size_t> blocks;
  for (const TransformerBlock& block : transformer.blocks) {
    ++blocks[std::string(block.kind == TransformerBlock::Kind::attention ? "attention block" : "MLP block") + "|" +
             form(block)];
  }
  std::vector<std::string> lines;
  for (const auto& [what, count] : blocks) {
    const size_t bar = what.find('|');
    lines.push_back(counted(count, what.substr(0, bar)) + " (" + what.substr(bar + 1) + ")");
  }
  if (!transformer.kept.empty()) lines.push_back(counted(transformer.kept.size(), "product") + " of returned heads");
  for (const size_t table : transformer.embeddings) lines.push_back("embedding %" + function.values[table].name);
  for (const Linear& head : transformer.heads) {
    const bool tied        = transformer.embeddings.contains(head.weight);
    const std::string what = transformer.embeddings.empty() ? "output layer %" : "LM head %";
    lines.push_back(what + function.values[head.weight].name + (tied ? ", tied to the embedding" : ""));
  }
  return lines;
}

}  // namespace foreflow::transform
