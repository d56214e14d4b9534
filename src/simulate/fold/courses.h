// The course of each stream of a compact program: its items in order, with communications by group. Computed once for
// each procedure and renaming of devices, so the cost depends on the distinct functions and not on the number of items.
// It follows from the program alone.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "foreflow/base/nth.h"
#include "foreflow/stream/compact.h"

namespace foreflow::simulate {

// A group: a communication among given streams, which it executes any number of times.
struct Group {
  int32_t communication;         // into CompactProgram::communications
  std::vector<int32_t> members;  // streams of the first replica, in rank order
  bool of_all_replicas;          // false: each replica has a group of its own
  bool hand_over;                // as stream::is_hand_over
};

class Courses {
 public:
  // The calls around an item: it is inside `all` of them, and is the first item of all but the outermost `begun`.
  struct Depth {
    int32_t all, begun;
  };

  explicit Courses(const stream::CompactProgram& program);

  const std::vector<Group>& groups() const { return groups_; }

  // For a stream of the first replica:
  // a hash of its items in order, in which each group counts by its number among the groups of the stream;
  uint64_t pattern(int32_t stream) const { return course(stream).pattern; }
  // its groups, in the order of their first items;
  const std::vector<int32_t>& groups_of(int32_t stream) const { return course(stream).groups; }
  // the number of its items;
  size_t items_of(int32_t stream) const { return course(stream).items; }
  // visit(event, memory, group, Depth) for each item, where `group` is an index into groups_of(stream); -1: the item is
  // a compute.
  template <class Visit>
  void visit(int32_t stream, const Visit& visit) const {
    const Course& whole = course(stream);
    std::vector<int32_t> names(whole.groups.size());
    for (size_t i = 0; i < names.size(); ++i) names[i] = static_cast<int32_t>(i);
    Depth depth{0, 0};
    for (const Entry& entry : whole.entries) walk(whole, entry, names, depth, visit);
  }

 private:
  friend class CourseWriter;  // courses.cpp

  static constexpr int32_t kCompute = -1, kCall = -2;
  struct Entry {
    int32_t what;   // the event of an item; the course of a call
    int32_t extra;  // the memory effect of an item; the first of Course::names of a call
    int32_t group;  // the number of the group within the course; kCompute; kCall
  };
  // The course of one stream in a procedure whose devices are renamed in one way.
  struct Course {
    uint64_t pattern = 0;
    size_t items     = 0;
    std::vector<int32_t> groups;
    std::vector<Entry> entries;
    std::vector<int32_t> names;  // per group of a callee: its index in `groups`
  };

  const Course& course(int32_t stream) const { return nth(courses_, nth(of_stream_, stream)); }

  template <class Visit>
  void walk(const Course& course, const Entry& entry, const std::vector<int32_t>& names, Depth& calls,
            const Visit& visit) const {
    if (entry.group != kCall) {
      visit(entry.what, entry.extra, entry.group < 0 ? -1 : nth(names, entry.group), calls);
      calls.begun = calls.all;
      return;
    }
    const Course& callee = nth(courses_, entry.what);
    std::vector<int32_t> inner(callee.groups.size());
    for (size_t i = 0; i < inner.size(); ++i) inner[i] = nth(names, course.names[static_cast<size_t>(entry.extra) + i]);
    ++calls.all;
    for (const Entry& one : callee.entries) walk(callee, one, inner, calls, visit);
    --calls.all;
    calls.begun = std::min(calls.begun, calls.all);
  }

  std::vector<Course> courses_;
  std::vector<Group> groups_;
  std::vector<int32_t> of_stream_;  // courses of the root
};

}  // namespace foreflow::simulate
