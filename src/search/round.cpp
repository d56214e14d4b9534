#include "search/round.h"

#include <utility>

namespace foreflow::search {

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

void Round::finish(WorkerPool& workers) {
  workers.run([this] { return answered_ == requests_.size(); });
}

}  // namespace foreflow::search
