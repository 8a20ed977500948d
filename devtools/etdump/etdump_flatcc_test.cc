// What ETDumpGen writes is a valid ETDump with all that it was told, in memory of any size.

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <executorch/devtools/etdump/data_sinks/buffer_data_sink.h>
#include <executorch/devtools/etdump/data_sinks/file_data_sink.h>
#include <executorch/devtools/etdump/etdump_flatcc.h>
#include <executorch/runtime/core/exec_aten/exec_aten.h>
#include <executorch/schema/etdump_generated.h>

namespace executorch {
namespace etdump {
namespace {

using runtime::DebugHandle;
using runtime::Error;
using runtime::EValue;
using runtime::EventTracerEntry;
using runtime::LoggedEValueType;
using runtime::Result;
using runtime::Span;

/// The bytes of an ETDump, checked by the verifier of the schema.
class Dump {
 public:
  explicit Dump(ETDumpGen& gen) {
    const ETDumpResult result = gen.get_etdump_data();
    const auto* bytes = static_cast<const uint8_t*>(result.buf);
    bytes_.assign(bytes, bytes + result.size);
    if (!gen.is_static_etdump()) {
      std::free(result.buf);
    }
  }

  bool valid() const {
    flatbuffers::Verifier::Options options;
    options.check_alignment = true;
    flatbuffers::Verifier verifier(bytes_.data(), bytes_.size(), options);
    return ::etdump::VerifySizePrefixedETDumpBuffer(verifier);
  }

  const ::etdump::ETDump& operator*() const {
    return *::etdump::GetSizePrefixedETDump(bytes_.data());
  }
  const ::etdump::RunData& run(flatbuffers::uoffset_t i) const {
    return *(**this).run_data()->Get(i);
  }
  size_t size() const { return bytes_.size(); }

 private:
  std::vector<uint8_t> bytes_;
};

/// A float tensor with what it points to.
struct OwnTensor {
  int32_t sizes[2] = {2, 3};
  int32_t strides[2] = {3, 1};
  uint8_t dim_order[2] = {0, 1};
  float data[6] = {1, 2, 3, 4, 5, 6};
  aten::TensorImpl impl{aten::ScalarType::Float, 2, sizes, data, dim_order, strides};
  aten::Tensor tensor{&impl};
};

void record_one_run(ETDumpGen& gen, const char* name = "Execute") {
  gen.create_event_block(name);
  const EventTracerEntry whole = gen.start_profiling("Method::execute");
  gen.set_chain_debug_handle(0, 3);
  const EventTracerEntry call = gen.start_profiling("OPERATOR_CALL");
  gen.end_profiling(call);
  gen.set_chain_debug_handle(runtime::kUnsetChainId, runtime::kUnsetDebugHandle);
  gen.end_profiling(whole);
}

class ETDumpTest : public ::testing::TestWithParam<bool> {
 protected:
  ETDumpTest()
      : memory_(GetParam() ? 8192 : 0), gen_(Span<uint8_t>(memory_.data(), memory_.size())) {}

  std::vector<uint8_t> memory_;
  ETDumpGen gen_;
};

INSTANTIATE_TEST_SUITE_P(Memory, ETDumpTest, ::testing::Bool());

TEST_P(ETDumpTest, NothingIsAnEmptyResult) {
  EXPECT_EQ(gen_.is_static_etdump(), GetParam());
  const ETDumpResult result = gen_.get_etdump_data();
  EXPECT_EQ(result.buf, nullptr);
  EXPECT_EQ(result.size, 0u);
}

TEST_P(ETDumpTest, EventsOfSeveralRuns) {
  record_one_run(gen_, "Default");
  gen_.set_bundled_input_index(4);
  record_one_run(gen_);
  EXPECT_EQ(gen_.get_num_blocks(), 2u);
  const Dump dump(gen_);
  ASSERT_TRUE(dump.valid());
  ASSERT_EQ((*dump).run_data()->size(), 2u);
  EXPECT_EQ(dump.run(0).name()->str(), "Default");
  EXPECT_EQ(dump.run(0).bundled_input_index(), -1);
  EXPECT_EQ(dump.run(1).bundled_input_index(), 4);
  const auto* events = dump.run(1).events();
  ASSERT_EQ(events->size(), 2u);
  const auto* call = events->Get(0)->profile_event();
  EXPECT_EQ(call->name()->str(), "OPERATOR_CALL");
  EXPECT_EQ(call->chain_index(), 0);
  EXPECT_EQ(call->instruction_id(), 3);
  EXPECT_EQ(call->delegate_debug_id_int(), -1);
  EXPECT_LE(call->start_time(), call->end_time());
  const auto* whole = events->Get(1)->profile_event();
  EXPECT_EQ(whole->name()->str(), "Method::execute");
  EXPECT_EQ(whole->chain_index(), -1);
  EXPECT_EQ(whole->instruction_id(), 0);
}

TEST_P(ETDumpTest, TheResultStaysUntilTheNextEvent) {
  record_one_run(gen_);
  const Dump first(gen_);
  const Dump again(gen_);
  EXPECT_EQ(first.size(), again.size());
  record_one_run(gen_, "Later");
  const Dump later(gen_);
  ASSERT_TRUE(later.valid());
  ASSERT_EQ((*later).run_data()->size(), 1u);
  EXPECT_EQ(later.run(0).name()->str(), "Later");
}

TEST_P(ETDumpTest, AnEventThatOutlivesItsETDumpIsDropped) {
  gen_.create_event_block("One");
  const EventTracerEntry entry = gen_.start_profiling("event");
  gen_.reset();
  gen_.create_event_block("Two");
  gen_.end_profiling(entry);
  const Dump dump(gen_);
  ASSERT_TRUE(dump.valid());
  EXPECT_EQ(dump.run(0).events()->size(), 0u);
}

TEST_P(ETDumpTest, EventsOfDelegates) {
  const uint8_t metadata[3] = {1, 0, 255};
  gen_.set_chain_debug_handle(1, 2);  // No block: one is made.
  gen_.end_profiling_delegate(gen_.start_profiling_delegate("conv", -1), metadata, 3);
  gen_.end_profiling_delegate(gen_.start_profiling_delegate(nullptr, 9));
  gen_.log_profiling_delegate("late", -1, 100, 250, metadata, 3);
  const Dump dump(gen_);
  ASSERT_TRUE(dump.valid());
  EXPECT_EQ(dump.run(0).name()->str(), "Default");
  const auto* events = dump.run(0).events();
  ASSERT_EQ(events->size(), 3u);
  const auto* named = events->Get(0)->profile_event();
  EXPECT_EQ(named->name(), nullptr);
  EXPECT_EQ(named->delegate_debug_id_str()->str(), "conv");
  EXPECT_EQ(named->instruction_id(), 2);
  ASSERT_EQ(named->delegate_debug_metadata()->size(), 3u);
  EXPECT_EQ(std::memcmp(named->delegate_debug_metadata()->data(), metadata, 3), 0);
  EXPECT_EQ(events->Get(1)->profile_event()->delegate_debug_id_int(), 9);
  EXPECT_EQ(events->Get(1)->profile_event()->delegate_debug_id_str(), nullptr);
  EXPECT_EQ(events->Get(2)->profile_event()->start_time(), 100u);
  EXPECT_EQ(events->Get(2)->profile_event()->end_time(), 250u);
}

TEST_P(ETDumpTest, Allocations) {
  gen_.create_event_block("Default");
  EXPECT_EQ(gen_.track_allocator("planned"), 1u);
  EXPECT_EQ(gen_.track_allocator("temp"), 2u);
  gen_.track_allocation(2, 4096);
  const Dump dump(gen_);
  ASSERT_TRUE(dump.valid());
  ASSERT_EQ(dump.run(0).allocators()->size(), 2u);
  EXPECT_EQ(dump.run(0).allocators()->Get(0)->name()->str(), "planned");
  EXPECT_EQ(dump.run(0).allocators()->Get(1)->name()->str(), "temp");
  const auto* event = dump.run(0).events()->Get(0)->allocation_event();
  EXPECT_EQ(event->allocator_id(), 2);
  EXPECT_EQ(event->allocation_size(), 4096u);
}

TEST_P(ETDumpTest, Values) {
  OwnTensor own;
  std::vector<uint8_t> buffer(1024);
  ASSERT_TRUE(gen_.set_debug_buffer(Span<uint8_t>(buffer.data(), buffer.size())).ok());
  ASSERT_TRUE(gen_.log_evalue(EValue(own.tensor)).get());
  ASSERT_TRUE(gen_.log_evalue(EValue(own.tensor), LoggedEValueType::kProgramOutput).get());
  ASSERT_TRUE(gen_.log_evalue(EValue(int64_t{-7}), LoggedEValueType::kProgramOutput).get());
  ASSERT_TRUE(gen_.log_evalue(EValue(0.5), LoggedEValueType::kProgramOutput).get());
  ASSERT_TRUE(gen_.log_evalue(EValue(true), LoggedEValueType::kProgramOutput).get());
  const aten::Tensor list[2] = {own.tensor, own.tensor};
  ASSERT_TRUE(
      gen_.log_intermediate_output_delegate("list", -1, aten::ArrayRef<aten::Tensor>(list, 2))
          .get());
  ASSERT_TRUE(gen_.log_intermediate_output_delegate(nullptr, 5, 2.5).get());
  EXPECT_EQ(gen_.log_evalue(EValue(), LoggedEValueType::kProgramOutput).error(),
            Error::InvalidArgument);
  EXPECT_EQ(gen_.log_intermediate_output_delegate("both", 5, 2.5).error(), Error::InvalidArgument);

  const Dump dump(gen_);
  ASSERT_TRUE(dump.valid());
  const auto* events = dump.run(0).events();
  ASSERT_EQ(events->size(), 7u);
  const auto value = [&](flatbuffers::uoffset_t i) {
    return events->Get(i)->debug_event()->debug_entry();
  };
  EXPECT_EQ(value(0)->val(), ::etdump::ValueType::Tensor);
  EXPECT_EQ(value(0)->output(), nullptr);
  EXPECT_TRUE(value(1)->output()->bool_val());
  for (flatbuffers::uoffset_t i : {0u, 1u}) {
    const auto* tensor = value(i)->tensor();
    EXPECT_EQ(tensor->sizes()->Get(0), 2);
    EXPECT_EQ(tensor->strides()->Get(0), 3);
    EXPECT_EQ(std::memcmp(buffer.data() + tensor->offset(), own.data, sizeof(own.data)), 0);
  }
  EXPECT_EQ(value(2)->int_value()->int_val(), -7);
  EXPECT_EQ(value(3)->double_value()->double_val(), 0.5);
  EXPECT_TRUE(value(4)->bool_value()->bool_val());
  EXPECT_EQ(value(5)->tensor_list()->tensors()->size(), 2u);
  EXPECT_EQ(events->Get(5)->debug_event()->delegate_debug_id_str()->str(), "list");
  EXPECT_EQ(events->Get(6)->debug_event()->delegate_debug_id_int(), 5);
}

TEST_P(ETDumpTest, TensorsNeedAPlace) {
  OwnTensor own;
  EXPECT_EQ(gen_.log_evalue(EValue(own.tensor), LoggedEValueType::kProgramOutput).error(),
            Error::InvalidState);
  EXPECT_EQ(gen_.set_debug_buffer({}).error(), Error::InvalidArgument);
  uint8_t small[8];
  ASSERT_TRUE(gen_.set_debug_buffer(Span<uint8_t>(small, 8)).ok());
  EXPECT_EQ(gen_.log_evalue(EValue(own.tensor), LoggedEValueType::kProgramOutput).error(),
            Error::OutOfResources);
}

class OnlyNumber final : public runtime::EventTracerFilterBase {
 public:
  Result<bool> filter(const char*, runtime::DelegateDebugIntId index) override {
    return index == 1;
  }
};

TEST_P(ETDumpTest, AFilterChoosesOutputsOfDelegates) {
  OnlyNumber filter;
  gen_.set_delegation_intermediate_output_filter(&filter);
  EXPECT_TRUE(gen_.log_intermediate_output_delegate(nullptr, 1, true).get());
  EXPECT_FALSE(gen_.log_intermediate_output_delegate(nullptr, 2, 3).get());
  const Dump dump(gen_);
  EXPECT_EQ(dump.run(0).events()->size(), 1u);
}

// Whatever its size and alignment, a buffer holds a valid ETDump of what came first, or none.
TEST(ETDumpMemoryTest, BuffersOfEverySize) {
  std::vector<uint8_t> memory(4096 + 32, 0xA5);
  size_t most = 0;
  for (size_t size = 1; size < 2500; size += 3) {
    for (size_t shift : {0u, 1u, 4u}) {
      std::fill(memory.begin(), memory.end(), uint8_t{0xA5});
      ETDumpGen gen(Span<uint8_t>(memory.data() + 16 + shift, size));
      for (int run = 0; run < 10; ++run) {
        record_one_run(gen, run % 2 == 0 ? "Execute" : "Another name that takes room");
        gen.track_allocator("allocator");
      }
      const ETDumpResult result = gen.get_etdump_data();
      for (size_t i = 0; i < 16 + shift; ++i) {
        ASSERT_EQ(memory[i], 0xA5) << "written before a buffer of " << size;
      }
      for (size_t i = 16 + shift + size; i < memory.size(); ++i) {
        ASSERT_EQ(memory[i], 0xA5) << "written behind a buffer of " << size;
      }
      if (result.size > 0) {
        const Dump dump(gen);
        ASSERT_TRUE(dump.valid()) << size;
        most = std::max<size_t>(most, (*dump).run_data()->size());
      }
    }
  }
  EXPECT_EQ(most, 10u);
}

TEST(ETDumpMemoryTest, GrowsWithManyEvents) {
  ETDumpGen gen;
  for (int run = 0; run < 500; ++run) {
    record_one_run(gen, std::to_string(run).c_str());
  }
  const Dump dump(gen);
  ASSERT_TRUE(dump.valid());
  ASSERT_EQ((*dump).run_data()->size(), 500u);
  EXPECT_EQ(dump.run(499).name()->str(), "499");
  EXPECT_EQ(dump.run(0).events()->Get(1)->profile_event()->name()->str(), "Method::execute");
  // Layouts and names that repeat are written once.
  EXPECT_LT(dump.size() / 500, 240u);
}

TEST(DataSinkTest, TensorsInMemoryAreAligned) {
  alignas(64) uint8_t buffer[256];
  Result<BufferDataSink> sink = BufferDataSink::create(buffer, sizeof(buffer), 32);
  ASSERT_TRUE(sink.ok());
  EXPECT_EQ(sink->write("abc", 3).get(), 0u);
  EXPECT_EQ(sink->write("defg", 4).get(), 32u);
  EXPECT_EQ(sink->write(nullptr, 0).get(), 36u);
  EXPECT_EQ(sink->get_used_bytes(), 36u);
  EXPECT_EQ(std::memcmp(buffer + 32, "defg", 4), 0);
  EXPECT_EQ(sink->write(buffer, 256).error(), Error::OutOfResources);
  EXPECT_EQ(BufferDataSink::create(buffer, sizeof(buffer), 3).error(), Error::InvalidArgument);
}

TEST(DataSinkTest, TensorsInAFile) {
  const std::string path = ::testing::TempDir() + "/etdump_sink.bin";
  {
    Result<FileDataSink> created = FileDataSink::create(path.c_str());
    ASSERT_TRUE(created.ok());
    FileDataSink sink = std::move(*created);
    EXPECT_EQ(sink.write("abc", 3).get(), 0u);
    EXPECT_EQ(sink.write("de", 2).get(), 3u);
    EXPECT_EQ(sink.get_used_bytes(), 5u);
    sink.close();
    EXPECT_EQ(sink.write("f", 1).error(), Error::AccessFailed);
  }
  std::FILE* file = std::fopen(path.c_str(), "rb");
  ASSERT_NE(file, nullptr);
  char content[6] = {};
  EXPECT_EQ(std::fread(content, 1, 6, file), 5u);
  std::fclose(file);
  std::remove(path.c_str());
  EXPECT_STREQ(content, "abcde");
  EXPECT_EQ(FileDataSink::create("/no/such/directory/file").error(), Error::AccessFailed);
}

}  // namespace
}  // namespace etdump
}  // namespace executorch
