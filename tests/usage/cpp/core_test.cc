// Code around the core types as users write it: results and errors, views, the macros of backends
// and kernels, allocators.
#include <array>
#include <cinttypes>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include <executorch/runtime/core/array_ref.h>
#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/evalue.h>
#include <executorch/runtime/core/exec_aten/exec_aten.h>
#include <executorch/runtime/core/function_ref.h>
#include <executorch/runtime/core/hierarchical_allocator.h>
#include <executorch/runtime/core/memory_allocator.h>
#include <executorch/runtime/core/result.h>
#include <executorch/runtime/core/span.h>
#include <executorch/runtime/core/tag.h>
#include <executorch/runtime/platform/assert.h>
#include <executorch/runtime/platform/log.h>
#include <executorch/runtime/platform/runtime.h>

namespace {

using executorch::aten::ArrayRef;
using executorch::runtime::Error;
using executorch::runtime::EValue;
using executorch::runtime::FunctionRef;
using executorch::runtime::HierarchicalAllocator;
using executorch::runtime::MemoryAllocator;
using executorch::runtime::Result;
using executorch::runtime::Span;
using executorch::runtime::Tag;

class CoreUsage : public ::testing::Test {
 protected:
  void SetUp() override { executorch::runtime::runtime_init(); }
};
using CoreUsageDeathTest = CoreUsage;

Result<std::string> read_name(bool fail) {
  if (fail) {
    return Error::NotFound;
  }
  return std::string("name");
}

Result<std::unique_ptr<int>> make_box(int value) {
  ET_CHECK_OR_RETURN_ERROR(value >= 0, InvalidArgument, "value %d is negative", value);
  return std::make_unique<int>(value);
}

Result<size_t> length_of_name(bool fail) {
  const std::string name = ET_UNWRAP(read_name(fail));
  return name.size();
}

Result<int> box_value(int value) {
  auto box = ET_UNWRAP(make_box(value), "no box for %d of %s", value, "the caller");
  return *box;
}

Result<int> sum_of_boxes(int first, int second) {
  ET_ASSIGN_OR_RETURN(a, make_box(first));
  ET_ASSIGN_OR_RETURN(b, make_box(second), "the second of %d and %d", first, second);
  return *a + *b;
}

Error passes_on(Error error) {
  ET_CHECK_OK_OR_RETURN_ERROR(error);
  return Error::Ok;
}

Error passes_on_with_text(Error error, int which) {
  ET_CHECK_OK_OR_RETURN_ERROR(error, "Step failed");
  ET_CHECK_OK_OR_RETURN_ERROR(error, "Step %d failed: 0x%" PRIx32, which,
                              static_cast<uint32_t>(error));
  return Error::Ok;
}

TEST_F(CoreUsage, MacrosReturnTheErrorOfTheFirstFailure) {
  EXPECT_EQ(length_of_name(false).get(), 4u);
  EXPECT_EQ(length_of_name(true).error(), Error::NotFound);
  EXPECT_EQ(box_value(3).get(), 3);
  EXPECT_EQ(box_value(-3).error(), Error::InvalidArgument);
  EXPECT_EQ(sum_of_boxes(2, 3).get(), 5);
  EXPECT_EQ(sum_of_boxes(2, -3).error(), Error::InvalidArgument);
  EXPECT_EQ(passes_on(Error::Ok), Error::Ok);
  EXPECT_EQ(passes_on(Error::AccessFailed), Error::AccessFailed);
  EXPECT_EQ(passes_on_with_text(Error::Ok, 1), Error::Ok);
  EXPECT_EQ(passes_on_with_text(Error::InvalidProgram, 1), Error::InvalidProgram);
}

TEST_F(CoreUsage, CleanUpLogsAndGoesOn) {
  int steps = 0;
  ET_CHECK_OR_LOG_ERROR(steps == 1, "%d steps", steps);
  ++steps;
  ET_CHECK_OR_LOG_ERROR(steps == 1, "not reached");
  EXPECT_EQ(steps, 1);
}

TEST_F(CoreUsage, ResultsMoveTheirValue) {
  Result<std::unique_ptr<int>> box = make_box(7);
  ASSERT_TRUE(box.ok());
  EXPECT_EQ(box.error(), Error::Ok);
  EXPECT_EQ(**box, 7);
  EXPECT_EQ(*box->get(), 7);
  Result<std::unique_ptr<int>> moved(std::move(box));
  const std::unique_ptr<int> value = std::move(*moved);
  EXPECT_EQ(*value, 7);
  // A result that failed with "Ok" is a mistake that must not look fine.
  const Result<int> odd(Error::Ok);
  EXPECT_FALSE(odd.ok());
  EXPECT_EQ(odd.error(), Error::Internal);
}

TEST_F(CoreUsageDeathTest, ValuesThatAreNotThereAbort) {
  const Result<int> failed(Error::InvalidState);
  EXPECT_DEATH((void)failed.get(), "");
  EXPECT_DEATH((void)*failed, "");
  EXPECT_DEATH(ET_CHECK(1 + 1 == 3), "");
  EXPECT_DEATH(ET_CHECK_MSG(false, "text %d", 42), "text 42");
  EXPECT_DEATH(ET_ASSERT_UNREACHABLE(), "");
  EXPECT_DEATH((void)EValue(true).toInt(), "");
  const std::array<int64_t, 2> values = {1, 2};
  EXPECT_DEATH((void)ArrayRef<int64_t>(values).at(2), "");
  EXPECT_DEATH((void)ArrayRef<int64_t>(values).slice(1, 2), "");
  EXPECT_DEATH((void)ArrayRef<int64_t>().front(), "");
}

TEST_F(CoreUsage, ViewsComeFromWhateverHoldsElements) {
  const std::vector<int64_t> vector = {1, 2, 3};
  const std::array<int64_t, 3> array = {1, 2, 3};
  const int64_t plain[] = {1, 2, 3};
  const ArrayRef<int64_t> views[] = {{vector.data(), vector.size()},
                                     ArrayRef<int64_t>(array),
                                     ArrayRef<int64_t>(plain),
                                     ArrayRef<int64_t>(plain, 3),
                                     ArrayRef<int64_t>(plain, plain + 3),
                                     executorch::runtime::makeArrayRef(plain),
                                     executorch::runtime::makeArrayRef(array),
                                     torch::executor::makeArrayRef(vector.data(), vector.size())};
  for (const ArrayRef<int64_t> view : views) {
    EXPECT_EQ(view, views[0]);
    EXPECT_EQ(view.slice(1).size(), 2u);
    EXPECT_EQ(view.slice(1, 1).front(), 2);
    EXPECT_EQ(view.back(), 3);
    int64_t sum = 0;
    for (const int64_t value : view) {
      sum += value;
    }
    EXPECT_EQ(sum, 6);
  }
  EXPECT_TRUE(ArrayRef<int64_t>().empty());
  EXPECT_NE(views[0], views[0].slice(1));

  std::vector<int> numbers = {4, 5};
  const Span<int> span(numbers.data(), numbers.size());
  span[0] = 6;
  EXPECT_EQ(numbers[0], 6);
  int three[] = {7, 8, 9};
  const Span<int> of_array(three);
  EXPECT_EQ(of_array.size(), 3u);
  EXPECT_EQ(of_array.end() - of_array.begin(), 3);
  const Span<int> of_one(numbers[1]);
  EXPECT_EQ(of_one.data(), numbers.data() + 1);
  EXPECT_EQ(of_one.size(), 1u);
  EXPECT_TRUE(Span<int>().empty());
}

TEST_F(CoreUsage, OptionalAndTextHaveSeveralNames) {
  exec_aten::optional<int64_t> none;
  torch::executor::optional<int64_t> two(2);
  none = torch::executor::nullopt;
  EXPECT_FALSE(none.has_value());
  none = executorch::aten::nullopt;
  EXPECT_EQ(two.value(), 2);
  const exec_aten::string_view text("tanh");
  EXPECT_TRUE(text == "tanh");
  EXPECT_EQ(torch::executor::string_view("tanh").compare(text), 0);
}

TEST_F(CoreUsage, CallablesAreBorrowed) {
  int calls = 0;
  const auto count = [&calls](int by) {
    calls += by;
    return calls;
  };
  const FunctionRef<int(int)> first = count;
  const FunctionRef<int(int)> second = first;
  EXPECT_EQ(first(2), 2);
  EXPECT_EQ(second(3), 5);
  EXPECT_TRUE(first == second);
  EXPECT_FALSE(FunctionRef<int(int)>() == first);
}

TEST_F(CoreUsage, ValuesSayWhatTheyAre) {
  const EValue values[] = {EValue(), EValue(true), EValue(int64_t{3}), EValue(2.5)};
  const char* const names[] = {"None", "Bool", "Int", "Double"};
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_STREQ(executorch::runtime::tag_to_string(values[i].tag), names[i]);
    char text[executorch::runtime::kTagNameBufferSize];
    EXPECT_EQ(executorch::runtime::tag_to_string(values[i].tag, text, sizeof(text)),
              std::strlen(names[i]));
    EXPECT_STREQ(text, names[i]);
  }
  EXPECT_TRUE(values[0].isNone());
  EXPECT_EQ(values[2].toScalar().to<int64_t>(), 3);
  EXPECT_EQ(values[2].to<int64_t>(), 3);
  EXPECT_DOUBLE_EQ(values[3].toDouble(), 2.5);
  EXPECT_EQ(values[2].tag, Tag::Int);
  EXPECT_FALSE(values[0].toOptional<int64_t>().has_value());
  EXPECT_EQ(values[2].toOptional<int64_t>().value(), 3);
}

/// Bindings make their own enumerations from the lists of names.
TEST_F(CoreUsage, MacrosListTagsAndDtypes) {
  std::vector<std::string> tags;
#define ADD_TAG(name)                                                                 \
  EXPECT_EQ(static_cast<size_t>(Tag::name), tags.size()) << #name << " is elsewhere"; \
  tags.push_back(#name);
  EXECUTORCH_FORALL_TAGS(ADD_TAG)
#undef ADD_TAG
  ASSERT_EQ(tags.size(), 12u);
  EXPECT_EQ(tags.front(), "None");
  EXPECT_EQ(tags.back(), "ListOptionalTensor");

  std::vector<std::string> dtypes;
#define ADD_DTYPE(ctype, name)                                                                \
  EXPECT_EQ(static_cast<size_t>(executorch::aten::ScalarType::name), dtypes.size()) << #name; \
  dtypes.push_back(#name);
  ET_FORALL_SCALAR_TYPES(ADD_DTYPE)
#undef ADD_DTYPE
  EXPECT_EQ(dtypes.size(), static_cast<size_t>(executorch::aten::ScalarType::Undefined));
  EXPECT_EQ(dtypes[6], "Float");
  EXPECT_FLOAT_EQ(static_cast<float>(executorch::runtime::etensor::Half(1.5f)), 1.5f);
  EXPECT_FLOAT_EQ(static_cast<float>(executorch::runtime::etensor::BFloat16(1.5f)), 1.5f);
}

/// Counts on top of another allocator, as applications do to find out how much they need.
class CountingAllocator final : public MemoryAllocator {
 public:
  explicit CountingAllocator(MemoryAllocator* parent)
      : MemoryAllocator(0, nullptr), parent_(parent) {}

  void* allocate(size_t size, size_t alignment = kDefaultAlignment) override {
    used_ += size;
    return parent_->allocate(size, alignment);
  }
  size_t used_size() const override { return used_; }
  size_t free_size() const override { return parent_->free_size(); }
  void reset() override {
    used_ = 0;
    parent_->reset();
  }

 private:
  MemoryAllocator* parent_;
  size_t used_ = 0;
};

Error use_memory(MemoryAllocator* allocator, size_t bytes) {
  void* block = allocator->allocate(bytes);
  int* number = allocator->allocateInstance<int>();
  int64_t* list = allocator->allocateList<int64_t>(4);
  ET_CHECK_OR_RETURN_ERROR(block != nullptr && number != nullptr && list != nullptr,
                           MemoryAllocationFailed, "%zu bytes are too many", bytes);
  *number = 1;
  list[3] = *number;
  return list[3] == 1 ? Error::Ok : Error::Internal;
}

TEST_F(CoreUsage, AllocatorsCanBeWrapped) {
  alignas(16) uint8_t pool[256];
  MemoryAllocator allocator(sizeof(pool), pool);
  CountingAllocator counting(&allocator);
  EXPECT_EQ(use_memory(&counting, 64), Error::Ok);
  const MemoryAllocator& base = counting;
  EXPECT_EQ(base.used_size(), 64 + sizeof(int) + 4 * sizeof(int64_t));
  EXPECT_EQ(base.free_size(), allocator.free_size());
  EXPECT_EQ(use_memory(&counting, 4096), Error::MemoryAllocationFailed);
  counting.reset();
  EXPECT_EQ(allocator.used_size(), 0u);
  EXPECT_EQ(allocator.allocate(8, 3), nullptr);
  const auto aligned = reinterpret_cast<uintptr_t>(allocator.allocate(8, 64));
  EXPECT_EQ(aligned % 64, 0u);
}

TEST_F(CoreUsage, PlannedBuffersMayHaveDevices) {
  using executorch::runtime::etensor::Device;
  using executorch::runtime::etensor::DeviceType;
  uint8_t fast[32];
  uint8_t slow[64];
  Span<uint8_t> buffers[] = {{fast, sizeof(fast)}, {slow, sizeof(slow)}};
  const Device devices[] = {Device(DeviceType::CPU), Device(DeviceType::CUDA, 0)};
  HierarchicalAllocator plain({buffers, 2});
  EXPECT_TRUE(plain.planned_buffer_devices().empty());
  HierarchicalAllocator placed({buffers, 2}, {devices, 2});
  ASSERT_EQ(placed.planned_buffer_devices().size(), 2u);
  EXPECT_EQ(placed.planned_buffer_devices()[1].type(), DeviceType::CUDA);
  EXPECT_EQ(placed.get_offset_address(1, 16, 48).get(), slow + 16);
  EXPECT_EQ(placed.get_offset_address(1, 17, 48).error(), Error::MemoryAllocationFailed);
  EXPECT_EQ(placed.get_offset_address(2, 0, 1).error(), Error::InvalidArgument);
}

}  // namespace
