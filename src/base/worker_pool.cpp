#include "foreflow/base/worker_pool.h"

#include <algorithm>
#include <utility>

#include "base/worker.h"

namespace foreflow {
namespace {

constexpr int kAskDone = 200;  // milliseconds after which `done` is asked again, even if no answer has come

}  // namespace

WorkerPool::WorkerPool(size_t workers, std::function<std::string(const std::string&)> work)
    : work_(std::move(work)), workers_(std::max<size_t>(workers, 1)), given_(workers_.size()) {}

WorkerPool::~WorkerPool() = default;

void WorkerPool::add(std::string request, std::function<void(const std::string&)> arrived) {
  waiting_.push_back({std::move(request), std::move(arrived)});
}

void WorkerPool::run(const std::function<bool()>& done) {
  while (!done()) {
    give_requests();
    std::vector<Child*> busy;
    for (const std::unique_ptr<Worker>& worker : workers_) {
      if (worker != nullptr && worker->busy()) busy.push_back(&worker->child());
    }
    if (busy.empty()) return;
    receive_any(busy, kAskDone);
    take_answers();
  }
}

std::vector<std::string> WorkerPool::ask(const std::vector<std::string>& requests,
                                         const std::function<void(size_t, const std::string&)>& finished,
                                         const std::function<bool()>& stop) {
  std::vector<std::string> answers(requests.size());
  for (size_t i = 0; i < requests.size(); ++i) {
    add(requests[i], [&answers, &finished, i](const std::string& answer) {
      answers[i] = answer;
      if (finished) finished(i, answer);
    });
  }
  run([&] {
    if (stop && stop()) waiting_.clear();
    return false;
  });
  return answers;
}

void WorkerPool::give_requests() {
  for (size_t w = 0; w < workers_.size() && !waiting_.empty(); ++w) {
    std::unique_ptr<Worker>& worker = workers_[w];
    if (worker != nullptr && worker->busy()) continue;
    if (worker == nullptr) worker = std::make_unique<Worker>(work_);
    given_[w] = std::move(waiting_.front());
    waiting_.pop_front();
    worker->give(given_[w].text);
  }
}

void WorkerPool::take_answers() {
  for (size_t w = 0; w < workers_.size(); ++w) {
    std::unique_ptr<Worker>& worker = workers_[w];
    if (worker == nullptr || !worker->busy()) continue;
    if (std::optional<std::string> answer = worker->take()) {
      given_[w].arrived(unpack(*std::move(answer)));
    } else if (worker->child().finished()) {
      const ChildDied death = worker->child().died();
      worker.reset();
      throw death;
    }
  }
}

}  // namespace foreflow
