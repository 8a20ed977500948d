#include <algorithm>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <executorch/backends/apple/mps/runtime/MPSBackend.h>
#include <executorch/backends/apple/mps/runtime/blob.h>
#include <executorch/backends/apple/mps/runtime/linux/mock.h>
#include <executorch/runtime/core/exec_aten/testing_util/tensor_factory.h>
#include <executorch/runtime/platform/runtime.h>

#include "extension/apple/linux/leaks.h"

namespace executorch {
namespace backends {
namespace mps {
namespace {

using executorch::aten::ScalarType;
using executorch::aten::Tensor;
using flatbuffers::FlatBufferBuilder;
using flatbuffers::Offset;
using mpsgraph::MPSDataType;
using mpsgraph::MPSNodeUnion;
using runtime::BackendExecutionContext;
using runtime::BackendInitContext;
using runtime::BackendInterface;
using runtime::DelegateHandle;
using runtime::Error;
using runtime::EValue;
using runtime::FreeableBuffer;
using runtime::Result;
using runtime::testing::TensorFactory;

/// A graph of two inputs [2, 3] and [3], their sum, and the sum with a constant [3].
struct Written {
  const char* version = "0";
  mpsgraph::OpType kind = mpsgraph::OpType::mps_graph;
  int32_t second_operand = 1;
  int32_t first_result = 3;
  std::vector<int32_t> result_sizes = {2, 3};
  std::vector<int32_t> outputs = {3, 4};
  MPSDataType output_type = MPSDataType::mps_data_type_float32;
  uint64_t constant_bytes = 12;

  std::string bytes() const {
    FlatBufferBuilder builder;
    const std::vector<int32_t> sizes = {2, 3}, row = {3};
    const auto real = MPSDataType::mps_data_type_float32;
    const auto values = builder.CreateVector(std::vector<Offset<mpsgraph::MPSTensor>>{
        mpsgraph::CreateMPSTensorDirect(builder, real, 2, &sizes),
        mpsgraph::CreateMPSTensorDirect(builder, real, 1, &row),
        mpsgraph::CreateMPSTensorDirect(builder, real, 1, &row, constant_bytes),
        mpsgraph::CreateMPSTensorDirect(builder, output_type, 2, &result_sizes),
        mpsgraph::CreateMPSTensorDirect(builder, real, 2, &sizes)});
    const auto node = [&](int32_t one, int32_t other, int32_t made) {
      const auto sum = mpsgraph::Create_MPSNodeWithAlpha2x1(builder, one, other, made, 2);
      return mpsgraph::CreateMPSNode(builder, MPSNodeUnion::MPSAdd, sum.Union());
    };
    const auto nodes = builder.CreateVector(std::vector<Offset<mpsgraph::MPSNode>>{
        node(0, second_operand, first_result), node(3, 2, 4)});
    const std::vector<int32_t> inputs = {0, 1}, constants = {2};
    const auto graph = mpsgraph::CreateMPSGraph(
        builder, builder.CreateString(version), nodes, values, builder.CreateVector(inputs),
        builder.CreateVector(outputs), builder.CreateVector(constants), kind);
    mpsgraph::FinishMPSGraphBuffer(builder, graph);
    std::string made(24, '\0');
    made.append(reinterpret_cast<const char*>(builder.GetBufferPointer()), builder.GetSize());
    made.resize((made.size() + 15) / 16 * 16);
    const uint64_t begin = made.size(), size = 12;
    std::memcpy(&made[4], "MP00", 4);
    std::memcpy(&made[8], &begin, 8);
    std::memcpy(&made[16], &size, 8);
    return made + std::string(12, '\0');
  }
};

class MPSBackendTest : public ::testing::Test {
 protected:
  void SetUp() override {
    runtime::runtime_init();
    mock() = Mock();
    backend_ = runtime::get_backend_class(mps_backend_key);
    ASSERT_NE(backend_, nullptr);
    EXPECT_TRUE(backend_->is_available());
  }

  void TearDown() override {
    if (handle_ != nullptr) {
      backend_->destroy(handle_);
    }
  }

  Error load(const std::string& bytes) {
    if (handle_ != nullptr) {
      backend_->destroy(handle_);
      handle_ = nullptr;
    }
    std::vector<uint64_t> copy(bytes.size() / 8 + 1);
    std::memcpy(copy.data(), bytes.data(), bytes.size());
    FreeableBuffer processed(copy.data(), bytes.size(), nullptr);
    BackendInitContext context(nullptr);
    const Result<DelegateHandle*> made = backend_->init(context, &processed, {});
    if (made.ok()) {
      handle_ = *made;
    }
    return made.ok() ? Error::Ok : made.error();
  }

  Error run(std::vector<EValue> values, BackendExecutionContext context = {}) {
    std::vector<EValue*> args;
    for (EValue& one : values) {
      args.push_back(&one);
    }
    return backend_->execute(context, handle_, {args.data(), args.size()});
  }

  BackendInterface* backend_ = nullptr;
  DelegateHandle* handle_ = nullptr;
  TensorFactory<ScalarType::Float> floats_;
};

TEST_F(MPSBackendTest, ArgumentsGoWhereTheExecutableWantsThem) {
  ASSERT_EQ(load(Written().bytes()), Error::Ok);
  EXPECT_EQ(backend_->num_outputs(handle_), 2u);
  Tensor first = floats_.zeros({2, 3}), second = floats_.zeros({2, 3});
  ASSERT_EQ(run({floats_.ones({2, 3}), floats_.make({3}, {10, 20, 30}), first, second}), Error::Ok);
  // What the stand-in calculates: its inputs and results are the other way round.
  EXPECT_EQ(first.const_data_ptr<float>()[5], 6 + 2 * 60);
  EXPECT_EQ(second.const_data_ptr<float>()[0], 100 + 6 + 2 * 60);
}

TEST_F(MPSBackendTest, TheGraphIsMadeOfTheNodes) {
  ASSERT_EQ(load(Written().bytes()), Error::Ok);
  EXPECT_EQ(mock().compiles, 1);
  const std::string& calls = mock().calls;
  EXPECT_EQ(std::count(calls.begin(), calls.end(), '\n'), 11) << calls;
  EXPECT_NE(calls.find("\"multiplication\""), std::string::npos);
  EXPECT_NE(calls.find("\"addition\""), std::string::npos);
}

TEST_F(MPSBackendTest, AnInputMayBeAnOutputAndAnOutputTwo) {
  Written graph;
  graph.outputs = {0, 3, 3};
  ASSERT_EQ(load(graph.bytes()), Error::Ok);
  Tensor a = floats_.zeros({2, 3}), b = floats_.zeros({2, 3}), c = floats_.zeros({2, 3});
  EXPECT_EQ(run({floats_.ones({2, 3}), floats_.ones({3}), a, b, c}), Error::Ok);
  EXPECT_EQ(c.const_data_ptr<float>()[0], 200 + 6 + 2 * 3);
}

TEST_F(MPSBackendTest, GraphsThatDoNotFitTogetherAreRefused) {
  const auto refused = [&](void (*change)(Written&)) {
    Written graph;
    change(graph);
    return load(graph.bytes());
  };
  const Error wanted = Error::DelegateInvalidCompatibility;
  EXPECT_EQ(refused([](Written& one) { one.version = "1"; }), wanted);
  EXPECT_EQ(refused([](Written& one) { one.kind = mpsgraph::OpType::metal_kernel; }), wanted);
  EXPECT_EQ(refused([](Written& one) { one.second_operand = 4; }), wanted);
  EXPECT_EQ(refused([](Written& one) { one.second_operand = 9; }), wanted);
  EXPECT_EQ(refused([](Written& one) { one.second_operand = -1; }), wanted);
  EXPECT_EQ(refused([](Written& one) { one.first_result = -1; }), wanted);
  EXPECT_EQ(refused([](Written& one) { one.result_sizes = {3, 2}; }), wanted);
  EXPECT_EQ(refused([](Written& one) { one.result_sizes = {1 << 20, 1 << 20}; }), wanted);
  EXPECT_EQ(refused([](Written& one) { one.result_sizes = {2, -3}; }), wanted);
  EXPECT_EQ(refused([](Written& one) { one.outputs = {5}; }), wanted);
  EXPECT_EQ(refused([](Written& one) { one.outputs = {}; }), wanted);
  EXPECT_EQ(refused([](Written& one) { one.constant_bytes = 8; }), wanted);
  EXPECT_EQ(refused([](Written& one) { one.constant_bytes = 24; }), wanted);
  EXPECT_EQ(refused([](Written& one) { one.output_type = MPSDataType::mps_data_type_int32; }),
            wanted);
  EXPECT_EQ(refused([](Written& one) { one.output_type = MPSDataType::mps_data_type_uint4; }),
            wanted);
  EXPECT_EQ(load("no graph"), wanted);
  EXPECT_EQ(load(""), wanted);
}

TEST_F(MPSBackendTest, DamagedBytesAreRefusedOrAGraph) {
  // Objects of a graph that is given up halfway are left to the process.
  const LeaksAllowed allowed;
  const std::string whole = Written().bytes();
  std::mt19937 random(0);
  for (int i = 0; i < 4000; ++i) {
    std::string bytes = whole;
    for (size_t k = 0; k < 1 + random() % 3; ++k) {
      bytes[random() % bytes.size()] = static_cast<char>(random());
    }
    bytes.resize(i % 4 == 0 ? random() % bytes.size() : bytes.size());
    const Error error = load(bytes);
    EXPECT_TRUE(error == Error::Ok || error == Error::DelegateInvalidCompatibility);
  }
}

TEST_F(MPSBackendTest, BytesMayLieAnywhere) {
  const std::string whole = Written().bytes();
  for (size_t shift = 0; shift < 8; ++shift) {
    const std::string moved = std::string(shift, ' ') + whole;
    EXPECT_TRUE(read_blob(moved.data() + shift, whole.size()).ok()) << shift;
  }
}

TEST_F(MPSBackendTest, ArgumentsThatDoNotFitAreRefused) {
  ASSERT_EQ(load(Written().bytes()), Error::Ok);
  const Tensor x = floats_.ones({2, 3}), y = floats_.ones({3});
  Tensor out = floats_.zeros({2, 3}), other = floats_.zeros({3, 2});
  TensorFactory<ScalarType::Int> integers;
  EXPECT_EQ(run({x, y, out}), Error::InvalidArgument);
  EXPECT_EQ(run({y, x, out, out}), Error::InvalidArgument);
  EXPECT_EQ(run({x, EValue(1.0), out, out}), Error::InvalidArgument);
  EXPECT_EQ(run({x, integers.ones({3}), out, out}), Error::InvalidArgument);
  EXPECT_EQ(run({x, y, out, other}), Error::InvalidArgument);
  const auto never = [](const Tensor&) { return false; };
  EXPECT_EQ(run({x, y, out, out}, BackendExecutionContext(nullptr, nullptr, nullptr, never)),
            Error::InvalidProgram);
  EXPECT_EQ(run({x, y, out, out}), Error::Ok);
}

TEST_F(MPSBackendTest, FailuresOfTheDeviceAreSaid) {
  const std::string bytes = Written().bytes();
  mock().has_device = false;
  EXPECT_EQ(load(bytes), Error::NotSupported);
  mock() = Mock();
  mock().has_memory = false;
  EXPECT_EQ(load(bytes), Error::MemoryAllocationFailed);
  mock() = Mock();
  mock().compiles_fail = true;
  EXPECT_EQ(load(bytes), Error::DelegateInvalidCompatibility);
  mock() = Mock();
  ASSERT_EQ(load(bytes), Error::Ok);
  Tensor out = floats_.zeros({2, 3});
  mock().commands_fail = true;
  EXPECT_EQ(run({floats_.ones({2, 3}), floats_.ones({3}), out, out}), Error::Internal);
  mock().commands_fail = false;
  mock().commands_raise = true;
  EXPECT_EQ(run({floats_.ones({2, 3}), floats_.ones({3}), out, out}), Error::Internal);
  mock().commands_raise = false;
  EXPECT_EQ(run({floats_.ones({2, 3}), floats_.ones({3}), out, out}), Error::Ok);
}

}  // namespace
}  // namespace mps
}  // namespace backends
}  // namespace executorch
