#include <cstring>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <executorch/runtime/executor/program.h>
#include <executorch/runtime/executor/testing/method_harness.h>
#include <executorch/runtime/executor/testing/program_builder.h>

namespace executorch {
namespace runtime {
namespace testing {
namespace {

using Verification = Program::Verification;

constexpr Verification kLevels[] = {Verification::Minimal, Verification::InternalConsistency};

// A method without instructions that returns a constant, and another one.
PteFile small_program() {
  ProgramBuilder builder;
  builder.begin_method("forward");
  builder.set_outputs({builder.add_constant_tensor({1, 2, 3, 4})});
  builder.set_output_encoding("tuple of one");
  builder.begin_method("get_seven");
  builder.set_outputs({builder.add_int(7)});
  return builder.build();
}

Error load_error(const PteFile& file, Verification verification = Verification::Minimal) {
  MemoryLoader loader(file);
  return Program::load(&loader, verification).error();
}

void patch64(PteFile* file, size_t offset, uint64_t value) {
  std::memcpy(file->data() + offset, &value, sizeof(value));
}

TEST(ProgramLoadTest, LoadsOnBothLevelsAndFreesWhatItLoaded) {
  const PteFile file = small_program();
  for (const Verification verification : kLevels) {
    MemoryLoader loader(file);
    {
      Result<Program> program = Program::load(&loader, verification);
      ASSERT_EQ(program.error(), Error::Ok);
      EXPECT_EQ(program->num_methods(), 2u);
    }
    EXPECT_EQ(loader.num_loaded, loader.num_freed);
    const bool strict = verification == Verification::InternalConsistency;
    EXPECT_EQ(loader.num_loaded, strict ? 4 : 3) << "head, program, constants; the file's end";
  }
}

TEST(ProgramLoadTest, WithoutLoaderIsAnInvalidArgument) {
  EXPECT_EQ(Program::load(nullptr).error(), Error::InvalidArgument);
}

TEST(ProgramLoadTest, ForeignAndShortFilesAreInvalid) {
  EXPECT_EQ(load_error(PteFile(0)), Error::InvalidProgram);
  EXPECT_EQ(load_error(PteFile(63)), Error::InvalidProgram);
  EXPECT_EQ(load_error(PteFile(64)), Error::InvalidProgram);
  EXPECT_EQ(load_error(PteFile(4096)), Error::InvalidProgram);
  PteFile text(1024);
  std::memset(text.data(), 'x', text.size());
  EXPECT_EQ(load_error(text), Error::InvalidProgram);
}

TEST(ProgramLoadTest, EveryTruncationIsInvalid) {
  const PteFile file = small_program();
  for (size_t size = 0; size < file.size(); ++size) {
    const PteFile truncated(file.data(), size);
    for (const Verification verification : kLevels) {
      EXPECT_EQ(load_error(truncated, verification), Error::InvalidProgram) << size;
    }
  }
}

TEST(ProgramLoadTest, OtherFormatVersionsAreInvalid) {
  PteFile file = small_program();
  file.data()[7] = '9';
  EXPECT_EQ(load_error(file), Error::InvalidProgram);
}

TEST(ProgramLoadTest, NewerSchemaVersionsAreInvalid) {
  for (const uint32_t version : {1u, 7u, 0xFFFFFFFFu}) {
    ProgramBuilder builder;
    builder.set_outputs({builder.add_int(7)});
    builder.set_version(version);
    for (const Verification verification : kLevels) {
      EXPECT_EQ(load_error(builder.build(), verification), Error::InvalidProgram) << version;
    }
  }
}

TEST(ProgramLoadTest, DataMustBeAligned) {
  const PteFile file = small_program();
  PteFile shifted(file.size() + 1);
  std::memcpy(shifted.data() + 1, file.data(), file.size());
  class OffsetLoader final : public DataLoader {
   public:
    explicit OffsetLoader(const PteFile& file) : file_(file) {}
    Result<FreeableBuffer> load(size_t offset, size_t size, const SegmentInfo&) const override {
      return FreeableBuffer(file_.data() + 1 + offset, size, nullptr);
    }
    Result<size_t> size() const override { return file_.size() - 1; }

   private:
    const PteFile& file_;
  } loader(shifted);
  EXPECT_EQ(Program::load(&loader).error(), Error::InvalidArgument);
}

TEST(ProgramLoadTest, LoaderErrorsComeBack) {
  class BrokenLoader final : public DataLoader {
   public:
    Result<FreeableBuffer> load(size_t, size_t, const SegmentInfo&) const override {
      return Error::AccessFailed;
    }
    Result<size_t> size() const override { return size_t{4096}; }
  } loader;
  EXPECT_EQ(Program::load(&loader).error(), Error::AccessFailed);
}

TEST(ProgramLoadTest, ExtendedHeaderMustFitTheFile) {
  const PteFile good = small_program();
  const uint64_t size = good.size();
  const uint64_t wrong_program_sizes[] = {0, 63, size + 1, uint64_t{1} << 63, ~uint64_t{0}};
  for (const uint64_t wrong : wrong_program_sizes) {
    PteFile file = good;
    patch64(&file, 16, wrong);
    EXPECT_EQ(load_error(file), Error::InvalidProgram) << wrong;
  }
  const uint64_t wrong_bases[] = {1, 64, size + 1, ~uint64_t{0}, ~uint64_t{0} - 15};
  for (const uint64_t wrong : wrong_bases) {
    PteFile file = good;
    patch64(&file, 24, wrong);
    EXPECT_EQ(load_error(file), Error::InvalidProgram) << wrong;
  }
  const uint64_t wrong_data_sizes[] = {size, ~uint64_t{0}, ~uint64_t{0} - 127, 1};
  for (const uint64_t wrong : wrong_data_sizes) {
    PteFile file = good;
    patch64(&file, 32, wrong);
    EXPECT_EQ(load_error(file), Error::InvalidProgram) << wrong;
  }
  // A header that only says "no segments" leaves the constants without a place.
  PteFile file = good;
  patch64(&file, 24, 0);
  EXPECT_EQ(load_error(file), Error::InvalidProgram);
}

TEST(ProgramLoadTest, HeaderWithoutSegmentDataSizeIsAccepted) {
  PteFile file = small_program();
  file.data()[12] = 24;
  EXPECT_EQ(load_error(file), Error::Ok);
  file.data()[12] = 23;
  EXPECT_EQ(load_error(file), Error::InvalidProgram);
}

TEST(ProgramLoadTest, ConstantsInsideTheFlatbufferAreRefused) {
  ProgramBuilder empty;
  empty.add_inline_constant({});
  EXPECT_EQ(load_error(empty.build()), Error::Ok) << "the placeholder of old exporters";
  ProgramBuilder builder;
  builder.add_inline_constant({1, 2, 3, 4});
  EXPECT_EQ(load_error(builder.build()), Error::InvalidProgram);
}

TEST(ProgramHeaderTest, SaysWhatTheFileIs) {
  const PteFile file = small_program();
  EXPECT_EQ(Program::check_header(file.data(), file.size()), Program::CompatibleVersion);
  EXPECT_EQ(Program::check_header(file.data(), Program::kMinHeadBytes), Program::CompatibleVersion);
  EXPECT_EQ(Program::check_header(file.data(), Program::kMinHeadBytes - 1), Program::ShortData);
  EXPECT_EQ(Program::check_header(nullptr, 0), Program::ShortData);
  PteFile other = file;
  other.data()[6] = '0';
  other.data()[7] = '0';
  EXPECT_EQ(Program::check_header(other.data(), other.size()), Program::IncompatibleVersion);
  other.data()[4] = 'X';
  EXPECT_EQ(Program::check_header(other.data(), other.size()), Program::NotPresent);
}

class ProgramTest : public ::testing::Test {
 protected:
  ProgramTest() : file_(small_program()), loader_(file_), program_(Program::load(&loader_)) {}

  PteFile file_;
  MemoryLoader loader_;
  Result<Program> program_;
};

TEST_F(ProgramTest, NamesItsMethods) {
  ASSERT_EQ(program_->num_methods(), 2u);
  EXPECT_STREQ(*program_->get_method_name(0), "forward");
  EXPECT_STREQ(*program_->get_method_name(1), "get_seven");
  EXPECT_EQ(program_->get_method_name(2).error(), Error::InvalidArgument);
}

TEST_F(ProgramTest, UnknownMethodsAreInvalidArguments) {
  EXPECT_EQ(program_->method_meta("forwar").error(), Error::InvalidArgument);
  EXPECT_EQ(program_->method_meta("").error(), Error::InvalidArgument);
  EXPECT_EQ(program_->method_meta(nullptr).error(), Error::InvalidArgument);
  EXPECT_EQ(program_->load_method("backward", nullptr).error(), Error::InvalidArgument);
  EXPECT_EQ(program_->load_method("forward", nullptr).error(), Error::InvalidArgument);
}

TEST_F(ProgramTest, GivesConstantsWithinTheirBounds) {
  Result<const void*> data = program_->get_constant_buffer_data(1, 16);
  ASSERT_TRUE(data.ok());
  EXPECT_EQ(static_cast<const float*>(*data)[3], 4.0f);
  EXPECT_TRUE(program_->get_constant_buffer_data(1, 0).ok());
  EXPECT_EQ(program_->get_constant_buffer_data(1, 17).error(), Error::InvalidArgument);
  EXPECT_EQ(program_->get_constant_buffer_data(1, ~size_t{0}).error(), Error::InvalidArgument);
  EXPECT_EQ(program_->get_constant_buffer_data(2, 1).error(), Error::InvalidArgument);
  EXPECT_EQ(program_->get_constant_buffer_data(~size_t{0}, 1).error(), Error::InvalidArgument);
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
TEST_F(ProgramTest, GivesTheOutputEncoding) {
  EXPECT_STREQ(*program_->get_output_flattening_encoding(), "tuple of one");
  EXPECT_EQ(program_->get_output_flattening_encoding("get_seven").error(), Error::InvalidProgram);
  EXPECT_EQ(program_->get_output_flattening_encoding("absent").error(), Error::InvalidArgument);
}
#pragma GCC diagnostic pop

TEST_F(ProgramTest, MovesWithItsContent) {
  Program moved(std::move(*program_));
  EXPECT_EQ(moved.num_methods(), 2u);
  EXPECT_TRUE(moved.get_constant_buffer_data(1, 16).ok());
}

TEST(ProgramSegmentTest, LoadsSegmentsByIndex) {
  ProgramBuilder builder;
  builder.add_named_data("key", {5, 6, 7});
  const PteFile file = builder.build();
  MemoryLoader loader(file);
  Result<Program> program = Program::load(&loader);
  ASSERT_TRUE(program.ok());
  using SegmentInfo = DataLoader::SegmentInfo;
  Result<FreeableBuffer> segment =
      program->LoadSegment(SegmentInfo(SegmentInfo::Type::Constant, 2));
  ASSERT_TRUE(segment.ok());
  ASSERT_EQ(segment->size(), 3u);
  EXPECT_EQ(static_cast<const uint8_t*>(segment->data())[1], 6);
  EXPECT_EQ(program->LoadSegment(SegmentInfo(SegmentInfo::Type::Constant, 3)).error(),
            Error::NotFound);
}

TEST(ProgramSegmentTest, ProgramWithoutSegmentsHasNone) {
  ProgramBuilder builder;
  builder.set_outputs({builder.add_int(1)});
  const PteFile file = builder.build();
  MemoryLoader loader(file);
  Result<Program> program = Program::load(&loader);
  ASSERT_TRUE(program.ok());
  EXPECT_EQ(program->LoadSegment(DataLoader::SegmentInfo()).error(), Error::NotFound);
  EXPECT_EQ(program->load_mutable_subsegment_into(0, 1, 0, nullptr), Error::NotFound);
  EXPECT_EQ(program->get_named_data_map().error(), Error::NotFound);
}

TEST(ProgramSegmentTest, LoadsMutableDataWithinItsBounds) {
  ProgramBuilder builder;
  ASSERT_EQ(builder.add_mutable_data({1, 2, 3, 4}), 1u);
  ASSERT_EQ(builder.add_mutable_data({9, 8}), 2u);
  const PteFile file = builder.build();
  MemoryLoader loader(file);
  Result<Program> program = Program::load(&loader);
  ASSERT_TRUE(program.ok());
  uint8_t buffer[4] = {};
  ASSERT_EQ(program->load_mutable_subsegment_into(0, 2, 2, buffer), Error::Ok);
  EXPECT_EQ(buffer[0], 9);
  EXPECT_EQ(buffer[1], 8);
  EXPECT_EQ(buffer[2], 0);
  EXPECT_EQ(program->load_mutable_subsegment_into(0, 2, 3, buffer), Error::InvalidProgram);
  EXPECT_EQ(program->load_mutable_subsegment_into(0, 3, 1, buffer), Error::NotFound);
  EXPECT_EQ(program->load_mutable_subsegment_into(1, 1, 1, buffer), Error::NotFound);
}

TEST(ProgramSegmentTest, SegmentsOutsideOfTheFileAreInvalid) {
  // The first match of the segment's size in the file's tables is its DataSegment.
  ProgramBuilder builder;
  builder.add_named_data("key", std::vector<uint8_t>(777));
  PteFile file = builder.build();
  const uint64_t size = 777;
  bool patched = false;
  for (size_t i = 0; i + 8 <= file.size() && !patched; ++i) {
    if (std::memcmp(file.data() + i, &size, 8) == 0) {
      patch64(&file, i, 778 + file.size());
      patched = true;
    }
  }
  ASSERT_TRUE(patched);
  for (const Verification verification : kLevels) {
    EXPECT_EQ(load_error(file, verification), Error::InvalidProgram);
  }
}

TEST(ProgramSegmentTest, NamedDataIsFoundByKey) {
  ProgramBuilder builder;
  for (int i = 0; i < 20; ++i) {
    builder.add_named_data("key" + std::to_string(i), {static_cast<uint8_t>(i)});
  }
  const PteFile file = builder.build();
  MemoryLoader loader(file);
  Result<Program> loaded = Program::load(&loader);
  ASSERT_TRUE(loaded.ok());
  const Program program(std::move(*loaded));
  Result<const NamedDataMap*> map = program.get_named_data_map();
  ASSERT_TRUE(map.ok());
  EXPECT_EQ(*(*map)->get_num_keys(), 20u);
  EXPECT_STREQ(*(*map)->get_key(7), "key7");
  EXPECT_EQ((*map)->get_key(20).error(), Error::InvalidArgument);
  for (const int i : {0, 1, 2, 19, 5, 5, 4, 0}) {
    Result<FreeableBuffer> data = (*map)->get_data("key" + std::to_string(i));
    ASSERT_TRUE(data.ok()) << i;
    ASSERT_EQ(data->size(), 1u);
    EXPECT_EQ(*static_cast<const uint8_t*>(data->data()), i);
  }
  EXPECT_EQ((*map)->get_data("key").error(), Error::NotFound);
  EXPECT_EQ((*map)->get_data("key77").error(), Error::NotFound);
  EXPECT_EQ((*map)->get_tensor_layout("key1").error(), Error::NotImplemented);
  EXPECT_EQ((*map)->get_tensor_layout("absent").error(), Error::NotFound);
  uint8_t buffer[1];
  EXPECT_EQ((*map)->load_data_into("key1", buffer, 1), Error::NotImplemented);
}

}  // namespace
}  // namespace testing
}  // namespace runtime
}  // namespace executorch
