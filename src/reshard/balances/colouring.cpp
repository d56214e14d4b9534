// Edge colouring: senders and receivers are the two sides of a graph, tasks its edges, rounds its colours. With as many
// colours as the busiest port has tasks there is always one for each edge (Koenig, 1916), so for equal tasks with one
// receiver no order is better, once senders are chosen. An edge whose ends have no free colour in common gets one by
// exchanging two colours along a path:
//
//   a free at the sender, b at the receiver:   sender -?- receiver -a- x -b- y -a- z
//   after the exchange a is free at both:      sender -a- receiver -b- x -a- y -b- z
#include <algorithm>

#include "foreflow/base/nth.h"
#include "foreflow/reshard/strategy.h"

namespace foreflow::reshard::definitions::colouring {
namespace {

constexpr int kNone = -1;

struct Edge {
  int from, to;  // vertices: senders are even, receivers odd
  int colour = kNone;
};

class Colouring {
 public:
  Colouring(int ports, const std::vector<std::pair<int, int>>& pairs) {
    std::vector<int> degree(static_cast<size_t>(2 * ports));
    for (const auto& [sender, receiver] : pairs) {
      edges_.push_back({2 * sender, 2 * receiver + 1});
      colours_ = std::max({colours_, ++nth(degree, 2 * sender), ++nth(degree, 2 * receiver + 1)});
    }
    at_.resize(degree.size());
    for (size_t vertex = 0; vertex < degree.size(); ++vertex) {
      if (degree[vertex] > 0) at_[vertex].assign(static_cast<size_t>(colours_), kNone);
    }
    for (size_t edge = 0; edge < edges_.size(); ++edge) colour(static_cast<int>(edge));
  }

  int of(size_t edge) const { return edges_[edge].colour; }

 private:
  int& at(int vertex, int colour) { return nth(nth(at_, vertex), colour); }
  int free_at(int vertex) const {
    const auto& own = nth(at_, vertex);
    return static_cast<int>(std::find(own.begin(), own.end(), kNone) - own.begin());
  }

  void colour(int edge) {
    const Edge& own = nth(edges_, edge);
    const int here  = free_at(own.from);
    if (at(own.to, here) != kNone) exchange(own.to, here, free_at(own.to));
    paint(edge, here);
  }

  void paint(int edge, int colour) {
    Edge& own            = nth(edges_, edge);
    own.colour           = colour;
    at(own.from, colour) = at(own.to, colour) = edge;
  }

  // Exchanges two colours along the path that begins at `vertex` with the first of them. It never comes to the sender
  // of the new edge, which it could only enter by the first colour.
  void exchange(int vertex, int first, int second) {
    std::vector<int> path;
    for (int colour = first; at(vertex, colour) != kNone; colour = colour == first ? second : first) {
      path.push_back(at(vertex, colour));
      const Edge& edge = nth(edges_, path.back());
      vertex           = edge.from == vertex ? edge.to : edge.from;
    }
    for (const int edge : path) {
      const Edge& own          = nth(edges_, edge);
      at(own.from, own.colour) = at(own.to, own.colour) = kNone;
    }
    for (const int edge : path) paint(edge, nth(edges_, edge).colour == first ? second : first);
  }

  int colours_ = 0;
  std::vector<Edge> edges_;
  std::vector<std::vector<int>> at_;  // [vertex][colour]: the edge; kNone: free
};

// Tasks of one duration whatever the sender, with one receiver each.
bool applies(const Problem& problem) {
  if (problem.tasks.empty()) return false;
  const Seconds duration = problem.tasks.front().senders.front().duration;
  return std::all_of(problem.tasks.begin(), problem.tasks.end(), [&](const ProblemTask& task) {
    return task.receivers.size() == 1 && std::all_of(task.senders.begin(), task.senders.end(),
                                                     [&](const Candidate& one) { return one.duration == duration; });
  });
}

Schedule solve(const Problem& problem, const PlanOptions& options) {
  Schedule balanced = balances().get("load_balance", "colouring").solve(problem, options);
  if (!applies(problem)) return balanced;
  std::vector<Choice> order;
  for (const Assignment& one : balanced.order) order.push_back({one.task, one.candidate});
  std::sort(order.begin(), order.end(), [](const Choice& a, const Choice& b) { return a.task < b.task; });
  std::vector<std::pair<int, int>> pairs;
  for (const Choice& one : order) {
    const ProblemTask& task = nth(problem.tasks, one.task);
    pairs.emplace_back(nth(task.senders, one.candidate).sender, task.receivers.front());
  }
  const Colouring rounds(problem.ports, pairs);
  std::stable_sort(order.begin(), order.end(), [&](const Choice& a, const Choice& b) {
    return rounds.of(static_cast<size_t>(a.task)) < rounds.of(static_cast<size_t>(b.task));
  });
  return evaluate(problem, order);
}

}  // namespace

BalanceDef row() {
  return {"colouring", "senders as load_balance, rounds by edge colouring; optimal for equal tasks with one receiver",
          "Koenig 1916; not in arXiv 2211.05322", solve};
}

}  // namespace foreflow::reshard::definitions::colouring
