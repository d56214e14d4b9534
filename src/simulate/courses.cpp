#include "simulate/courses.h"

#include <algorithm>

#include "simulate/hash.h"

namespace foreflow::simulate {
namespace {

using stream::CompactProgram;

uint64_t pair_of(int32_t a, int32_t b) {
  return (static_cast<uint64_t>(static_cast<uint32_t>(a)) << 32) | static_cast<uint32_t>(b);
}

}  // namespace

Courses::Courses(const CompactProgram& program) : program_(program) {
  for (const CompactProgram::Lane& lane : program.streams)
    streams_.emplace(std::pair<int32_t, std::string_view>(lane.device, lane.stream),
                     static_cast<int32_t>(streams_.size()));
  renamings_.emplace_back();
  renaming_numbers_.emplace(std::vector<int32_t>(), 0);
  const int32_t root = context(program.root, 0);
  of_stream_.assign(program.streams.size(), -1);
  for (const auto& [stream, course] : contexts_[static_cast<size_t>(root)].courses)
    of_stream_[static_cast<size_t>(stream)] = course;
  for (int32_t& course : of_stream_) {
    if (course >= 0) continue;
    course = static_cast<int32_t>(courses_.size());  // a stream without items
    courses_.emplace_back();
  }
}

int32_t Courses::renaming(int32_t outer, int32_t inner) {
  if (inner < 0) return outer;
  const auto [found, fresh] = composed_.emplace(std::pair(outer, inner), -1);
  if (!fresh) return found->second;
  std::vector<int32_t> devices        = program_.renamings[static_cast<size_t>(inner)];
  const std::vector<int32_t>& outside = renamings_[static_cast<size_t>(outer)];
  if (!outside.empty()) {
    for (int32_t& device : devices) device = outside[static_cast<size_t>(device - 1)];
  }
  const auto [known, is_new] = renaming_numbers_.emplace(devices, static_cast<int32_t>(renamings_.size()));
  if (is_new) renamings_.push_back(std::move(devices));
  return found->second = known->second;
}

int32_t Courses::stream_of(const CompactProgram::Lane& lane, int32_t renaming) const {
  const int32_t device = program_.outside(lane.device, renamings_[static_cast<size_t>(renaming)]);
  return streams_.at({device == CompactProgram::kNoDevice ? program_.first_device : device, lane.stream});
}

bool Courses::is_hand_over(int32_t communication, const std::vector<int32_t>& members) const {
  const stream::Communication& what = program_.communications[static_cast<size_t>(communication)];
  if (what.kind != collective::Kind::send || what.fixed.value_or(Seconds(0)) > Seconds(0)) return false;
  return members.size() == 2 && program_.streams[static_cast<size_t>(members[0])].device ==
                                    program_.streams[static_cast<size_t>(members[1])].device;
}

int32_t Courses::group(int32_t communication, const std::vector<int32_t>& members, bool of_all_replicas) {
  std::vector<uint64_t> words{static_cast<uint64_t>(communication), of_all_replicas ? uint64_t{1} : uint64_t{0}};
  words.insert(words.end(), members.begin(), members.end());
  const uint32_t number = group_numbers_.number(words);
  if (number == groups_.size())
    groups_.push_back({communication, members, of_all_replicas, is_hand_over(communication, members)});
  return static_cast<int32_t>(number);
}

int32_t Courses::number_in(Course& course, int32_t group) {
  const auto [found, fresh] = course.numbers.emplace(group, static_cast<int32_t>(course.groups.size()));
  if (fresh) course.groups.push_back(group);
  return found->second;
}

int32_t Courses::context(int32_t procedure_number, int32_t renamed) {
  const uint64_t key = pair_of(procedure_number, renamed);
  if (const auto known = context_numbers_.find(key); known != context_numbers_.end()) return known->second;
  const CompactProgram::Procedure& procedure = program_.procedures[static_cast<size_t>(procedure_number)];
  std::vector<int32_t> streams;  // of the lanes
  for (const CompactProgram::Lane& lane : procedure.lanes) streams.push_back(stream_of(lane, renamed));

  std::unordered_map<int32_t, int32_t> places;  // of streams in `made`
  std::vector<std::pair<int32_t, Course>> made;
  const auto course_of = [&](int32_t stream) -> Course& {
    const auto [found, fresh] = places.emplace(stream, static_cast<int32_t>(made.size()));
    if (fresh) made.emplace_back(stream, Course());
    return made[static_cast<size_t>(found->second)].second;
  };
  std::vector<int32_t> members;
  for (const CompactProgram::Step& step : procedure.steps) {
    const auto index = static_cast<size_t>(step.index);
    switch (step.kind) {
      case CompactProgram::Step::Kind::compute: {
        const CompactProgram::ComputeStep& compute = procedure.computes[index];
        Course& course                             = course_of(streams[static_cast<size_t>(compute.lane)]);
        course.entries.push_back({compute.event, compute.memory, kCompute});
        ++course.items;
        course.pattern = mix(mix(course.pattern, number(compute.event)), number(compute.memory));
        break;
      }
      case CompactProgram::Step::Kind::meeting: {
        const CompactProgram::MeetingStep& meeting = procedure.meetings[index];
        const auto of                              = procedure.of(meeting);
        members.clear();
        for (const CompactProgram::Member& member : of) members.push_back(streams[static_cast<size_t>(member.lane)]);
        const int32_t met     = group(meeting.communication, members, meeting.of_all_replicas);
        const bool hands_over = groups_[static_cast<size_t>(met)].hand_over;
        for (size_t i = 0; i < members.size(); ++i) {
          Course& course    = course_of(members[i]);
          const int32_t own = number_in(course, met);
          course.entries.push_back({meeting.communication, of[i].memory, own});
          ++course.items;
          const Colour role = hands_over && i == 0 ? 1 : 2;
          course.pattern    = mix(mix(mix(mix(course.pattern, number(-1 - meeting.communication)), number(own)), role),
                                  number(of[i].memory));
        }
        break;
      }
      case CompactProgram::Step::Kind::call: {
        const CompactProgram::CallStep& call = procedure.calls[index];
        const int32_t callee                 = context(call.procedure, renaming(renamed, call.renaming));
        for (const auto& [stream, number] : contexts_[static_cast<size_t>(callee)].courses) {
          Course& course            = course_of(stream);
          const auto [found, fresh] = course.called.emplace(number, static_cast<int32_t>(course.names.size()));
          const Course& inner       = courses_[static_cast<size_t>(number)];
          if (fresh) {
            for (const int32_t met : inner.groups) {
              const int32_t own = number_in(course, met);
              course.names.push_back(own);
            }
          }
          course.entries.push_back({number, found->second, kCall});
          course.items += inner.items;
          course.pattern = mix(mix(course.pattern, inner.pattern), Colour{3});
          for (size_t i = 0; i < inner.groups.size(); ++i)
            course.pattern =
                mix(course.pattern, static_cast<Colour>(course.names[static_cast<size_t>(found->second) + i]));
        }
        break;
      }
    }
  }
  std::sort(made.begin(), made.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  Context context;
  for (auto& [stream, course] : made) {
    context.courses.emplace_back(stream, static_cast<int32_t>(courses_.size()));
    courses_.push_back(std::move(course));
  }
  contexts_.push_back(std::move(context));
  const auto result = static_cast<int32_t>(contexts_.size() - 1);
  context_numbers_.emplace(key, result);
  return result;
}

}  // namespace foreflow::simulate
