#include "simulate/fold/courses.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

#include "foreflow/base/nth.h"
#include "foreflow/base/sequence_table.h"
#include "simulate/hash.h"

namespace foreflow::simulate {

// Writes the courses of a program.
class CourseWriter {
 public:
  using CompactProgram = stream::CompactProgram;

  CourseWriter(const CompactProgram& program, Courses& result) : program_(program), result_(result) {}

  void run() {
    for (const CompactProgram::Lane& lane : program_.streams)
      streams_.emplace(std::pair<int32_t, std::string_view>(lane.device, lane.stream),
                       static_cast<int32_t>(streams_.size()));
    renamings_.emplace_back();
    renaming_numbers_.emplace(std::vector<int32_t>(), 0);
    const int32_t root = context(program_.root, 0);
    result_.of_stream_.assign(program_.streams.size(), -1);
    for (const auto& [stream, course] : nth(contexts_, root)) nth(result_.of_stream_, stream) = course;
    for (int32_t& course : result_.of_stream_) {
      if (course >= 0) continue;
      course = static_cast<int32_t>(result_.courses_.size());  // a stream without items
      result_.courses_.emplace_back();
    }
  }

 private:
  using Course = Courses::Course;
  // The courses of a procedure whose devices are renamed in one way: by stream, into Courses::courses_.
  using Context = std::vector<std::pair<int32_t, int32_t>>;
  // A course that is being written.
  struct Draft {
    Course course                               = {};
    std::unordered_map<int32_t, int32_t> groups = {};  // per group: its index in Course::groups
    std::unordered_map<int32_t, int32_t> called = {};  // per callee's course: its first entry in Course::names
  };
  // The drafts of the streams of a procedure, made when they are first asked for.
  class Drafts {
   public:
    Draft& of(int32_t stream) {
      const auto [found, fresh] = places_.emplace(stream, static_cast<int32_t>(made_.size()));
      if (fresh) made_.emplace_back(stream, Draft());
      return nth(made_, found->second).second;
    }
    // By stream.
    std::vector<std::pair<int32_t, Draft>> sorted() && {
      std::sort(made_.begin(), made_.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
      return std::move(made_);
    }

   private:
    std::unordered_map<int32_t, int32_t> places_;  // of streams in `made_`
    std::vector<std::pair<int32_t, Draft>> made_;
  };

  int32_t renaming(int32_t outer, int32_t inner);
  int32_t context(int32_t procedure, int32_t renaming);
  int32_t group(int32_t communication, const std::vector<int32_t>& members, bool of_all_replicas);
  int32_t stream_of(const CompactProgram::Lane& lane, int32_t renaming) const;
  bool is_hand_over(int32_t communication, const std::vector<int32_t>& members) const;
  static int32_t number_in(Draft& draft, int32_t group);
  static void compute(Draft& draft, const CompactProgram::ComputeStep& step);
  void meet(Drafts& drafts, const CompactProgram::Procedure& procedure, const CompactProgram::MeetingStep& meeting,
            const std::vector<int32_t>& streams);
  void call(Draft& draft, int32_t course);

  const CompactProgram& program_;
  Courses& result_;
  std::map<std::pair<int32_t, std::string_view>, int32_t> streams_;  // of the first replica
  std::vector<std::vector<int32_t>> renamings_;                      // [0]: none
  std::map<std::vector<int32_t>, int32_t> renaming_numbers_;
  std::map<std::pair<int32_t, int32_t>, int32_t> composed_;
  std::unordered_map<uint64_t, int32_t> context_numbers_;  // by procedure and renaming
  std::vector<Context> contexts_;
  SequenceTable group_numbers_;
  std::vector<int32_t> members_;  // of the meeting at hand, kept for its memory
};

Courses::Courses(const stream::CompactProgram& program) { CourseWriter(program, *this).run(); }

int32_t CourseWriter::renaming(int32_t outer, int32_t inner) {
  if (inner < 0) return outer;
  const auto [found, fresh] = composed_.emplace(std::pair(outer, inner), -1);
  if (!fresh) return found->second;
  std::vector<int32_t> devices        = nth(program_.renamings, inner);
  const std::vector<int32_t>& outside = nth(renamings_, outer);
  if (!outside.empty()) {
    for (int32_t& device : devices) device = nth(outside, device - 1);
  }
  const auto [known, is_new] = renaming_numbers_.emplace(devices, static_cast<int32_t>(renamings_.size()));
  if (is_new) renamings_.push_back(std::move(devices));
  return found->second = known->second;
}

int32_t CourseWriter::stream_of(const CompactProgram::Lane& lane, int32_t renaming) const {
  const int32_t device = program_.outside(lane.device, nth(renamings_, renaming));
  return streams_.at({device == CompactProgram::kNoDevice ? program_.first_device : device, lane.stream});
}

bool CourseWriter::is_hand_over(int32_t communication, const std::vector<int32_t>& members) const {
  const stream::Communication& what = nth(program_.communications, communication);
  if (what.kind != collective::Kind::send || what.fixed.value_or(Seconds(0)) > Seconds(0)) return false;
  return members.size() == 2 && nth(program_.streams, members[0]).device == nth(program_.streams, members[1]).device;
}

int32_t CourseWriter::group(int32_t communication, const std::vector<int32_t>& members, bool of_all_replicas) {
  std::vector<uint64_t> words{static_cast<uint64_t>(communication), of_all_replicas ? uint64_t{1} : uint64_t{0}};
  words.insert(words.end(), members.begin(), members.end());
  const uint32_t number = group_numbers_.number(words);
  if (number == result_.groups_.size())
    result_.groups_.push_back({communication, members, of_all_replicas, is_hand_over(communication, members)});
  return static_cast<int32_t>(number);
}

int32_t CourseWriter::number_in(Draft& draft, int32_t group) {
  const auto [found, fresh] = draft.groups.emplace(group, static_cast<int32_t>(draft.course.groups.size()));
  if (fresh) draft.course.groups.push_back(group);
  return found->second;
}

void CourseWriter::compute(Draft& draft, const CompactProgram::ComputeStep& step) {
  Course& course = draft.course;
  course.entries.push_back({step.event, step.memory, Courses::kCompute});
  ++course.items;
  course.pattern = mix(mix(course.pattern, number(step.event)), number(step.memory));
}

// `streams`: of the lanes of the procedure.
void CourseWriter::meet(Drafts& drafts, const CompactProgram::Procedure& procedure,
                        const CompactProgram::MeetingStep& meeting, const std::vector<int32_t>& streams) {
  const auto of = procedure.of(meeting);
  members_.clear();
  for (const CompactProgram::Member& member : of) members_.push_back(nth(streams, member.lane));
  const int32_t met     = group(meeting.communication, members_, meeting.of_all_replicas);
  const bool hands_over = nth(result_.groups_, met).hand_over;
  for (size_t i = 0; i < members_.size(); ++i) {
    Draft& draft      = drafts.of(members_[i]);
    Course& course    = draft.course;
    const int32_t own = number_in(draft, met);
    course.entries.push_back({meeting.communication, of[i].memory, own});
    ++course.items;
    const Colour role = hands_over && i == 0 ? 1 : 2;
    course.pattern =
        mix(mix(mix(mix(course.pattern, number(-1 - meeting.communication)), number(own)), role), number(of[i].memory));
  }
}

void CourseWriter::call(Draft& draft, int32_t number) {
  Course& course            = draft.course;
  const Course& inner       = nth(result_.courses_, number);
  const auto [found, fresh] = draft.called.emplace(number, static_cast<int32_t>(course.names.size()));
  if (fresh) {
    for (const int32_t met : inner.groups) {
      const int32_t own = number_in(draft, met);
      course.names.push_back(own);
    }
  }
  course.entries.push_back({number, found->second, Courses::kCall});
  course.items += inner.items;
  course.pattern = mix(mix(course.pattern, inner.pattern), Colour{3});
  for (size_t i = 0; i < inner.groups.size(); ++i)
    course.pattern = mix(course.pattern, static_cast<Colour>(course.names[static_cast<size_t>(found->second) + i]));
}

int32_t CourseWriter::context(int32_t procedure_number, int32_t renamed) {
  const uint64_t key =
      (static_cast<uint64_t>(static_cast<uint32_t>(procedure_number)) << 32) | static_cast<uint32_t>(renamed);
  if (const auto known = context_numbers_.find(key); known != context_numbers_.end()) return known->second;
  const CompactProgram::Procedure& procedure = nth(program_.procedures, procedure_number);
  std::vector<int32_t> streams;  // of the lanes
  for (const CompactProgram::Lane& lane : procedure.lanes) streams.push_back(stream_of(lane, renamed));

  Drafts drafts;
  for (const CompactProgram::Step& step : procedure.steps) {
    const auto index = static_cast<size_t>(step.index);
    switch (step.kind) {
      case CompactProgram::Step::Kind::compute: {
        const CompactProgram::ComputeStep& one = procedure.computes[index];
        compute(drafts.of(nth(streams, one.lane)), one);
        break;
      }
      case CompactProgram::Step::Kind::meeting: meet(drafts, procedure, procedure.meetings[index], streams); break;
      case CompactProgram::Step::Kind::call: {
        const CompactProgram::CallStep& one = procedure.calls[index];
        const int32_t callee                = context(one.procedure, renaming(renamed, one.renaming));
        for (const auto& [stream, course] : nth(contexts_, callee)) call(drafts.of(stream), course);
        break;
      }
    }
  }
  Context courses;
  for (auto& [stream, draft] : std::move(drafts).sorted()) {
    courses.emplace_back(stream, static_cast<int32_t>(result_.courses_.size()));
    result_.courses_.push_back(std::move(draft.course));
  }
  contexts_.push_back(std::move(courses));
  const auto result = static_cast<int32_t>(contexts_.size() - 1);
  context_numbers_.emplace(key, result);
  return result;
}

}  // namespace foreflow::simulate
