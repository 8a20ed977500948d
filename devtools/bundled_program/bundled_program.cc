#include <cinttypes>
#include <cstring>
#include <optional>

#include <executorch/devtools/bundled_program/bundled_program.h>
#include <executorch/devtools/bundled_program/compare.h>
#include <executorch/runtime/core/event_tracer_hooks.h>
#include <executorch/runtime/core/exec_aten/util/dim_order_util.h>
#include <executorch/runtime/core/exec_aten/util/scalar_type_util.h>
#include <executorch/runtime/core/exec_aten/util/tensor_dimension_limit.h>
#include <executorch/runtime/platform/log.h>
#include <executorch/schema/bundled_program_generated.h>

namespace executorch {
namespace bundled_program {

namespace schema = bundled_program_flatbuffer;

using aten::DimOrderType;
using aten::ScalarType;
using aten::SizesType;
using aten::StridesType;
using runtime::Error;
using runtime::EValue;
using runtime::Method;
using runtime::Result;

namespace {

constexpr size_t kIdentifierEnd = 8;
constexpr char kProgramIdentifier[] = "ET12";
constexpr size_t kIdentifierLength = 4;

/// A tensor of the bundle with what a Tensor points to. Stays where it is made.
class BundledTensor {
 public:
  BundledTensor() = default;
  BundledTensor(const BundledTensor&) = delete;
  BundledTensor& operator=(const BundledTensor&) = delete;

  /// Reads and checks it; the data stay in the bundle.
  Error load(const schema::Tensor* tensor);
  aten::Tensor get() { return aten::Tensor(&*impl_); }

 private:
  SizesType sizes_[runtime::kTensorDimensionLimit];
  DimOrderType dim_order_[runtime::kTensorDimensionLimit];
  StridesType strides_[runtime::kTensorDimensionLimit];
  std::optional<aten::TensorImpl> impl_;
};

Error BundledTensor::load(const schema::Tensor* tensor) {
  ET_CHECK_OR_RETURN_ERROR(tensor != nullptr, InvalidProgram, "A bundled tensor is missing");
  const size_t rank = tensor->sizes() == nullptr ? 0 : tensor->sizes()->size();
  const auto type = static_cast<ScalarType>(tensor->scalar_type());
  ET_CHECK_OR_RETURN_ERROR(rank <= runtime::kTensorDimensionLimit && runtime::isValid(type),
                           InvalidProgram, "A bundled tensor has rank %zu and dtype %d", rank,
                           static_cast<int>(type));
  const size_t order = tensor->dim_order() == nullptr ? 0 : tensor->dim_order()->size();
  ET_CHECK_OR_RETURN_ERROR(order == rank || order == 0, InvalidProgram,
                           "A bundled tensor of rank %zu has %zu entries in its dim order", rank,
                           order);
  uint64_t bytes = runtime::elementSize(type);
  for (size_t i = 0; i < rank; ++i) {
    sizes_[i] = tensor->sizes()->Get(static_cast<flatbuffers::uoffset_t>(i));
    dim_order_[i] = order == 0 ? static_cast<DimOrderType>(i)
                               : tensor->dim_order()->Get(static_cast<flatbuffers::uoffset_t>(i));
    ET_CHECK_OR_RETURN_ERROR(
        sizes_[i] >= 0 && !__builtin_mul_overflow(bytes, static_cast<uint64_t>(sizes_[i]), &bytes),
        InvalidProgram, "Size %zu of a bundled tensor is %" PRId32, i, sizes_[i]);
  }
  const size_t have = tensor->data() == nullptr ? 0 : tensor->data()->size();
  ET_CHECK_OR_RETURN_ERROR(have == bytes, InvalidProgram,
                           "A bundled tensor has %zu bytes, expected %" PRIu64, have, bytes);
  // The runtime only reads through it.
  void* data = have == 0 ? nullptr : const_cast<uint8_t*>(tensor->data()->data());
  ET_CHECK_OR_RETURN_ERROR(
      reinterpret_cast<uintptr_t>(data) % runtime::elementSize(type) == 0, InvalidProgram,
      "The data of a bundled tensor are not aligned; load the bundle to an address aligned to 32");
  ET_CHECK_OK_OR_RETURN_ERROR(runtime::dim_order_to_stride(sizes_, dim_order_, rank, strides_),
                              "A bundled tensor has an invalid dim order");
  impl_.emplace(type, static_cast<ssize_t>(rank), sizes_, data, dim_order_, strides_);
  return Error::Ok;
}

Result<const schema::BundledMethodTestCase*> find_test_case(const Method& method,
                                                            SerializedBundledProgram* bundle,
                                                            size_t index) {
  ET_CHECK_OR_RETURN_ERROR(bundle != nullptr && schema::BundledProgramBufferHasIdentifier(bundle),
                           NotSupported, "The bytes are not a bundled program");
  const char* const name = method.method_meta().name();
  const auto* suites = schema::GetBundledProgram(bundle)->method_test_suites();
  for (flatbuffers::uoffset_t i = 0; suites != nullptr && i < suites->size(); ++i) {
    const schema::BundledMethodTestSuite* suite = suites->Get(i);
    if (suite->method_name() == nullptr || std::strcmp(suite->method_name()->c_str(), name) != 0) {
      continue;
    }
    const size_t count = suite->test_cases() == nullptr ? 0 : suite->test_cases()->size();
    ET_CHECK_OR_RETURN_ERROR(index < count, InvalidArgument,
                             "Test case %zu of method %s was asked for, there are %zu", index, name,
                             count);
    return suite->test_cases()->Get(static_cast<flatbuffers::uoffset_t>(index));
  }
  ET_LOG(Error, "The bundle has no test cases for method %s", name);
  return Error::InvalidArgument;
}

Error set_bundled_input(Method& method, const schema::Value* value, size_t index) {
  ET_CHECK_OR_RETURN_ERROR(value != nullptr && value->val() != nullptr, InvalidProgram,
                           "Bundled input %zu is missing", index);
  switch (value->val_type()) {
    case schema::ValueUnion::Tensor: {
      BundledTensor tensor;
      ET_CHECK_OK_OR_RETURN_ERROR(tensor.load(value->val_as_Tensor()), "Bundled input %zu", index);
      return method.set_input(EValue(tensor.get()), index);
    }
    case schema::ValueUnion::Int:
      return method.set_input(EValue(value->val_as_Int()->int_val()), index);
    case schema::ValueUnion::Bool:
      return method.set_input(EValue(value->val_as_Bool()->bool_val()), index);
    case schema::ValueUnion::Double:
      return method.set_input(EValue(value->val_as_Double()->double_val()), index);
    default:
      ET_LOG(Error, "Bundled input %zu is of an unknown kind", index);
      return Error::InvalidProgram;
  }
}

bool equal_scalars(const EValue& actual, const schema::Value* expected) {
  switch (expected->val_type()) {
    case schema::ValueUnion::Int:
      return actual.isInt() && actual.toInt() == expected->val_as_Int()->int_val();
    case schema::ValueUnion::Bool:
      return actual.isBool() && actual.toBool() == expected->val_as_Bool()->bool_val();
    case schema::ValueUnion::Double:
      return actual.isDouble() && actual.toDouble() == expected->val_as_Double()->double_val();
    default:
      return false;
  }
}

/// Calls `compare(output, value, index)` for each output until it fails.
template <typename Compare>
Error for_each_output(Method& method, SerializedBundledProgram* bundle, size_t testset_idx,
                      Compare&& compare) {
  const Result<const schema::BundledMethodTestCase*> test =
      find_test_case(method, bundle, testset_idx);
  if (!test.ok()) {
    return test.error();
  }
  const auto* expected = (*test)->expected_outputs();
  ET_CHECK_OR_RETURN_ERROR(expected != nullptr && expected->size() > 0, NotSupported,
                           "Test case %zu has no expected outputs", testset_idx);
  ET_CHECK_OR_RETURN_ERROR(expected->size() == method.outputs_size(), InvalidArgument,
                           "Test case %zu has %zu expected outputs, the method has %zu",
                           testset_idx, static_cast<size_t>(expected->size()),
                           method.outputs_size());
  for (flatbuffers::uoffset_t i = 0; i < expected->size(); ++i) {
    const schema::Value* value = expected->Get(i);
    ET_CHECK_OR_RETURN_ERROR(value->val() != nullptr, InvalidProgram,
                             "Expected output %zu is missing", static_cast<size_t>(i));
    ET_CHECK_OK_OR_RETURN_ERROR(compare(method.get_output(i), value, static_cast<size_t>(i)));
  }
  return Error::Ok;
}

}  // namespace

Error load_bundled_input(Method& method, SerializedBundledProgram* bundled_program_ptr,
                         size_t testset_idx) {
  const Result<const schema::BundledMethodTestCase*> test =
      find_test_case(method, bundled_program_ptr, testset_idx);
  if (!test.ok()) {
    return test.error();
  }
  const auto* inputs = (*test)->inputs();
  const size_t count = inputs == nullptr ? 0 : inputs->size();
  ET_CHECK_OR_RETURN_ERROR(count == method.inputs_size(), InvalidArgument,
                           "Test case %zu has %zu inputs, the method takes %zu", testset_idx, count,
                           method.inputs_size());
  for (size_t i = 0; i < count; ++i) {
    ET_CHECK_OK_OR_RETURN_ERROR(
        set_bundled_input(method, inputs->Get(static_cast<flatbuffers::uoffset_t>(i)), i));
  }
  runtime::internal::event_tracer_set_bundled_input_index(method.get_event_tracer(),
                                                          static_cast<int>(testset_idx));
  return Error::Ok;
}

Error verify_method_outputs(Method& method, SerializedBundledProgram* bundled_program_ptr,
                            size_t testset_idx, double rtol, double atol) {
  return for_each_output(
      method, bundled_program_ptr, testset_idx,
      [&](const EValue& output, const schema::Value* value, size_t i) {
        if (value->val_type() != schema::ValueUnion::Tensor) {
          ET_CHECK_OR_RETURN_ERROR(equal_scalars(output, value), NotFound,
                                   "Output %zu is not the expected value", i);
          return Error::Ok;
        }
        BundledTensor expected;
        ET_CHECK_OK_OR_RETURN_ERROR(expected.load(value->val_as_Tensor()));
        ET_CHECK_OR_RETURN_ERROR(output.isTensor(), NotFound, "Output %zu is not a tensor", i);
        const bool good = internal::are_comparable(output.toTensor(), expected.get(), i) &&
                          internal::are_close(output.toTensor(), expected.get(), rtol, atol, i);
        return good ? Error::Ok : Error::NotFound;
      });
}

ErrorStats compute_method_output_error_stats(Method& method,
                                             SerializedBundledProgram* bundled_program_ptr,
                                             size_t testset_idx) {
  internal::Distance distance;
  const Error status = for_each_output(
      method, bundled_program_ptr, testset_idx,
      [&](const EValue& output, const schema::Value* value, size_t i) {
        if (value->val_type() != schema::ValueUnion::Tensor) {
          return Error::Ok;
        }
        BundledTensor expected;
        ET_CHECK_OK_OR_RETURN_ERROR(expected.load(value->val_as_Tensor()));
        ET_CHECK_OR_RETURN_ERROR(
            output.isTensor() && internal::are_comparable(output.toTensor(), expected.get(), i),
            InvalidArgument, "Output %zu cannot be compared", i);
        internal::add_distance(output.toTensor(), expected.get(), distance);
        return Error::Ok;
      });
  const double count = distance.count == 0 ? 1.0 : static_cast<double>(distance.count);
  return {status, distance.abs_sum / count, distance.abs_max, distance.relative_sum / count,
          distance.relative_max};
}

bool is_bundled_program(void* file_data, size_t file_data_len) {
  return file_data != nullptr && file_data_len >= kIdentifierEnd &&
         schema::BundledProgramBufferHasIdentifier(file_data);
}

Error get_program_data(void* file_data, size_t file_data_len, const void** out_program_data,
                       size_t* out_program_data_len) {
  ET_CHECK_OR_RETURN_ERROR(out_program_data != nullptr && out_program_data_len != nullptr,
                           InvalidArgument, "There is no place for the result");
  if (is_bundled_program(file_data, file_data_len)) {
    flatbuffers::Verifier verifier(static_cast<const uint8_t*>(file_data), file_data_len);
    ET_CHECK_OR_RETURN_ERROR(schema::VerifyBundledProgramBuffer(verifier), InvalidProgram,
                             "The bundled program is damaged or cut off");
    const auto* program = schema::GetBundledProgram(file_data)->program();
    ET_CHECK_OR_RETURN_ERROR(program != nullptr && program->size() > 0, InvalidProgram,
                             "The bundled program holds no program");
    *out_program_data = program->data();
    *out_program_data_len = program->size();
    return Error::Ok;
  }
  const bool is_program =
      file_data != nullptr && file_data_len >= kIdentifierEnd &&
      std::memcmp(static_cast<const char*>(file_data) + kIdentifierEnd - kIdentifierLength,
                  kProgramIdentifier, kIdentifierLength) == 0;
  ET_CHECK_OR_RETURN_ERROR(is_program, NotSupported,
                           "The file is neither a bundled program nor a program");
  *out_program_data = file_data;
  *out_program_data_len = file_data_len;
  return Error::Ok;
}

}  // namespace bundled_program
}  // namespace executorch
