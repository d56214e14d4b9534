#include <memory>

#include "base/worker.h"
#include "foreflow/base/process.h"
#include "foreflow/base/text.h"

namespace foreflow {
namespace {

struct Servant {
  std::unique_ptr<Worker> worker;  // null: there is nothing for it to do
  size_t item = 0;                 // that it works on
};
using Crew = std::vector<Servant>;

std::unique_ptr<Worker> start(const Service& service) {
  return std::make_unique<Worker>(
      [&service](const std::string& request) { return service.work(parse_number<size_t>(request).value()); });
}

// Gives an item to every worker that has none, and ends those for whom there is none.
void employ(Crew& crew, const Service& service) {
  for (size_t w = 0; w < crew.size(); ++w) {
    if (crew[w].worker != nullptr && crew[w].worker->busy()) continue;
    const std::optional<size_t> item = service.next(w);
    if (!item) {
      crew[w].worker.reset();
      continue;
    }
    if (crew[w].worker == nullptr) crew[w].worker = start(service);
    crew[w].item = *item;
    crew[w].worker->give(std::to_string(*item));
  }
}

// The answer of a worker that has one, or its death.
void collect(Servant& servant, const Service& service) {
  if (std::optional<std::string> answer = servant.worker->take()) {
    std::string value;
    try {
      value = unpack(std::move(*answer));
    } catch (const std::exception& problem) {
      return service.failed(servant.item, problem);
    }
    service.finished(servant.item, value);
  } else if (servant.worker->child().finished()) {
    service.failed(servant.item, servant.worker->child().died());
    servant.worker.reset();
  }
}

}  // namespace

void serve(size_t workers, const Service& service) {
  Crew crew(workers);
  for (;;) {
    employ(crew, service);
    std::vector<Child*> busy;
    for (const Servant& servant : crew) {
      if (servant.worker != nullptr) busy.push_back(&servant.worker->child());
    }
    if (busy.empty()) return;
    receive_any(busy);
    for (Servant& servant : crew) {
      if (servant.worker != nullptr) collect(servant, service);
    }
  }
}

}  // namespace foreflow
