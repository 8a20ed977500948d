#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>
#include <xnnpack.h>

#include <executorch/backends/xnnpack/runtime/executor.h>
#include <executorch/backends/xnnpack/runtime/margin.h>
#include <executorch/backends/xnnpack/runtime/testing/graph_builder.h>
#include <executorch/backends/xnnpack/runtime/testing/graph_for_tests.h>
#include <executorch/runtime/core/portable_type/tensor_impl.h>
#include <executorch/runtime/platform/runtime.h>

namespace executorch {
namespace backends {
namespace xnnpack {
namespace {

using runtime::Error;
using runtime::EValue;
using testing::kNone;

/// Memory that ends where nothing may be read any more.
class Brink {
 public:
  explicit Brink(size_t size) : page_(static_cast<size_t>(sysconf(_SC_PAGESIZE))) {
    pages_ = (size + page_ - 1) / page_;
    void* const mapped = mmap(nullptr, (pages_ + 1) * page_, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    start_ = mapped == MAP_FAILED ? nullptr : static_cast<char*>(mapped);
    if (start_ != nullptr) {
      EXPECT_EQ(mprotect(start_ + pages_ * page_, page_, PROT_NONE), 0);
      data_ = start_ + pages_ * page_ - size;
    }
  }
  ~Brink() {
    if (start_ != nullptr) {
      munmap(start_, (pages_ + 1) * page_);
    }
  }
  Brink(const Brink&) = delete;
  Brink& operator=(const Brink&) = delete;

  void* data() const { return data_; }

 private:
  size_t page_;
  size_t pages_ = 0;
  char* start_ = nullptr;
  char* data_ = nullptr;
};

TEST(MarginTest, TheLastPageIsKnown) {
  const auto at = [](uintptr_t address) { return reinterpret_cast<const void*>(address); };
  // Under AddressSanitizer there is no margin anywhere.
  EXPECT_EQ(has_margin(at(4096), 4096 - XNN_EXTRA_BYTES), has_margin(at(4096), 1));
  EXPECT_FALSE(has_margin(at(4096), 4096 - XNN_EXTRA_BYTES + 1));
  EXPECT_FALSE(has_margin(at(4096), 4096));
  EXPECT_FALSE(has_margin(at(4096), 0));
}

TEST(MarginTest, CopiesAreMadeOnceAndGrow) {
  Brink few(8);
  Brink more(5000);
  std::memset(few.data(), 3, 8);
  std::memset(more.data(), 4, 5000);
  MarginCopy copy;
  const void* const first = copy.of(few.data(), 8);
  EXPECT_NE(first, few.data());
  EXPECT_EQ(std::memcmp(first, few.data(), 8), 0);
  EXPECT_EQ(copy.of(few.data(), 8), first);
  EXPECT_EQ(std::memcmp(copy.of(more.data(), 5000), more.data(), 5000), 0);
}

/// A float tensor over memory of the caller.
class Given {
 public:
  Given(std::vector<aten::SizesType> sizes, void* data) : sizes_(std::move(sizes)) {
    for (size_t i = 0; i < sizes_.size(); ++i) {
      order_.push_back(static_cast<aten::DimOrderType>(i));
      strides_.push_back(1);
    }
    for (size_t i = sizes_.size() - 1; i > 0; --i) {
      strides_[i - 1] = strides_[i] * sizes_[i];
    }
    impl_ = std::make_unique<aten::TensorImpl>(aten::ScalarType::Float, ssize_t(sizes_.size()),
                                               sizes_.data(), data, order_.data(), strides_.data());
  }
  EValue value() { return EValue(aten::Tensor(impl_.get())); }

 private:
  std::vector<aten::SizesType> sizes_;
  std::vector<aten::DimOrderType> order_;
  std::vector<aten::StridesType> strides_;
  std::unique_ptr<aten::TensorImpl> impl_;
};

/// Runs a graph on an input of ones that ends at the brink; the output.
std::vector<float> run(testing::GraphBuilder& graph, const runtime::NamedDataMap& named,
                       const std::vector<aten::SizesType>& in_sizes,
                       const std::vector<aten::SizesType>& out_sizes) {
  const auto count = [](const std::vector<aten::SizesType>& sizes) {
    size_t all = 1;
    for (const aten::SizesType size : sizes) {
      all *= size_t(size);
    }
    return all;
  };
  runtime::runtime_init();
  const std::string blob = graph.blob();
  const auto parsed = Blob::parse(blob.data(), blob.size());
  const auto executor = Executor::create(*parsed, &named, {});
  EXPECT_TRUE(executor.ok());
  const Brink memory(count(in_sizes) * sizeof(float));
  const std::vector<float> ones(count(in_sizes), 1.0F);
  std::memcpy(memory.data(), ones.data(), ones.size() * sizeof(float));
  std::vector<float> result(count(out_sizes));
  Given in(in_sizes, memory.data());
  Given out(out_sizes, result.data());
  EValue values[] = {in.value(), out.value()};
  EValue* args[] = {&values[0], &values[1]};
  EXPECT_EQ((*executor)->execute({args, 2}), Error::Ok);
  return result;
}

/// Sums of 3x3 windows over all channels.
void check_sums(fb_xnnpack::XNodeUnion kind, uint32_t padding, uint32_t channels) {
  testing::NamedData named;
  named.data = {{"filter", std::vector<float>(size_t{9} * channels, 1.0F)}};
  testing::GraphBuilder graph;
  const uint32_t x = graph.input({1, 4, 4, channels});
  const uint32_t filter = graph.constant({1, 3, 3, channels}, "filter");
  graph.convolution(kind, 3, padding, 1, channels, 1, x, filter, kNone, graph.output({1, 2, 2, 1}));
  EXPECT_EQ(run(graph, named, {1, 4, 4, aten::SizesType(channels)}, {1, 2, 2, 1}),
            std::vector<float>(4, 9.0F * float(channels)));
}

TEST(MarginTest, InputsMayEndWhereMemoryDoes) {
  // Which kernel XNNPACK takes, and so whether it reads on, depends on the processor.
  for (const uint32_t channels : {1, 2, 3, 5, 7, 13}) {
    check_sums(fb_xnnpack::XNodeUnion::XNNConv2d, 0, channels);
    check_sums(fb_xnnpack::XNodeUnion::XNNConvTranspose2d, 2, channels);
  }
}

/// Named data at the brink.
class DataAtTheBrink final : public runtime::NamedDataMap {
 public:
  explicit DataAtTheBrink(size_t count) : memory_(count * sizeof(float)), count_(count) {
    const std::vector<float> twos(count, 2.0F);
    std::memcpy(memory_.data(), twos.data(), count * sizeof(float));
  }
  runtime::Result<const runtime::TensorLayout> get_tensor_layout(std::string_view) const override {
    return Error::NotFound;
  }
  runtime::Result<runtime::FreeableBuffer> get_data(std::string_view) const override {
    return runtime::FreeableBuffer(memory_.data(), count_ * sizeof(float), nullptr);
  }
  Error load_data_into(std::string_view, void*, size_t) const override { return Error::NotFound; }
  runtime::Result<uint32_t> get_num_keys() const override { return 1U; }
  runtime::Result<const char*> get_key(uint32_t) const override { return Error::InvalidArgument; }

 private:
  Brink memory_;
  size_t count_;
};

TEST(MarginTest, ConstantsMayEndWhereAFileDoes) {
  for (const uint32_t count : {1, 3, 5, 9, 17}) {
    const DataAtTheBrink named(count);
    testing::GraphBuilder graph;
    const uint32_t x = graph.input({1, count});
    const uint32_t twos = graph.constant({1, count}, "twos");
    graph.binary(fb_xnnpack::XNodeUnion::XNNAdd, x, twos, graph.output({1, count}));
    const auto size = aten::SizesType(count);
    EXPECT_EQ(run(graph, named, {1, size}, {1, size}), std::vector<float>(count, 3.0F));
  }
}

}  // namespace
}  // namespace xnnpack
}  // namespace backends
}  // namespace executorch
