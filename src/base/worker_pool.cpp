#include "foreflow/base/worker_pool.h"

#include <algorithm>

#include "base/worker.h"

namespace foreflow {

WorkerPool::WorkerPool(size_t workers, std::function<std::string(const std::string&)> work)
    : work_(std::move(work)), workers_(std::max<size_t>(workers, 1)) {}

WorkerPool::~WorkerPool() = default;

std::vector<std::string> WorkerPool::ask(const std::vector<std::string>& requests,
                                         const std::function<void(size_t, const std::string&)>& finished,
                                         const std::function<bool()>& stop) {
  std::vector<std::string> answers(requests.size());
  std::vector<size_t> request_of(workers_.size());
  size_t next = 0, done = 0, last = requests.size();
  const auto is_finished = [&] {
    if (stop && stop()) last = next;
    return done == last;
  };
  while (!is_finished()) {
    std::vector<Child*> busy;
    for (size_t w = 0; w < workers_.size(); ++w) {
      std::unique_ptr<Worker>& worker = workers_[w];
      if ((worker == nullptr || !worker->busy()) && next < last) {
        if (worker == nullptr) worker = std::make_unique<Worker>(work_);
        request_of[w] = next;
        worker->give(requests[next++]);
      }
      if (worker != nullptr && worker->busy()) busy.push_back(&worker->child());
    }
    receive_any(busy);
    for (size_t w = 0; w < workers_.size(); ++w) {
      std::unique_ptr<Worker>& worker = workers_[w];
      if (worker == nullptr || !worker->busy()) continue;
      if (std::optional<std::string> answer = worker->take()) {
        answers[request_of[w]] = unpack(std::move(*answer));
        ++done;
        if (finished) finished(request_of[w], answers[request_of[w]]);
      } else if (worker->child().finished()) {
        const ChildDied death = worker->child().died();
        worker.reset();
        throw death;
      }
    }
  }
  return answers;
}

}  // namespace foreflow
