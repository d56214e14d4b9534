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

}  // namespace foreflow::search
