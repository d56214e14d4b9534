#include <algorithm>
#include <cmath>
#include <limits>

#include "ops/common/kernel.h"
#include "ops/common/letters.h"
#include "ops/common/work.h"

namespace foreflow::ops::definitions::non_max_suppression {

namespace {

struct Box {
  double top, left, bottom, right;
  double area() const { return (bottom - top) * (right - left); }
};

// Four numbers: two opposite corners y, x, y, x, or with center_point_box = 1 the centre x, y, the width and the
// height.
Box box_of(std::span<const double> n, bool by_centre) {
  if (by_centre) return {n[1] - n[3] / 2, n[0] - n[2] / 2, n[1] + n[3] / 2, n[0] + n[2] / 2};
  return {std::min(n[0], n[2]), std::min(n[1], n[3]), std::max(n[0], n[2]), std::max(n[1], n[3])};
}

// Intersection over union.
double overlap(const Box& a, const Box& b) {
  const double height = std::min(a.bottom, b.bottom) - std::max(a.top, b.top),
               width  = std::min(a.right, b.right) - std::max(a.left, b.left);
  if (height <= 0 || width <= 0) return 0;
  return height * width / (a.area() + b.area() - height * width);
}

double number_or(const OpCall& call, size_t index, double fallback) {
  return call.has(index) && call.known[index] != nullptr && call.known[index]->size() > 0 ? call.known[index]->at(0)
                                                                                          : fallback;
}

struct Limits {
  double boxes, overlap, score;
};

// The best boxes of one class, each overlapping those before it by no more than the limit.
std::vector<size_t> chosen(std::span<const Box> boxes, std::span<const double> scores, const Limits& limits) {
  std::vector<size_t> order;
  for (size_t i = 0; i < boxes.size(); ++i) {
    if (scores[i] > limits.score) order.push_back(i);
  }
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return scores[a] > scores[b]; });
  std::vector<size_t> kept;
  for (const size_t candidate : order) {
    if (static_cast<double>(kept.size()) >= limits.boxes) break;
    const bool alone = std::none_of(kept.begin(), kept.end(), [&](size_t other) {
      return overlap(boxes[candidate], boxes[other]) > limits.overlap;
    });
    if (alone) kept.push_back(candidate);
  }
  return kept;
}

std::vector<Array> eval(const OpCall& call) {
  const Array &boxes = value_of(call, 0), &scores = value_of(call, 1);
  const bool by_centre = call.attributes.int_or("center_point_box", 0) != 0;
  const Limits limits{.boxes   = number_or(call, 2, 0),
                      .overlap = number_or(call, 3, 0),
                      .score   = number_or(call, 4, -std::numeric_limits<double>::infinity())};
  const auto numbers = values_of<double>(boxes), score = values_of<double>(scores);
  std::vector<Box> all;
  for (size_t i = 0; i < numbers.size(); i += 4) all.push_back(box_of(std::span(numbers).subspan(i, 4), by_centre));
  const auto classes = static_cast<size_t>(scores.dims()[1]), each = static_cast<size_t>(scores.dims()[2]);
  std::vector<int64_t> selected;
  for (size_t lane = 0; lane * each < score.size(); ++lane) {
    const size_t batch = lane / classes;
    for (const size_t box :
         chosen(std::span(all).subspan(batch * each, each), std::span(score).subspan(lane * each, each), limits)) {
      for (const size_t index : {batch, lane % classes, box}) selected.push_back(static_cast<int64_t>(index));
    }
  }
  return {Array::of_ints({static_cast<int64_t>(selected.size() / 3), 3}, selected)};
}

void check_shapes(const OpCall& call) {
  const Type boxes = tensor_operand(call, 0), scores = tensor_operand(call, 1);
  if (!has_dims(boxes) || !has_dims(scores)) return;
  const Dims &b = boxes.dims, &s = scores.dims;
  if (b.size() != 3 || s.size() != 3 || b[2] != 4 || b[0] != s[0] || b[1] != s[2]) {
    call.fail("boxes are " + to_string(b) + " and scores " + to_string(s) + "; [b,n,4] and [b,c,n] would be right");
  }
}

std::vector<Type> infer(const OpCall& call) {
  check_shapes(call);
  const bool known =
      std::all_of(call.known.begin(), call.known.end(), [](const Array* array) { return array != nullptr; });
  return {known ? eval(call)[0].type() : i64({Dims::kUnknown, 3})};
}

std::vector<Sample> samples() {
  const Array boxes   = Array::of_floats({1, 4, 4}, {0, 0, 1, 1, 0, 0.125F, 1, 1.125F, 0, 10, 1, 11, 1, 1, 0, 0});
  const Array scores  = Array::of_floats({1, 1, 4}, {0.875F, 0.75F, 0.625F, 0.25F});
  const Array half    = Array::of_floats({1}, {0.5F});
  const auto operands = std::vector<Type>{f32({1, 4, 4}), f32({1, 1, 4}), i64({1}), f32({1}), f32({1})};
  const auto values   = std::vector<std::pair<size_t, Array>>{
        {0, boxes}, {1, scores}, {2, Array::of_ints({1}, {3})}, {3, half}, {4, half}};
  return {{{}, operands, values}, {{{"center_point_box", int64_t{1}}}, operands, values}};
}

}  // namespace

OpDef row() {
  return {
      .name = "NonMaxSuppression",
      .doc =
          "boxes[b,n,4], scores[b,c,n], most boxes a class, largest overlap, least score -> [k,3]: batch, class and "
          "box of each box that is better than all those that it overlaps",
      .whole_because = "which boxes it keeps depends on all of them",
      .infer         = infer,
      .factors       = [](const OpCall&) -> Factors { return {}; },
      .work          = [](const OpCall& call,
                 std::span<const Type> outputs) { return computes(call, outputs, 10 * count_of(call.inputs[1])); },
      .eval          = eval,
      .samples       = samples,
  };
}

}  // namespace foreflow::ops::definitions::non_max_suppression
