#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <executorch/extension/data_loader/buffer_data_loader.h>
#include <executorch/extension/data_loader/file_data_loader.h>
#include <executorch/extension/flat_tensor/flat_tensor_data_map.h>
#include <executorch/extension/flat_tensor/serialize/flat_tensor_header.h>
#include <executorch/extension/named_data_map/merged_data_map.h>
#include <executorch/extension/testing_util/temp_file.h>
#include <executorch/extension/testing_util/tiny_program.h>
#include <executorch/runtime/platform/runtime.h>

namespace executorch {
namespace extension {
namespace {

using runtime::Error;
using runtime::FreeableBuffer;
using runtime::NamedDataMap;
using runtime::Result;
using runtime::Span;
using runtime::TensorLayout;
using testing::TempFile;
using testing::TinyProgram;

// The documented example of a file's first 48 bytes, padded to what the parser wants to see.
constexpr uint8_t kDocumentedHead[64] = {
    0x44, 0,    0, 0, 0x46, 0x54, 0x30, 0x31, 0x46, 0x48, 0x30, 0x31, 0x28, 0, 0, 0,
    0x30, 0,    0, 0, 0,    0,    0,    0,    0,    0x01, 0,    0,    0,    0, 0, 0,
    0x30, 0x01, 0, 0, 0,    0,    0,    0,    0x20, 0,    0,    0,    0,    0, 0, 0};

/// Bytes where no allocator could hide a read past the end, aligned as files in memory are.
class Aligned {
 public:
  explicit Aligned(const std::vector<uint8_t>& bytes)
      : size_(bytes.size()), data_(new uint64_t[size_ / 8 + 1]) {
    std::copy(bytes.begin(), bytes.end(), reinterpret_cast<uint8_t*>(data_.get()));
  }
  BufferDataLoader loader() const { return BufferDataLoader(data_.get(), size_); }

 private:
  size_t size_;
  std::unique_ptr<uint64_t[]> data_;
};

Error load_error(const std::vector<uint8_t>& bytes) {
  const Aligned aligned(bytes);
  BufferDataLoader loader = aligned.loader();
  return FlatTensorDataMap::load(&loader).error();
}

class FlatTensorTest : public ::testing::Test {
 protected:
  void SetUp() override { runtime::runtime_init(); }
};

TEST_F(FlatTensorTest, HeaderOfTheDocumentation) {
  const Result<FlatTensorHeader> header =
      FlatTensorHeader::Parse(kDocumentedHead, sizeof(kDocumentedHead));
  ASSERT_TRUE(header.ok());
  EXPECT_EQ(header->flatbuffer_offset, 0x30u);
  EXPECT_EQ(header->flatbuffer_size, 0x100u);
  EXPECT_EQ(header->segment_base_offset, 0x130u);
  EXPECT_EQ(header->segment_data_size, 0x20u);
}

TEST_F(FlatTensorTest, HeadersThatCannotBe) {
  EXPECT_EQ(FlatTensorHeader::Parse(kDocumentedHead, 63).error(), Error::InvalidArgument);
  EXPECT_EQ(FlatTensorHeader::Parse(nullptr, 64).error(), Error::InvalidArgument);
  const auto with = [](size_t offset, std::vector<uint8_t> bytes) {
    uint8_t head[64];
    std::memcpy(head, kDocumentedHead, sizeof(head));
    std::memcpy(head + offset, bytes.data(), bytes.size());
    return FlatTensorHeader::Parse(head, sizeof(head)).error();
  };
  EXPECT_EQ(with(8, {'F', 'H', '9', '9'}), Error::NotFound);
  EXPECT_EQ(with(12, {39, 0, 0, 0}), Error::InvalidExternalData);
  EXPECT_EQ(with(12, {41, 0, 0, 0}), Error::Ok) << "a longer header is a later version of this one";
  const std::vector<uint8_t> huge(8, 0xFF);
  EXPECT_EQ(with(16, huge), Error::InvalidExternalData);
  EXPECT_EQ(with(32, huge), Error::InvalidExternalData);
  EXPECT_EQ(with(32, {0x20, 0x01}), Error::InvalidExternalData) << "segments inside the flatbuffer";
}

TEST_F(FlatTensorTest, TensorsAreFoundByName) {
  const TempFile file(TinyProgram().build_data("layer.weight"));
  Result<FileDataLoader> loader = FileDataLoader::from(file.path().c_str());
  ASSERT_TRUE(loader.ok());
  Result<FlatTensorDataMap> map = FlatTensorDataMap::load(&*loader);
  ASSERT_TRUE(map.ok());

  EXPECT_EQ(*map->get_num_keys(), 1u);
  EXPECT_STREQ(*map->get_key(0), "layer.weight");
  EXPECT_EQ(map->get_key(1).error(), Error::InvalidArgument);

  const Result<const TensorLayout> layout = map->get_tensor_layout("layer.weight");
  ASSERT_TRUE(layout.ok());
  EXPECT_EQ(layout->scalar_type(), executorch::aten::ScalarType::Float);
  ASSERT_EQ(layout->sizes().size(), 2u);
  EXPECT_EQ(layout->sizes()[1], 3);
  EXPECT_EQ(layout->nbytes(), 24u);

  const Result<FreeableBuffer> data = map->get_data("layer.weight");
  ASSERT_TRUE(data.ok());
  ASSERT_EQ(data->size(), 24u);
  EXPECT_EQ(static_cast<const float*>(data->data())[5], 60.0f);

  float two[3] = {0, 0, -1};
  EXPECT_EQ(map->load_data_into("layer.weight", two, 8), Error::Ok);
  EXPECT_EQ(two[1], 20.0f);
  EXPECT_EQ(two[2], -1.0f);
  EXPECT_EQ(map->load_data_into("layer.weight", two, 25), Error::InvalidArgument);
}

TEST_F(FlatTensorTest, UnknownNamesAreNotFound) {
  const Aligned file(TinyProgram().build_data("weight"));
  BufferDataLoader loader = file.loader();
  Result<FlatTensorDataMap> map = FlatTensorDataMap::load(&loader);
  ASSERT_TRUE(map.ok());
  float target = 0;
  for (const char* key : {"", "weigh", "weights", "Weight"}) {
    EXPECT_EQ(map->get_tensor_layout(key).error(), Error::NotFound);
    EXPECT_EQ(map->get_data(key).error(), Error::NotFound);
    EXPECT_EQ(map->load_data_into(key, &target, 4), Error::NotFound);
  }
}

TEST_F(FlatTensorTest, ForeignAndTruncatedFilesAreRefused) {
  EXPECT_EQ(FlatTensorDataMap::load(nullptr).error(), Error::InvalidArgument);
  EXPECT_EQ(load_error({}), Error::InvalidExternalData);
  EXPECT_EQ(load_error(std::vector<uint8_t>(1000, 'x')), Error::InvalidExternalData);
  EXPECT_EQ(load_error(TinyProgram().build()), Error::InvalidExternalData) << "a program";
  const std::vector<uint8_t> whole = TinyProgram().build_data();
  EXPECT_EQ(load_error(whole), Error::Ok);
  for (size_t size = 0; size < whole.size(); ++size) {
    EXPECT_EQ(load_error(std::vector<uint8_t>(whole.begin(), whole.begin() + size)),
              Error::InvalidExternalData)
        << size;
  }
}

TEST_F(FlatTensorTest, NewerSchemaVersionsAreRefused) {
  for (const uint32_t version : {1u, 7u, 0xFFFFFFFFu}) {
    TinyProgram newer;
    newer.version = version;
    EXPECT_EQ(load_error(newer.build_data()), Error::InvalidExternalData) << version;
  }
}

/// Whatever single byte of the file is wrong: no crash, and what loads can be used.
TEST_F(FlatTensorTest, NoDamagedByteIsDangerous) {
  const std::vector<uint8_t> whole = TinyProgram().build_data();
  for (size_t i = 0; i < whole.size(); ++i) {
    for (const uint8_t flip : {0x01, 0x80, 0xFF}) {
      std::vector<uint8_t> bytes = whole;
      bytes[i] ^= flip;
      const Aligned aligned(bytes);
      BufferDataLoader loader = aligned.loader();
      const Result<FlatTensorDataMap> map = FlatTensorDataMap::load(&loader);
      if (!map.ok()) {
        continue;
      }
      for (uint32_t k = 0; k < *map->get_num_keys(); ++k) {
        const Result<const char*> key = map->get_key(k);
        ASSERT_TRUE(key.ok());
        const Result<const TensorLayout> layout = map->get_tensor_layout(*key);
        const Result<FreeableBuffer> data = map->get_data(*key);
        if (layout.ok() && data.ok()) {
          EXPECT_LE(layout->nbytes(), data->size());
        }
      }
    }
  }
}

TEST_F(FlatTensorTest, MisalignedMemoryIsRefused) {
  const std::vector<uint8_t> whole = TinyProgram().build_data();
  std::vector<uint64_t> storage(whole.size() / 8 + 2);
  uint8_t* shifted = reinterpret_cast<uint8_t*>(storage.data()) + 1;
  std::memcpy(shifted, whole.data(), whole.size());
  BufferDataLoader loader(shifted, whole.size());
  EXPECT_EQ(FlatTensorDataMap::load(&loader).error(), Error::InvalidArgument);
}

class MergedDataMapTest : public FlatTensorTest {
 protected:
  MergedDataMapTest() : a_(TinyProgram().build_data("a")), b_(TinyProgram().build_data("b")) {}

  void SetUp() override {
    FlatTensorTest::SetUp();
    first_loader_ = std::make_unique<BufferDataLoader>(a_.loader());
    second_loader_ = std::make_unique<BufferDataLoader>(b_.loader());
    first_ = std::make_unique<FlatTensorDataMap>(
        std::move(*FlatTensorDataMap::load(first_loader_.get())));
    second_ = std::make_unique<FlatTensorDataMap>(
        std::move(*FlatTensorDataMap::load(second_loader_.get())));
  }

  Aligned a_;
  Aligned b_;
  std::unique_ptr<BufferDataLoader> first_loader_;
  std::unique_ptr<BufferDataLoader> second_loader_;
  std::unique_ptr<FlatTensorDataMap> first_;
  std::unique_ptr<FlatTensorDataMap> second_;
};

TEST_F(MergedDataMapTest, KeysOfAllMapsAreThere) {
  const std::vector<const NamedDataMap*> maps = {first_.get(), second_.get()};
  const auto merged = MergedDataMap::load(maps);
  ASSERT_TRUE(merged.ok());
  EXPECT_EQ(*merged->get_num_keys(), 2u);
  EXPECT_STREQ(*merged->get_key(0), "a");
  EXPECT_STREQ(*merged->get_key(1), "b");
  EXPECT_EQ(merged->get_key(2).error(), Error::InvalidArgument);
  float value = 0;
  for (const char* key : {"a", "b"}) {
    EXPECT_TRUE(merged->get_tensor_layout(key).ok());
    EXPECT_EQ(merged->get_data(key)->size(), 24u);
    EXPECT_EQ(merged->load_data_into(key, &value, 4), Error::Ok);
    EXPECT_EQ(value, 10.0f);
  }
  EXPECT_EQ(merged->get_tensor_layout("c").error(), Error::NotFound);
  EXPECT_EQ(merged->get_data("c").error(), Error::NotFound);
  EXPECT_EQ(merged->load_data_into("c", &value, 4), Error::NotFound);
}

TEST_F(MergedDataMapTest, CommonKeysAreRefusedAndMissingMapsPassedOver) {
  EXPECT_EQ(MergedDataMap::load({first_.get(), first_.get()}).error(), Error::InvalidArgument);
  const auto merged = MergedDataMap::load({nullptr, first_.get(), nullptr});
  ASSERT_TRUE(merged.ok());
  EXPECT_EQ(*merged->get_num_keys(), 1u);
  EXPECT_EQ(MergedDataMap::load({}).error(), Error::InvalidArgument);
  EXPECT_EQ(MergedDataMap::load({nullptr, nullptr}).error(), Error::InvalidArgument);
}

TEST_F(MergedDataMapTest, EveryKindOfListIsTaken) {
  using Maps = Span<const NamedDataMap*>;
  std::vector<const NamedDataMap*> vector = {first_.get(), second_.get()};
  const NamedDataMap* array[] = {first_.get(), second_.get()};
  EXPECT_TRUE(MergedDataMap::load(vector).ok());
  EXPECT_TRUE(MergedDataMap::load(array).ok());
  EXPECT_TRUE(MergedDataMap::load({vector.data(), vector.size()}).ok());
  EXPECT_TRUE(MergedDataMap::load(Maps(array, 2)).ok());
  EXPECT_TRUE(MergedDataMap::load(Span<const NamedDataMap* const>(array, 2)).ok());
}

}  // namespace
}  // namespace extension
}  // namespace executorch
