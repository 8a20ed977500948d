#include <limits>

#include <executorch/backends/vulkan/runtime/graph/ops/ops.h>

namespace executorch {
namespace backends {
namespace vulkan {
namespace {

/// Where the arguments of a quantized linear stand; a group size at 0 is the whole depth.
struct Places {
  size_t weight, scales, group_size, bias, out;
  bool is_eight_bit, is_dynamic;
};

constexpr Places kPlaces[] = {
    {1, 2, 3, 4, 5, false, false}, {1, 2, 0, 3, 4, true, false}, {3, 5, 6, 7, 8, false, true},
    {1, 2, 3, 4, 5, true, false},  {3, 5, 6, 7, 8, true, true},
};
constexpr int64_t kRowsTogether = 4;

/// Adds what rows are quantized by, each or all of them, and the sums of the weights of each group.
bool add_rows(Call& call, int64_t rows, int64_t depth, int64_t group, size_t scales,
              bool is_eight_bit, Buffers& buffers) {
  const GraphTensor& sums = call.tensor(4);
  const int64_t word = is_eight_bit ? 4 : 8;
  const int64_t count = call.tensor(1).numel();
  const bool fits = (count == rows || count == 1) && call.tensor(2).numel() == count &&
                    call.tensor(1).element() == Element::Float &&
                    call.tensor(2).element() == Element::Int;
  if (!call.expect(fits, "it needs a scale and a zero point for each row, or for all") ||
      !call.expect(sums.element() == Element::Int && sums.numel() == call.tensor(scales).numel(),
                   "it needs the sums of its weights") ||
      !call.expect(group % word == 0 && depth % word == 0, "its groups are no whole words")) {
    return false;
  }
  buffers.insert(buffers.end(), {call.in(1), call.in(2), call.in(4)});
  return true;
}

/// With or without the dimension that is reduced, as was planned.
Sizes sizes_of_scales(const GraphTensor& x, const GraphTensor& planned) {
  Sizes sizes = x.sizes;
  sizes.back() = 1;
  if (planned.rank() < sizes.size()) {
    sizes.pop_back();
  }
  return sizes;
}

}  // namespace

void record_quantized_linear(Call& call, int kind) {
  const Places& at = kPlaces[kind];
  const GraphTensor& x = call.tensor(0);
  const GraphTensor& weight = call.tensor(at.weight);
  const GraphTensor& scales = call.tensor(at.scales);
  if (!call.expect(
          call.is_constant(at.weight) && weight.rank() == 2 && size_of(weight.staging) == 1,
          "its weights are no constant of bytes")) {
    return;
  }
  const int64_t columns = weight.sizes[0];
  const int64_t depth = weight.sizes[1] * (at.is_eight_bit ? 1 : 2);
  const int64_t group = at.group_size == 0 ? depth : call.integer(at.group_size);
  const bool has_bias = !call.is_none(at.bias);
  const bool fits = x.rank() >= 1 && x.sizes.back() == depth && group > 0 && depth % group == 0 &&
                    scales.numel() == depth / group * columns &&
                    (!has_bias || call.tensor(at.bias).numel() == columns);
  if (!call.expect(fits, "the shapes of its arguments do not fit") ||
      !call.expect(x.element() != Element::Int && scales.element() == x.element() &&
                       call.output(at.out).element() == x.element() &&
                       (!has_bias || call.tensor(at.bias).element() == x.element()),
                   "its arguments are not of one type of floats")) {
    return;
  }
  Sizes sizes = x.sizes;
  sizes.back() = columns;
  call.resize(at.out, sizes);
  const int64_t rows = product_of(sizes, 0, sizes.size() - 1);
  Buffers buffers = {call.out(at.out), call.in(0), call.in(at.weight, Packing::Words),
                     call.in(at.scales), call.in(has_bias ? at.bias : at.scales)};
  std::string shader = shader_for(at.is_dynamic ? "linear_rows" : "linear", x);
  shader += at.is_eight_bit ? "_q8" : "_q4";
  if (at.is_dynamic) {
    if (!add_rows(call, rows, depth, group, at.scales, at.is_eight_bit, buffers)) {
      return;
    }
    shader += call.dot_suffix();
  }
  const bool has_own_scales = at.is_dynamic && call.tensor(1).numel() == rows;
  Parameters parameters;
  parameters.set(0, {rows, columns, depth, group, has_own_scales ? 1 : 0});
  call.dispatch_grid(shader, buffers, parameters, columns,
                     (rows + kRowsTogether - 1) / kRowsTogether, 1, {has_bias ? 1u : 0u});
}

void record_quantized_embedding(Call& call, int kind) {
  const bool is_eight_bit = kind == 1;
  const size_t indices = is_eight_bit ? 2 : 3;
  const size_t out = call.num_arguments() - 1;
  const GraphTensor& weight = call.tensor(0);
  const GraphTensor& scales = call.tensor(1);
  const GraphTensor& numbers = call.tensor(indices);
  if (!call.expect(call.num_arguments() == (is_eight_bit ? 4u : 6u) && call.is_constant(0) &&
                       weight.rank() == 2 && size_of(weight.staging) == 1,
                   "its table is no constant of bytes")) {
    return;
  }
  const int64_t rows = weight.sizes[0];
  const int64_t columns = weight.sizes[1] * (is_eight_bit ? 1 : 2);
  const int64_t group = is_eight_bit ? columns : call.integer(2);
  if (!call.expect(
          rows > 0 && group > 0 && columns % group == 0 && scales.numel() == columns / group * rows,
          "the shapes of its arguments do not fit") ||
      !call.expect(numbers.element() == Element::Int && scales.element() != Element::Int &&
                       scales.element() == call.output(out).element(),
                   "its arguments have other types")) {
    return;
  }
  Sizes sizes = numbers.sizes;
  sizes.push_back(columns);
  call.resize(out, sizes);
  Parameters parameters;
  parameters.set(0, {product_of(sizes), columns, numbers.numel(), rows, group});
  call.dispatch_elements(shader_for("embedding", scales) + (is_eight_bit ? "_q8" : "_q4"),
                         {call.out(out), call.in(0, Packing::Words), call.in(1), call.in(indices)},
                         parameters, product_of(sizes));
}

void record_choose_qparams(Call& call, int kind) {
  const GraphTensor& x = call.tensor(0);
  const size_t out = call.num_arguments() - 1;
  const bool is_of_all = kind == kOfAll;
  const Sizes block = is_of_all ? Sizes() : call.integers(2);
  bool fits = x.rank() >= 1 && x.element() != Element::Int;
  fits = fits && (is_of_all || block.size() == x.rank());
  for (size_t d = 0; fits && d < block.size(); ++d) {
    fits = block[d] == (d + 1 == block.size() ? x.sizes[d] : 1);
  }
  const std::string mapping = is_of_all ? "ASYMMETRIC" : call.text(1);
  const size_t limits = is_of_all ? 1 : 4;
  const double least = call.number(limits);
  const double most = call.number(limits + 1);
  if (!call.expect(fits, "only blocks of one row are there") ||
      !call.expect(mapping == "ASYMMETRIC" || mapping == "SYMMETRIC", "its mapping is unknown") ||
      !call.expect(most > least && least >= INT32_MIN && most <= INT32_MAX,
                   "its range is no range") ||
      !call.expect(call.output(out, 0).element() == Element::Float &&
                       call.output(out, 1).element() == Element::Int,
                   "its results have another type")) {
    return;
  }
  const int64_t length = is_of_all ? x.numel() : x.sizes.back();
  for (size_t nth = 0; nth < 2; ++nth) {
    call.resize(out, is_of_all ? Sizes{1} : sizes_of_scales(x, call.output(out, nth)), nth);
  }
  const int64_t lines = is_of_all ? 1 : product_of(x.sizes, 0, x.rank() - 1);
  Parameters parameters;
  parameters.set(0, {lines, length});
  const double epsilon =
      x.element() == Element::Half ? 0.0009765625 : std::numeric_limits<float>::epsilon();
  parameters.set(2, static_cast<float>(least)).set(3, static_cast<float>(most));
  parameters.set(4, static_cast<float>(call.number_or(limits + 2, epsilon)));
  call.set_num_written(2);
  call.dispatch_lines(shader_for("choose_qparams", x),
                      {call.out(out, 0), call.out(out, 1), call.in(0)}, parameters, lines, length,
                      {mapping == "SYMMETRIC" ? 1u : 0u});
}

}  // namespace vulkan
}  // namespace backends
}  // namespace executorch
