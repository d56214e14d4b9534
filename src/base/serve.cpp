#include <memory>

#include "base/worker.h"
#include "foreflow/base/process.h"

namespace foreflow {
namespace {

using Crew = std::vector<std::unique_ptr<Worker>>;

// Gives an item to every worker that has none, and ends those for whom there is none.
void employ(Crew& crew, const Service& service) {
  for (size_t w = 0; w < crew.size(); ++w) {
    if (crew[w] != nullptr && crew[w]->item()) continue;
    const std::optional<size_t> item = service.next(w);
    if (!item) {
      crew[w].reset();
      continue;
    }
    if (crew[w] == nullptr) crew[w] = std::make_unique<Worker>(service.work);
    crew[w]->give(*item);
  }
}

// The answer of a worker that has one, or its death.
void collect(std::unique_ptr<Worker>& worker, const Service& service) {
  const size_t item = *worker->item();
  if (std::optional<std::string> answer = worker->take()) {
    std::string value;
    try {
      value = unpack(std::move(*answer));
    } catch (const std::exception& problem) {
      return service.failed(item, problem);
    }
    service.finished(item, value);
  } else if (worker->child().finished()) {
    service.failed(item, worker->child().died());
    worker.reset();
  }
}

}  // namespace

void serve(size_t workers, const Service& service) {
  Crew crew(workers);
  for (;;) {
    employ(crew, service);
    std::vector<Child*> busy;
    for (const auto& worker : crew) {
      if (worker != nullptr) busy.push_back(&worker->child());
    }
    if (busy.empty()) return;
    receive_any(busy);
    for (auto& worker : crew) {
      if (worker != nullptr) collect(worker, service);
    }
  }
}

}  // namespace foreflow
