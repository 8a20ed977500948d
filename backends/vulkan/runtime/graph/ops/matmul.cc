#include <executorch/backends/vulkan/runtime/graph/ops/ops.h>

namespace executorch {
namespace backends {
namespace vulkan {
namespace {

/// Rows of a tile of glsl/matmul.glsl and glsl/matmul4.glsl, its columns, and the number of columns
/// up to which an invocation of the former makes only one. The latter has twice as many rows where
/// enough tiles are left for all of a device.
constexpr int64_t kRows = 4;
constexpr int64_t kTallRows = 8;
constexpr int64_t kColumns = 4;
constexpr int64_t kNarrow = 128;
constexpr int64_t kManyElements = 8192;

/// Whether rows of A and B lie one behind the other, and four of an A's row can be read at once.
bool is_dense(const Product& product) {
  return product.depth % 4 == 0 && product.depth_a == 1 && product.row_a == product.depth &&
         product.column_b == 1 && product.depth_b == product.columns;
}

}  // namespace

void record_product(Call& call, const GraphTensor& type, Buffer* out, Buffer* a, Buffer* b,
                    Buffer* bias, const Product& product) {
  Parameters parameters;
  parameters.set(0, {product.rows, product.columns, product.depth, product.batch_a, product.batch_b,
                     product.rows * product.columns, product.row_a, product.depth_a,
                     product.depth_b, product.column_b, product.row_bias, product.column_bias});
  parameters.set(12, product.alpha).set(13, product.beta);
  parameters.set(14, product.least).set(15, product.most);
  const bool is_row = product.rows == 1;
  int64_t rows = is_row ? 1 : kRows;
  int64_t columns = kColumns;
  std::string shader;
  if (is_dense(product)) {
    const bool is_loose = product.columns % kColumns != 0;
    const bool is_tall =
        product.rows > kRows && product.batches * product.rows * product.columns >= kManyElements;
    rows = is_tall ? kTallRows : rows;
    shader = shader_for("matmul4", type) + (is_row ? "_row" : (is_tall ? "_tall" : "")) +
             (is_loose ? "_loose" : "");
    columns = is_loose ? 1 : kColumns;
  } else {
    const bool is_narrow = product.columns <= kNarrow;
    shader = shader_for("matmul", type) + (is_row ? "_row" : (is_narrow ? "_narrow" : ""));
    columns = is_row || is_narrow ? 1 : kColumns;
  }
  call.dispatch_grid(shader, {out, a, b, bias == nullptr ? b : bias}, parameters,
                     (product.columns + columns - 1) / columns, (product.rows + rows - 1) / rows,
                     product.batches, {bias == nullptr ? 0u : 1u, product.is_clamped ? 1u : 0u});
}

void record_matmul(Call& call, int kind) {
  (void)kind;
  const GraphTensor& a = call.tensor(0);
  const GraphTensor& b = call.tensor(1);
  const size_t rank = a.rank();
  if (!call.expect((rank == 2 || rank == 3) && b.rank() == rank &&
                       a.sizes[rank - 1] == b.sizes[rank - 2] &&
                       (rank == 2 || a.sizes[0] == b.sizes[0]),
                   "the shapes of its arguments do not fit") ||
      !call.expect(a.element() != Element::Int && a.element() == b.element() &&
                       a.element() == call.output(2).element(),
                   "its arguments are not of one type of floats")) {
    return;
  }
  Sizes sizes = a.sizes;
  sizes[rank - 1] = b.sizes[rank - 1];
  call.resize(2, sizes);
  Product product;
  product.batches = rank == 3 ? sizes[0] : 1;
  product.rows = sizes[rank - 2];
  product.columns = sizes[rank - 1];
  product.depth = a.sizes[rank - 1];
  product.batch_a = product.rows * product.depth;
  product.batch_b = product.depth * product.columns;
  product.row_a = product.depth;
  product.depth_b = product.columns;
  record_product(call, a, call.out(2), call.in(0), call.in(1), nullptr, product);
}

void record_addmm(Call& call, int kind) {
  (void)kind;
  const GraphTensor& bias = call.tensor(0);
  const GraphTensor& a = call.tensor(1);
  const GraphTensor& b = call.tensor(2);
  if (!call.expect(a.rank() == 2 && b.rank() == 2 && a.sizes[1] == b.sizes[0] && bias.rank() <= 2,
                   "the shapes of its arguments do not fit") ||
      !call.expect(a.element() != Element::Int && a.element() == b.element() &&
                       a.element() == bias.element() && a.element() == call.output(5).element(),
                   "its arguments are not of one type of floats")) {
    return;
  }
  const Sizes sizes = {a.sizes[0], b.sizes[1]};
  bool is_ok = false;
  if (!call.expect(broadcast(bias.sizes, sizes, is_ok) == sizes && is_ok,
                   "what it adds does not broadcast")) {
    return;
  }
  call.resize(5, sizes);
  const Sizes strides = strides_over(bias.sizes, sizes);
  Product product;
  product.rows = sizes[0];
  product.columns = sizes[1];
  product.depth = a.sizes[1];
  product.row_a = product.depth;
  product.depth_b = product.columns;
  product.row_bias = strides[0];
  product.column_bias = strides[1];
  product.beta = static_cast<float>(call.number_or(3, 1));
  product.alpha = static_cast<float>(call.number_or(4, 1));
  record_product(call, a, call.out(5), call.in(1), call.in(2),
                 product.beta == 0 ? nullptr : call.in(0), product);
}

void record_linear(Call& call, int kind) {
  (void)kind;
  const GraphTensor& x = call.tensor(0);
  const GraphTensor& weight = call.tensor(1);
  if (!call.expect(x.rank() >= 1 && weight.rank() == 2 && x.sizes.back() == weight.sizes[1] &&
                       (call.is_none(2) || call.tensor(2).numel() == weight.sizes[0]),
                   "the shapes of its arguments do not fit") ||
      !call.expect(x.element() != Element::Int && x.element() == weight.element() &&
                       x.element() == call.output(3).element() &&
                       (call.is_none(2) || call.tensor(2).element() == x.element()),
                   "its arguments are not of one type of floats")) {
    return;
  }
  Sizes sizes = x.sizes;
  sizes.back() = weight.sizes[0];
  call.resize(3, sizes);
  const bool is_packed = call.is_constant(1);
  Product product;
  product.depth = weight.sizes[1];
  product.columns = weight.sizes[0];
  product.rows = product_of(sizes, 0, sizes.size() - 1);
  product.row_a = product.depth;
  product.depth_b = is_packed ? product.columns : 1;
  product.column_b = is_packed ? 1 : product.depth;
  product.column_bias = 1;
  Buffer* const bias = call.is_none(2) ? nullptr : call.in(2);
  record_product(call, x, call.out(3), call.in(0),
                 call.in(1, is_packed ? Packing::Transposed : Packing::Plain), bias, product);
}

void record_grouped_mm(Call& call, int kind) {
  (void)kind;
  constexpr size_t kOut = 3;
  const GraphTensor& x = call.tensor(0);
  const GraphTensor& w = call.tensor(1);
  const GraphTensor& ends = call.tensor(2);
  if (!call.expect(x.rank() == 2 && w.rank() == 3 && ends.rank() == 1 && x.sizes[1] == w.sizes[1] &&
                       ends.sizes[0] == w.sizes[0],
                   "the shapes of its arguments do not fit") ||
      !call.expect(x.element() != Element::Int && w.element() == x.element() &&
                       call.output(kOut).element() == x.element() && ends.element() == Element::Int,
                   "its arguments have other types")) {
    return;
  }
  const Sizes sizes = {x.sizes[0], w.sizes[2]};
  call.resize(kOut, sizes);
  Parameters parameters;
  parameters.set(0, {product_of(sizes), w.sizes[2], x.sizes[1], w.sizes[0]});
  call.dispatch_elements(shader_for("grouped_mm", x),
                         {call.out(kOut), call.in(0), call.in(1), call.in(2)}, parameters,
                         product_of(sizes));
}

}  // namespace vulkan
}  // namespace backends
}  // namespace executorch
