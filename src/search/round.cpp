#include "search/round.h"

#include <chrono>
#include <optional>
#include <utility>

namespace foreflow::search {
namespace {

constexpr std::chrono::seconds kGrace(1);  // for answers that are almost there when a search is stopped

}  // namespace

void Round::add(std::string request, Arrived arrived) {
  requests_.push_back(std::move(request));
  arrived_.push_back(std::move(arrived));
}

void Round::ask(WorkerPool& workers, const std::function<bool()>& stop) {
  const auto give = [this](size_t request, const std::string& answer) { arrived_[request](answer); };
  workers.ask(requests_, give, stop);
}

void Round::begin(WorkerPool& workers) {
  for (size_t i = 0; i < requests_.size(); ++i) {
    workers.add(std::move(requests_[i]), [this, i](const std::string& answer) {
      arrived_[i](answer);
      ++answered_;
    });
  }
}

bool Round::finish(WorkerPool& workers, const std::function<bool()>& stop) {
  using Clock = std::chrono::steady_clock;
  std::optional<Clock::time_point> stopped;
  workers.run([&] {
    if (!stopped && stop && stop()) stopped = Clock::now();
    return answered_ == requests_.size() || (stopped && Clock::now() - *stopped > kGrace);
  });
  return answered_ == requests_.size();
}

}  // namespace foreflow::search
