#include <executorch/backends/xnnpack/runtime/datatypes.h>

namespace executorch {
namespace backends {
namespace xnnpack {

namespace {

struct Datatype {
  /// XNNPACK's numbers are its own; the file's are fixed.
  fb_xnnpack::XNNDatatype stored;
  xnn_datatype datatype;
  size_t constant_bits;
  const char* name;
};

constexpr Datatype kDatatypes[] = {
    {fb_xnnpack::XNNDatatype::xnn_datatype_fp32, xnn_datatype_fp32, 32, "fp32"},
    // Widened where it comes in, narrowed where it goes out.
    {fb_xnnpack::XNNDatatype::xnn_datatype_bf16, xnn_datatype_fp32, 32, "fp32"},
    {fb_xnnpack::XNNDatatype::xnn_datatype_fp16, xnn_datatype_fp16, 16, "fp16"},
    {fb_xnnpack::XNNDatatype::xnn_datatype_qint8, xnn_datatype_qint8, 8, "qint8"},
    {fb_xnnpack::XNNDatatype::xnn_datatype_quint8, xnn_datatype_quint8, 8, "quint8"},
    {fb_xnnpack::XNNDatatype::xnn_datatype_qint32, xnn_datatype_qint32, 32, "qint32"},
    {fb_xnnpack::XNNDatatype::xnn_datatype_qcint8, xnn_datatype_qcint8, 8, "qcint8"},
    {fb_xnnpack::XNNDatatype::xnn_datatype_qcint32, xnn_datatype_qcint32, 32, "qcint32"},
    {fb_xnnpack::XNNDatatype::xnn_datatype_qcint4, xnn_datatype_qcint4, 4, "qcint4"},
    {fb_xnnpack::XNNDatatype::xnn_datatype_qdint8, xnn_datatype_qdint8, 0, "qdint8"},
    {fb_xnnpack::XNNDatatype::xnn_datatype_qbint4, xnn_datatype_qbint4, 4, "qbint4"},
};

const Datatype* find(xnn_datatype datatype) {
  for (const Datatype& known : kDatatypes) {
    if (known.datatype == datatype) {
      return &known;
    }
  }
  return nullptr;
}

}  // namespace

xnn_datatype datatype_of(fb_xnnpack::XNNDatatype stored) {
  for (const Datatype& known : kDatatypes) {
    if (known.stored == stored) {
      return known.datatype;
    }
  }
  return xnn_datatype_invalid;
}

size_t bits_of(xnn_datatype datatype) {
  const Datatype* const known = find(datatype);
  return known == nullptr ? 0 : known->constant_bits;
}

const char* name_of(xnn_datatype datatype) {
  const Datatype* const known = find(datatype);
  return known == nullptr ? "no" : known->name;
}

}  // namespace xnnpack
}  // namespace backends
}  // namespace executorch
