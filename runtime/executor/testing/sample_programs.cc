#include <utility>

#include <executorch/runtime/executor/testing/sample_programs.h>

namespace executorch {
namespace runtime {
namespace testing {

TensorOptions unplanned_tensor(std::vector<int32_t> sizes, int8_t shape_dynamism) {
  TensorOptions options;
  options.sizes = std::move(sizes);
  options.shape_dynamism = shape_dynamism;
  return options;
}

ProgramBuilder add_program(const std::vector<int32_t>& sizes, int8_t shape_dynamism) {
  ProgramBuilder b;
  const int x = b.add_planned_tensor(sizes, 6, shape_dynamism);
  const int y = b.add_planned_tensor(sizes, 6, shape_dynamism);
  const int out = b.add_planned_tensor(sizes, 6, shape_dynamism);
  b.call_kernel(b.add_operator("test::add"), {x, y, out, out});
  b.set_inputs({x, y});
  b.set_outputs({out});
  return b;
}

namespace {

constexpr int8_t kFloat = 6;
constexpr int8_t kBool = 11;
constexpr int8_t kDynamicBound = 1;
constexpr int8_t kDynamicUnbound = 2;

PteFile arithmetic() {
  ProgramBuilder b;
  const int x = b.add_planned_tensor({2, 3});
  const int y = b.add_planned_tensor({2, 3});
  const int sum = b.add_planned_tensor({2, 3});
  TensorOptions unplanned;
  unplanned.sizes = {2, 3};
  const int out = b.add_tensor(unplanned);
  b.call_kernel(b.add_operator("test::add"), {x, y, sum, sum});
  b.call_kernel(b.add_operator("test::neg"), {sum, out, out});
  b.set_inputs({x, y});
  b.set_outputs({out});
  return b.build();
}

PteFile every_value() {
  ProgramBuilder b;
  const int one = b.add_int(1);
  const int list = b.add_int_list({one, one});
  const int constant = b.add_constant_tensor({1, 2, 3});
  const int tensors = b.add_tensor_list({constant, constant});
  const int optionals = b.add_optional_tensor_list({constant, -1});
  const int out = b.add_planned_tensor({6});
  b.call_kernel(b.add_operator("test::concat"), {tensors, out, out});
  b.set_outputs({out, one, list, tensors, optionals, b.add_double(0.5), b.add_bool(true),
                 b.add_string("text"), b.add_none(), b.add_double_list({1, 2}),
                 b.add_bool_list({1, 0})});
  b.begin_method("second");
  b.set_outputs({b.add_int(7)});
  return b.build();
}

PteFile dynamic_shapes() {
  ProgramBuilder b;
  const int x = b.add_planned_tensor({4, 3}, kFloat, kDynamicBound);
  const int rows = b.add_int(0);
  const int size = b.add_int_list({rows});
  const int filled = b.add_planned_tensor({4}, kFloat, kDynamicBound);
  TensorOptions view_options;
  view_options.sizes = {4};
  view_options.shape_dynamism = kDynamicBound;
  const int view = b.add_tensor(view_options);
  const int out = b.add_planned_tensor({4}, kFloat, kDynamicBound);
  b.call_kernel(b.add_operator("test::size", "int"), {x, b.add_int(0), rows});
  b.call_kernel(b.add_operator("test::full"), {size, b.add_double(2), filled, filled});
  b.call_kernel(b.add_operator("test::view"), {filled, view, view});
  b.call_kernel(b.add_operator("test::add"), {filled, view, out, out});
  b.free_value(view);
  b.set_inputs({x});
  b.set_outputs({out});
  return b.build();
}

PteFile unbounded_sizes() {
  ProgramBuilder b;
  b.add_string("executorch.unbounded_dims:1");
  const int filled = b.add_planned_tensor({2}, kFloat, kDynamicBound);
  TensorOptions options;
  options.sizes = {0};
  options.shape_dynamism = kDynamicUnbound;
  const int x = b.add_tensor(options);
  const int sum = b.add_tensor(options);
  const int view = b.add_tensor(options);
  const int out = b.add_tensor(options);
  const int size = b.add_int_list({b.add_int(6)});
  const int add = b.add_operator("test::add");
  b.call_kernel(b.add_operator("test::full"), {size, b.add_double(2), filled, filled});
  b.call_kernel(add, {filled, filled, sum, sum});
  b.call_kernel(b.add_operator("test::view"), {sum, view, view});
  b.free_value(sum);
  b.call_kernel(add, {view, filled, out, out});
  b.set_inputs({x});
  b.set_outputs({out});
  return b.build();
}

PteFile control_flow() {
  ProgramBuilder b;
  const int condition = b.add_planned_tensor({1}, kBool);
  const int x = b.add_planned_tensor({2});
  const int out = b.add_planned_tensor({2});
  const int negated = b.add_planned_tensor({2});
  const int doubled = b.add_planned_tensor({2});
  b.jump_if_false(condition, 4);
  b.call_kernel(b.add_operator("test::neg"), {x, negated, negated});
  b.move(negated, out);
  b.jump_if_false(b.add_bool(false), 6);
  b.call_kernel(b.add_operator("test::add"), {x, x, doubled, doubled});
  b.move(doubled, out);
  b.begin_chain();
  b.call_kernel(b.add_operator("test::scratch"), {out, b.add_int(64), x, x});
  b.set_inputs({condition, x});
  b.set_outputs({out});
  return b.build();
}

PteFile delegates_and_state() {
  ProgramBuilder b;
  const int x = b.add_planned_tensor({2});
  TensorOptions state_options;
  state_options.sizes = {2};
  state_options.memory_id = 2;
  state_options.name = "state";
  state_options.data_buffer_idx = b.add_mutable_data({0, 0, 128, 63, 0, 0, 0, 64});
  const int state = b.add_tensor(state_options);
  TensorOptions weight_options;
  weight_options.sizes = {2};
  weight_options.name = "weight";
  weight_options.external = true;
  const int weight = b.add_tensor(weight_options);
  b.add_named_data("weight", {0, 0, 128, 63, 0, 0, 0, 64});
  const int out = b.add_planned_tensor({2});
  b.set_planned_buffers({64, 8});
  b.call_delegate(b.add_delegate(kSampleBackend, {1, 2, 3}, false, {{"key", "value"}}), {x, out});
  b.call_delegate(b.add_delegate(kSampleBackend, {4, 5}, true), {out, out});
  const int add = b.add_operator("test::add");
  b.call_kernel(b.add_operator("test::add_", ""), {state, out, state});
  b.call_kernel(add, {state, weight, out, out});
  b.set_inputs({x});
  b.set_outputs({out});
  return b.build();
}

}  // namespace

std::vector<PteFile> sample_programs() {
  std::vector<PteFile> programs;
  programs.push_back(arithmetic());
  programs.push_back(every_value());
  programs.push_back(dynamic_shapes());
  programs.push_back(control_flow());
  programs.push_back(delegates_and_state());
  programs.push_back(unbounded_sizes());
  return programs;
}

}  // namespace testing
}  // namespace runtime
}  // namespace executorch
