#include "ops/attention/attention_core.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "foreflow/base/nth.h"
#include "ops/common/kernel.h"
#include "ops/common/softmax_family.h"

namespace foreflow::ops {

HeadTensor heads_of(const std::vector<double>& x, const Dims& dims, Columns columns, int64_t heads, int64_t size) {
  HeadTensor result{.batch = dims[0], .heads = heads, .rows = dims[1], .size = size, .values = {}};
  const int64_t width = element_count(dims) == 0 ? 0 : static_cast<int64_t>(x.size()) / (dims[0] * dims[1]);
  for (int64_t b = 0; b < result.batch; ++b) {
    for (int64_t n = 0; n < heads; ++n) {
      for (int64_t row = 0; row < result.rows; ++row) {
        const auto first = x.begin() + (b * result.rows + row) * width + columns.first + n * columns.stride;
        result.values.insert(result.values.end(), first, first + size);
      }
    }
  }
  return result;
}

HeadTensor heads_of(const Array& x) {
  const Dims& dims = x.dims();
  return {.batch = dims[0], .heads = dims[1], .rows = dims[2], .size = dims[3], .values = values_of<double>(x)};
}

HeadTensor joined(const HeadTensor& past, const HeadTensor& fresh) {
  HeadTensor all = fresh;
  all.rows       = past.rows + fresh.rows;
  all.values.clear();
  for (int64_t lane = 0; lane < fresh.batch * fresh.heads; ++lane) {
    for (const HeadTensor* part : {&past, &fresh}) {
      const auto first = part->values.begin() + lane * part->rows * part->size;
      all.values.insert(all.values.end(), first, first + part->rows * part->size);
    }
  }
  return all;
}

std::vector<double> merged(const HeadTensor& heads) {
  std::vector<double> result;
  result.reserve(heads.values.size());
  for (int64_t b = 0; b < heads.batch; ++b) {
    for (int64_t row = 0; row < heads.rows; ++row) {
      for (int64_t n = 0; n < heads.heads; ++n) {
        const auto first = heads.values.begin() + static_cast<int64_t>(heads.offset(b, n, row));
        result.insert(result.end(), first, first + heads.size);
      }
    }
  }
  return result;
}

HeadTensor attend(const HeadTensor& q, const HeadTensor& k, const HeadTensor& v, const Scores& scores) {
  HeadTensor y        = q;
  y.size              = v.size;
  const int64_t group = q.heads / k.heads;
  y.values.assign(static_cast<size_t>(q.batch * q.heads * q.rows * v.size), 0);
  const auto score = [&](int64_t b, int64_t n, int64_t i, int64_t j) {
    const bool sees_all = !scores.causal || (scores.last_sees_all && i == q.rows - 1);
    if (!sees_all && j > i + scores.offset) return -std::numeric_limits<double>::infinity();
    double sum     = 0;
    const auto* at = q.values.data() + q.offset(b, n, i);
    const auto* to = k.values.data() + k.offset(b, n / group, j);
    for (int64_t c = 0; c < q.size; ++c) sum += at[c] * to[c];
    sum *= scores.scale;
    if (scores.softcap != 0) sum = scores.softcap * std::tanh(sum / scores.softcap);
    for (const ScoreBias& bias : scores.biases) sum += bias(b, n, i, j);
    return sum;
  };
  std::vector<double> row;
  for (int64_t b = 0; b < q.batch; ++b) {
    for (int64_t n = 0; n < q.heads; ++n) {
      for (int64_t i = 0; i < q.rows; ++i) {
        row.resize(static_cast<size_t>(k.rows));
        for (int64_t j = 0; j < k.rows; ++j) nth(row, j) = score(b, n, i, j);
        if (!scores.sinks.empty()) row.push_back(nth(scores.sinks, n));
        const double offset = log_sum_exp(row);
        for (int64_t j = 0; j < k.rows; ++j) {
          const double share = std::exp(nth(row, j) - offset);
          for (int64_t c = 0; c < v.size; ++c)
            y.values[y.offset(b, n, i) + static_cast<size_t>(c)] +=
                share * v.values[v.offset(b, n / group, j) + static_cast<size_t>(c)];
        }
      }
    }
  }
  return y;
}

double attention_scale(const OpCall& call, int64_t size) {
  const double scale = call.attributes.float_or("scale", 0);
  return scale != 0 ? scale : 1 / std::sqrt(static_cast<double>(size));
}

void check_mask_rank(const OpCall& call, size_t index) {
  if (!call.has(index)) return;
  const Type mask = tensor_operand(call, index);
  if (has_rank(mask) && (mask.dims.empty() || mask.dims.size() > 4))
    call.fail("the mask is " + to_string(mask.dims) + "; [b], [b,j], [b,i,j] or [b,n,i,j] would be right");
}

ScoreBias mask_bias(const OpCall& call, size_t index, const ScoreSizes& sizes) {
  const Array& mask   = value_of(call, index);
  const double filter = call.attributes.float_or("mask_filter_value", -10000);
  const auto numbers  = mask.to_ints();
  const Dims dims     = mask.dims();
  if (dims == Dims{sizes.batch}) {
    return [=](int64_t b, int64_t, int64_t, int64_t j) { return j < nth(numbers, b) ? 0 : filter; };
  }
  if (dims != Dims{sizes.batch, sizes.keys} && dims != Dims{sizes.batch, sizes.queries, sizes.keys}) {
    call.fail("a mask of shape " + to_string(dims) + " cannot be evaluated; " + to_string(Dims{sizes.batch}) + ", " +
              to_string(Dims{sizes.batch, sizes.keys}) + " or " +
              to_string(Dims{sizes.batch, sizes.queries, sizes.keys}) + " would be right");
  }
  return [=](int64_t b, int64_t, int64_t i, int64_t j) {
    const int64_t row = dims.size() == 3 ? b * dims[1] + i : b;
    return nth(numbers, row * dims.back() + j) != 0 ? 0 : filter;
  };
}

ScoreBias added_bias(const OpCall& call, size_t index, const ScoreSizes& sizes) {
  const Array& bias  = value_of(call, index);
  const auto numbers = values_of<double>(bias);
  const Dims dims    = bias.dims(), wanted{sizes.batch, sizes.heads, sizes.queries, sizes.keys};
  bool fits          = dims.size() == wanted.size() && dims.back() == sizes.keys;
  for (size_t i = 0; fits && i < wanted.size(); ++i) fits = dims[i] == wanted[i] || dims[i] == 1;
  if (!fits)
    call.fail("attention_bias is " + to_string(dims) + "; " + to_string(wanted) +
              ", with 1 for what is shared, would be right");
  return [=](int64_t b, int64_t n, int64_t i, int64_t j) {
    const int64_t at = ((b % dims[0] * dims[1] + n % dims[1]) * dims[2] + i % dims[2]) * dims[3] + j;
    return nth(numbers, at);
  };
}

double attention_flops(int64_t batch, int64_t heads, int64_t queries, int64_t keys, int64_t size, int64_t value_size) {
  if (std::min({batch, heads, queries, keys, size, value_size}) < 0) return 0;
  const double scores = static_cast<double>(batch * heads) * static_cast<double>(queries * keys);
  return scores * (2 * static_cast<double>(size + value_size) + 5);
}

int64_t per_head(const OpCall& call, int64_t columns, int64_t heads) {
  if (columns >= 0 && columns % heads != 0)
    call.fail(std::to_string(columns) + " columns should be a multiple of the " + std::to_string(heads) + " heads");
  return columns < 0 ? Dims::kUnknown : columns / heads;
}

int64_t plus_dim(int64_t a, int64_t b) { return a < 0 || b < 0 ? Dims::kUnknown : a + b; }
int64_t times_dim(int64_t a, int64_t b) { return a < 0 || b < 0 ? Dims::kUnknown : a * b; }

}  // namespace foreflow::ops
