#include "foreflow/platform/list.h"

#include <algorithm>
#include <mutex>

#include "foreflow/platform/platform.h"
#include "platform/kinds.h"

namespace foreflow::platform {

// Items by rule are made a page at a time.
template <class T>
struct List<T>::State {
  static constexpr size_t kPage = 32;

  explicit State(std::vector<T> items) : listed(std::move(items)) {}
  explicit State(ListRule<T> by) : rule(std::move(by)), pages((rule.size + kPage - 1) / kPage) {}
  State(const State&)            = delete;
  State& operator=(const State&) = delete;
  ~State() {
    for (std::atomic<T*>& page : pages) delete[] page.load();
  }

  // The one that is there first stays.
  const T* page(size_t number) {
    std::atomic<T*>& slot = pages[number];
    if (T* known = slot.load(std::memory_order_acquire); known != nullptr) return known;
    const size_t first = number * kPage;
    auto fresh         = std::make_unique<T[]>(kPage);
    for (size_t i = 0; i < std::min(kPage, rule.size - first); ++i) fresh[i] = rule.make(first + i);
    T* expected = nullptr;
    return slot.compare_exchange_strong(expected, fresh.get()) ? fresh.release() : expected;
  }

  void number_listed() {
    std::call_once(numbered, [this] {
      KindNumbers<T> numbers;
      for (const T& item : listed) kind_of.push_back(numbers.of(item));
      rule.kinds = numbers.examples();
    });
  }

  std::vector<T> listed;
  ListRule<T> rule;  // of a list that is written out, only its kinds
  std::vector<std::atomic<T*>> pages;
  std::once_flag numbered;
  std::vector<int> kind_of;  // of what is listed
};

template <class T>
List<T>::List(std::vector<T> items) : state_(std::make_shared<State>(std::move(items))) {
  items_ = state_->listed.data();
  size_  = state_->listed.size();
}

template <class T>
List<T>::List(ListRule<T> rule) : state_(std::make_shared<State>(std::move(rule))), size_(state_->rule.size) {}

template <class T>
const T& List<T>::made(size_t index) const {
  return state_->page(index / State::kPage)[index % State::kPage];
}

template <class T>
T List<T>::copy(size_t index) const {
  return items_ != nullptr ? items_[index] : state_->rule.make(index);
}

template <class T>
int List<T>::kind(size_t index) const {
  if (state_->rule.kind) return state_->rule.kind(index);
  state_->number_listed();
  return state_->kind_of[index];
}

template <class T>
const std::vector<T>& List<T>::kinds() const {
  if (!state_->rule.kind) state_->number_listed();
  return state_->rule.kinds;
}

template class List<Device>;
template class List<Link>;

}  // namespace foreflow::platform
