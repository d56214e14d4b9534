// The published closed forms of every schedule's time, for all sizes up to 8 devices and 24 microbatches that it runs,
// with unequal forwards, input and weight gradients, and with latency where a form has it. Each form says for which
// costs it holds.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <ostream>

#include "foreflow/schedule/measure.h"

namespace foreflow::schedule::schedule_times_test {
namespace {

enum class What { makespan, max_span };
enum class Latency { none, any };

struct Form {
  const char* schedule;
  What what;
  Latency latency;
  bool (*holds)(const Size& size, const Costs& costs);
  // K microbatches, P devices.
  double (*time)(double K, double P, double v, const Costs& costs);
};
void PrintTo(const Form& form, std::ostream* out) { *out << form.schedule; }

bool always(const Size&, const Costs&) { return true; }

double both(const Costs& c) { return c.forward + c.backward(); }

// GPipe: the last microbatch leaves the last device after (K+P-1) forwards, and comes back after as many backwards.
double gpipe(double K, double P, double, const Costs& c) { return (K + P - 1) * both(c) + 2 * (P - 1) * c.hop; }

// Every P microbatches but one wait for a return trip to the neighbour.
double one_f_one_b(double K, double P, double, const Costs& c) {
  return (K + P - 1) * both(c) + 2 * c.hop * (K + P - 2 - std::floor((K + P - 2) / P));
}

bool latency_is_hidden(const Size&, const Costs& c) { return c.hop <= both(c) / 2; }

double interleaved(double K, double P, double v, const Costs& c) { return K * both(c) + (P - 1) * both(c) / v; }

// A lap of the first microbatch may be longer than the work of a chunk.
double looped_bfs(double K, double P, double v, const Costs& c) {
  const double hop   = P > 1 ? c.hop : 0;
  const auto one_way = [&](double f) { return (v - 1) * std::max(K * f, P * (f + hop)) + K * f + (P - 1) * (f + hop); };
  return one_way(c.forward / v) + one_way(c.backward() / v);
}

double zb_h1(double K, double P, double, const Costs& c) {
  return K * both(c) + (P - 1) * (c.forward + c.input_grad - c.weight_grad);
}
bool zb_h1_holds(const Size& size, const Costs& c) {
  return size.microbatches >= size.devices && c.weight_grad <= c.forward;
}

double zb_h2(double K, double P, double, const Costs& c) {
  return K * both(c) + (P - 1) * (c.forward + c.input_grad - 2 * c.weight_grad);
}
bool zb_h2_holds(const Size& size, const Costs& c) {
  return size.microbatches >= 2 * size.devices - 1 && c.weight_grad <= c.forward &&
         2 * c.weight_grad <= c.forward + c.input_grad;
}

// No bubble within a device's span.
double no_bubble(double K, double, double, const Costs& c) { return K * both(c); }
bool zb_v_holds(const Size& size, const Costs& c) {
  return size.microbatches >= 2 * size.devices - 1 && c.forward == c.input_grad && c.forward == c.weight_grad;
}

// N = D: N F + (N+D-2) B. A further unit of D microbatches takes its work, and (D-2)(B-F) where backwards wait.
double chimera(double N, double D, double, const Costs& c) {
  const double backward = c.backward();
  const double unit     = D * both(c) + (D - 2) * (backward - c.forward);
  return D * c.forward + (2 * D - 2) * backward + (N / D - 1) * unit;
}
bool chimera_holds(const Size& size, const Costs& c) {
  return size.microbatches % size.devices == 0 && c.forward <= c.backward();
}

// (PP/2-1)(F&B + B - 3W), where a cell F&B takes F + B.
double dualpipe(double K, double P, double, const Costs& c) {
  return K * both(c) + (P / 2 - 1) * (both(c) + c.backward() - 3 * c.weight_grad);
}
// The same for 2P stages of half the work.
double dualpipe_v(double K, double P, double, const Costs& c) {
  return K * both(c) + (P - 1) * (both(c) + c.backward() - 3 * c.weight_grad) / 2;
}
bool dualpipe_holds(const Size&, const Costs& c) { return c.forward == c.input_grad && c.weight_grad <= c.forward; }

double inference(double K, double P, double, const Costs& c) { return (K + P - 1) * c.forward + (P - 1) * c.hop; }

const std::vector<Form>& forms() {
  static const std::vector<Form> all = {{"gpipe", What::makespan, Latency::any, always, gpipe},
                                        {"1f1b", What::makespan, Latency::any, always, one_f_one_b},
                                        {"eager_1f1b", What::makespan, Latency::any, latency_is_hidden, gpipe},
                                        {"interleaved_1f1b", What::makespan, Latency::none, always, interleaved},
                                        {"looped_bfs", What::makespan, Latency::any, always, looped_bfs},
                                        {"zb_h1", What::max_span, Latency::none, zb_h1_holds, zb_h1},
                                        {"zb_h2", What::max_span, Latency::none, zb_h2_holds, zb_h2},
                                        {"zb_v", What::max_span, Latency::none, zb_v_holds, no_bubble},
                                        {"chimera", What::makespan, Latency::none, chimera_holds, chimera},
                                        {"dualpipe", What::makespan, Latency::none, dualpipe_holds, dualpipe},
                                        {"dualpipe_v", What::makespan, Latency::none, dualpipe_holds, dualpipe_v},
                                        {"inference", What::makespan, Latency::any, always, inference}};
  return all;
}

std::vector<Costs> costs_to_try() {
  std::vector<Costs> all;
  for (const double forward : {1.0, 2.0, 3.5}) {
    for (const double input_grad : {1.0, 2.0, 3.5, 5.0}) {
      for (const double weight_grad : {0.75, 1.0, 2.0, 3.5}) {
        for (const double hop : {0.0, 0.5, 1.25, 6.0}) all.push_back({forward, input_grad, weight_grad, hop});
      }
    }
  }
  return all;
}

class EveryForm : public testing::TestWithParam<Form> {
 protected:
  // Calls `check` for every size and cost for which the form holds; how often it did.
  template <class Check>
  int for_every_case(Check check) const {
    int cases              = 0;
    const ScheduleDef& row = schedules().get(GetParam().schedule, "test");
    for (int devices = 1; devices <= 8; ++devices) {
      for (int microbatches = 1; microbatches <= 24; ++microbatches) {
        for (const int virtual_stages : {1, 2, 3, 4}) {
          try {
            const Plan plan = schedule::plan(row, checked_size(row, devices, microbatches, virtual_stages, "test"));
            for (const Costs& costs : costs_to_try()) {
              if (GetParam().latency == Latency::none && costs.hop > 0) continue;
              if (!GetParam().holds(plan.size, costs)) continue;
              check(plan, costs);
              ++cases;
            }
          } catch (const Error&) {
            continue;  // the schedule has no such size
          }
        }
      }
    }
    return cases;
  }
};

TEST_P(EveryForm, IsTheTimeThatPlayingTakes) {
  const int cases = for_every_case([](const Plan& plan, const Costs& costs) {
    const Measures m  = measure(plan, play(plan, costs), costs);
    const double time = GetParam().what == What::makespan
                            ? m.makespan
                            : *std::max_element(m.span_per_stage.begin(), m.span_per_stage.end());
    const double form = GetParam().time(plan.size.microbatches, plan.size.devices, plan.size.chunks, costs);
    EXPECT_NEAR(time, form, 1e-9 * form) << plan.size.devices << " devices, " << plan.size.microbatches
                                         << " microbatches, " << plan.size.chunks << " chunks, forward "
                                         << costs.forward << ", gradients " << costs.input_grad << " and "
                                         << costs.weight_grad << ", hop " << costs.hop;
  });
  EXPECT_GE(cases, 50);
}

INSTANTIATE_TEST_SUITE_P(Schedules, EveryForm, testing::ValuesIn(forms()),
                         [](const auto& info) { return "of_" + std::string(info.param.schedule); });

TEST(ClosedForms, AreThereForEverySchedule) {
  std::vector<std::string> covered;
  for (const Form& form : forms()) covered.emplace_back(form.schedule);
  for (const ScheduleDef& row : schedules()) EXPECT_TRUE(std::ranges::count(covered, row.name)) << row.name;
}

// Outside of the costs for which its form holds, DualPipe's is a bound: input gradients longer than forwards shorten
// the wait for cells, shorter ones lengthen it.
TEST(ClosedForms, BoundDualPipeForOtherCosts) {
  const ScheduleDef& row = schedules().get("dualpipe", "test");
  for (int devices = 2; devices <= 8; devices += 2) {
    const Plan plan = schedule::plan(row, checked_size(row, devices, 24, {}, "test"));
    for (const Costs& costs : costs_to_try()) {
      if (costs.weight_grad > std::min(costs.forward, costs.input_grad) || costs.hop > 0) continue;
      const double time = measure(plan, play(plan, costs), costs).makespan, form = dualpipe(24, devices, 1, costs);
      if (costs.input_grad >= costs.forward) {
        EXPECT_LE(time, form);
      }
      if (costs.input_grad <= costs.forward) {
        EXPECT_GE(time, form);
      }
    }
  }
}

}  // namespace
}  // namespace foreflow::schedule::schedule_times_test
