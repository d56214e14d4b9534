#include "cost/line.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <vector>

namespace foreflow::cost {
namespace {

constexpr size_t kTerms = 3;                               // flops, bytes, 1
using Equation          = std::array<double, kTerms + 1>;  // the terms and the right-hand side

// The terms of a point over its time: the right-hand side is 1, so that errors are relative.
std::vector<Equation> relative_equations(std::span<const Point> points) {
  std::vector<Equation> rows;
  for (const Point& point : points) {
    const double time = point.time.value();
    if (time > 0) rows.push_back({point.flops.value() / time, point.bytes.value() / time, 1 / time, 1});
  }
  return rows;
}

// Gauss-Jordan with pivoting on a symmetric system of `n` unknowns; nothing when it is singular.
std::optional<std::array<double, kTerms>> solve(std::array<Equation, kTerms> system, size_t n) {
  constexpr double kSingular = 1e-12;
  for (size_t column = 0; column < n; ++column) {
    size_t pivot = column;
    for (size_t r = column; r < n; ++r)
      pivot = std::abs(system[r][column]) > std::abs(system[pivot][column]) ? r : pivot;
    if (std::abs(system[pivot][column]) < kSingular) return std::nullopt;
    std::swap(system[pivot], system[column]);
    for (size_t r = 0; r < n; ++r) {
      if (r == column) continue;
      const double factor = system[r][column] / system[column][column];
      for (size_t c = column; c <= kTerms; ++c) system[r][c] -= factor * system[column][c];
    }
  }
  std::array<double, kTerms> solution{};
  for (size_t i = 0; i < n; ++i) solution[i] = system[i][kTerms] / system[i][i];
  return solution;
}

using Coefficients = std::array<double, kTerms>;

// Least squares with the terms in `subset` only; each column is scaled to length 1 first.
std::optional<Coefficients> solve_subset(const std::vector<Equation>& rows, unsigned subset) {
  std::vector<size_t> terms;
  Coefficients scale{};
  for (size_t t = 0; t < kTerms; ++t) {
    if ((subset >> t & 1U) == 0) continue;
    for (const Equation& row : rows) scale[t] += row[t] * row[t];
    scale[t] = std::sqrt(scale[t]);
    if (scale[t] == 0) return std::nullopt;
    terms.push_back(t);
  }
  std::array<Equation, kTerms> normal{};
  for (const Equation& row : rows) {
    for (size_t i = 0; i < terms.size(); ++i) {
      const double left = row[terms[i]] / scale[terms[i]];
      for (size_t j = 0; j < terms.size(); ++j) normal[i][j] += left * row[terms[j]] / scale[terms[j]];
      normal[i][kTerms] += left * row[kTerms];
    }
  }
  const auto solution = solve(normal, terms.size());
  if (!solution) return std::nullopt;
  Coefficients coefficients{};
  for (size_t i = 0; i < terms.size(); ++i) {
    if ((*solution)[i] < 0) return std::nullopt;
    coefficients[terms[i]] = (*solution)[i] / scale[terms[i]];
  }
  return coefficients;
}

double squared_error(const std::vector<Equation>& rows, const Coefficients& coefficients) {
  double sum = 0;
  for (const Equation& row : rows) {
    double error = -row[kTerms];
    for (size_t t = 0; t < kTerms; ++t) error += coefficients[t] * row[t];
    sum += error * error;
  }
  return sum;
}

// The fixed time with the least squares of relative errors; of one point exactly its time.
Seconds fit_fixed(std::span<const Point> points) {
  Seconds first;
  double sum = 0, squares = 0;
  for (const Point& point : points) {
    if (point.time <= Seconds(0)) continue;
    if (first == Seconds(0)) first = point.time;
    const double ratio = first / point.time;
    sum += ratio;
    squares += ratio * ratio;
  }
  return squares > 0 ? first * (sum / squares) : Seconds(0);
}

}  // namespace

bool have_different_work(std::span<const Point> points) {
  return std::any_of(points.begin(), points.end(), [&](const Point& point) {
    return point.flops != points.front().flops || point.bytes != points.front().bytes;
  });
}

Line fit_line(std::span<const Point> points) {
  if (!have_different_work(points)) return {fit_fixed(points)};
  // Bit 0: flops, bit 1: bytes, bit 2: the fixed time; fewest terms first.
  static constexpr std::array kSubsets = {1U, 2U, 4U, 5U, 6U, 3U, 7U};
  constexpr double kBetter             = 1e-9;  // relative errors below are those of rounding
  const std::vector<Equation> rows     = relative_equations(points);
  Coefficients best{};
  double least = squared_error(rows, best);
  for (const unsigned subset : kSubsets) {
    const auto coefficients = solve_subset(rows, subset);
    if (!coefficients) continue;
    const double error = squared_error(rows, *coefficients);
    if (error < least - kBetter) {
      least = error;
      best  = *coefficients;
    }
  }
  return {Seconds(best[2]), best[0], best[1]};
}

void sort_along_line(Family& family) {
  const auto place = [&](const Point& point) {
    return std::pair(family.line.at(point.flops, point.bytes), std::string_view(point.signature));
  };
  std::sort(family.points.begin(), family.points.end(),
            [&](const Point& a, const Point& b) { return place(a) < place(b); });
}

}  // namespace foreflow::cost
