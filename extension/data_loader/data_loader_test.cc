/// What all data loaders have in common, and what each has of its own.

#include <algorithm>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <executorch/extension/data_loader/buffer_data_loader.h>
#include <executorch/extension/data_loader/file_data_loader.h>
#include <executorch/extension/data_loader/file_descriptor_data_loader.h>
#include <executorch/extension/data_loader/mman.h>
#include <executorch/extension/data_loader/mmap_data_loader.h>
#include <executorch/extension/data_loader/shared_ptr_data_loader.h>
#include <executorch/extension/testing_util/temp_file.h>
#include <executorch/runtime/platform/runtime.h>

namespace executorch {
namespace extension {
namespace {

using runtime::DataLoader;
using runtime::Error;
using runtime::FreeableBuffer;
using runtime::Result;
using testing::TempFile;
using testing::unused_path;

const DataLoader::SegmentInfo kSegment(DataLoader::SegmentInfo::Type::Program);

std::vector<uint8_t> pattern(size_t size) {
  std::vector<uint8_t> bytes(size);
  for (size_t i = 0; i < size; ++i) {
    bytes[i] = static_cast<uint8_t>((i * 131) ^ (i >> 8));
  }
  return bytes;
}

/// The contents of every loader below: more than two pages, and no whole number of them.
const std::vector<uint8_t>& contents() {
  static const auto* bytes = new std::vector<uint8_t>(pattern(2 * get_os_page_size() + 777));
  return *bytes;
}

template <typename Loader>
std::unique_ptr<DataLoader> box(Result<Loader> loader) {
  EXPECT_TRUE(loader.ok());
  return std::make_unique<Loader>(std::move(*loader));
}

struct Kind {
  const char* name;
  std::function<std::unique_ptr<DataLoader>(const std::string& path)> make;
};

class AnyDataLoaderTest : public ::testing::TestWithParam<Kind> {
 protected:
  AnyDataLoaderTest() : file_(contents()) { runtime::runtime_init(); }

  void SetUp() override { loader_ = GetParam().make(file_.path()); }

  TempFile file_;
  std::unique_ptr<DataLoader> loader_;
};

TEST_P(AnyDataLoaderTest, SizeIsThatOfTheContents) {
  const Result<size_t> size = loader_->size();
  ASSERT_TRUE(size.ok());
  EXPECT_EQ(*size, contents().size());
}

TEST_P(AnyDataLoaderTest, LoadsEveryKindOfRange) {
  const size_t page = get_os_page_size();
  const size_t end = contents().size();
  const std::vector<std::pair<size_t, size_t>> ranges = {
      {0, end},         {0, 1},       {1, 1},
      {end - 1, 1},     {page, page}, {page - 3, 6},
      {page + 1, page}, {0, page},    {2 * page, end - 2 * page},
      {7, end - 7}};
  for (const auto& [offset, size] : ranges) {
    Result<FreeableBuffer> buffer = loader_->load(offset, size, kSegment);
    ASSERT_TRUE(buffer.ok()) << offset << " " << size;
    ASSERT_EQ(buffer->size(), size);
    EXPECT_EQ(std::memcmp(buffer->data(), contents().data() + offset, size), 0)
        << offset << " " << size;

    std::vector<uint8_t> target(size + 1, 0xAA);
    ASSERT_EQ(loader_->load_into(offset, size, kSegment, target.data()), Error::Ok);
    EXPECT_EQ(std::memcmp(target.data(), contents().data() + offset, size), 0)
        << offset << " " << size;
    EXPECT_EQ(target[size], 0xAA) << "wrote past the end";
  }
}

TEST_P(AnyDataLoaderTest, EmptyRangesLoadAnywhereInTheFile) {
  for (const size_t offset : {size_t{0}, size_t{5}, contents().size()}) {
    const Result<FreeableBuffer> buffer = loader_->load(offset, 0, kSegment);
    ASSERT_TRUE(buffer.ok());
    EXPECT_EQ(buffer->size(), 0u);
    EXPECT_EQ(loader_->load_into(offset, 0, kSegment, nullptr), Error::Ok);
  }
}

TEST_P(AnyDataLoaderTest, RangesOutsideTheFileAreRefused) {
  const size_t end = contents().size();
  const size_t huge = static_cast<size_t>(-1);
  const std::vector<std::pair<size_t, size_t>> ranges = {
      {0, end + 1}, {end, 1}, {end + 1, 0}, {1, end}, {huge, 1}, {1, huge}, {huge, huge}};
  uint8_t target = 0;
  for (const auto& [offset, size] : ranges) {
    EXPECT_EQ(loader_->load(offset, size, kSegment).error(), Error::InvalidArgument)
        << offset << " " << size;
    EXPECT_EQ(loader_->load_into(offset, size, kSegment, &target), Error::InvalidArgument);
  }
}

TEST_P(AnyDataLoaderTest, LoadingIntoNothingIsRefused) {
  EXPECT_EQ(loader_->load_into(0, 1, kSegment, nullptr), Error::InvalidArgument);
}

TEST_P(AnyDataLoaderTest, ThreadsMayLoadAtTheSameTime) {
  std::vector<std::thread> threads;
  for (size_t t = 0; t < 4; ++t) {
    threads.emplace_back([this, t]() {
      for (size_t i = 0; i < 50; ++i) {
        const size_t offset = (t * 997 + i * 61) % (contents().size() - 100);
        const Result<FreeableBuffer> buffer = loader_->load(offset, 100, kSegment);
        ASSERT_TRUE(buffer.ok());
        ASSERT_EQ(std::memcmp(buffer->data(), contents().data() + offset, 100), 0);
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
}

std::unique_ptr<DataLoader> make_mmap(const std::string& path, MmapDataLoader::MlockConfig config) {
  return box(MmapDataLoader::from(path.c_str(), config));
}

INSTANTIATE_TEST_SUITE_P(
    All, AnyDataLoaderTest,
    ::testing::Values(
        Kind{"file",
             [](const std::string& path) { return box(FileDataLoader::from(path.c_str())); }},
        Kind{"file_aligned",
             [](const std::string& path) { return box(FileDataLoader::from(path.c_str(), 4096)); }},
        Kind{"file_descriptor",
             [](const std::string& path) {
               const int fd = ::open(path.c_str(), O_RDONLY);
               return box(FileDescriptorDataLoader::fromFileDescriptorUri(
                   ("fd:///" + std::to_string(fd)).c_str()));
             }},
        Kind{"mmap",
             [](const std::string& path) {
               return make_mmap(path, MmapDataLoader::MlockConfig::NoMlock);
             }},
        Kind{"mmap_mlock",
             [](const std::string& path) {
               return make_mmap(path, MmapDataLoader::MlockConfig::UseMlock);
             }},
        Kind{"mmap_mlock_ignore_errors",
             [](const std::string& path) {
               return make_mmap(path, MmapDataLoader::MlockConfig::UseMlockIgnoreErrors);
             }},
        Kind{"buffer",
             [](const std::string&) -> std::unique_ptr<DataLoader> {
               return std::make_unique<BufferDataLoader>(contents().data(), contents().size());
             }},
        Kind{"shared_ptr",
             [](const std::string&) -> std::unique_ptr<DataLoader> {
               auto copy = std::make_shared<std::vector<uint8_t>>(contents());
               const std::shared_ptr<void> data(copy, copy->data());
               return std::make_unique<SharedPtrDataLoader>(data, copy->size());
             }}),
    [](const ::testing::TestParamInfo<Kind>& info) { return std::string(info.param.name); });

class DataLoaderTest : public ::testing::Test {
 protected:
  void SetUp() override { runtime::runtime_init(); }
};

/// Loads of a large state from files of `state`, by each loader that reads files.
class LargeStateTest : public DataLoaderTest {
 protected:
  std::vector<std::unique_ptr<DataLoader>> loaders_of(const TempFile& file) {
    std::vector<std::unique_ptr<DataLoader>> loaders;
    loaders.push_back(box(FileDataLoader::from(file.path().c_str())));
    loaders.push_back(make_mmap(file.path(), MmapDataLoader::MlockConfig::NoMlock));
    const int fd = ::open(file.path().c_str(), O_RDONLY);
    loaders.push_back(box(
        FileDescriptorDataLoader::fromFileDescriptorUri(("fd:///" + std::to_string(fd)).c_str())));
    return loaders;
  }

  const DataLoader::SegmentInfo kState{DataLoader::SegmentInfo::Type::Mutable};
};

TEST_F(LargeStateTest, LiesWhereOtherBytesLay) {
  std::vector<uint8_t> state = pattern(300001);
  std::fill_n(state.begin() + 70000, 100000, uint8_t{0});
  const TempFile file(state);
  for (const auto& loader : loaders_of(file)) {
    for (const int before : {0, 0xAA}) {
      std::vector<uint8_t> target(state.size(), static_cast<uint8_t>(before));
      ASSERT_EQ(loader->load_into(1, state.size() - 1, kState, target.data()), Error::Ok);
      EXPECT_EQ(std::memcmp(target.data(), state.data() + 1, state.size() - 1), 0);
      EXPECT_EQ(target.back(), before) << "wrote past the end";
    }
    EXPECT_EQ(loader->load_into(1, state.size(), kState, state.data()), Error::InvalidArgument);
  }
}

TEST_F(LargeStateTest, ThatIsThereAlreadyIsNotWritten) {
  const size_t size = 50 * get_os_page_size();
  const TempFile zeros(std::vector<uint8_t>(size, 0));
  void* const pages = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(pages, MAP_FAILED);
  // A write would end this process.
  for (const auto& loader : loaders_of(zeros)) {
    EXPECT_EQ(loader->load_into(0, size, kState, pages), Error::Ok);
  }
  ::munmap(pages, size);
}

TEST_F(DataLoaderTest, FileBuffersStartAtTheAlignmentAskedFor) {
  const TempFile file(contents());
  for (size_t alignment = 1; alignment <= 4096; alignment *= 2) {
    const Result<FileDataLoader> loader = FileDataLoader::from(file.path().c_str(), alignment);
    ASSERT_TRUE(loader.ok());
    const Result<FreeableBuffer> buffer = loader->load(3, 100, kSegment);
    ASSERT_TRUE(buffer.ok());
    EXPECT_EQ(reinterpret_cast<uintptr_t>(buffer->data()) % alignment, 0u);
    EXPECT_EQ(std::memcmp(buffer->data(), contents().data() + 3, 100), 0);
  }
}

TEST_F(DataLoaderTest, AlignmentHasToBeAPowerOfTwo) {
  const TempFile file(contents());
  for (const size_t alignment : {0, 3, 5, 17}) {
    EXPECT_EQ(FileDataLoader::from(file.path().c_str(), alignment).error(), Error::InvalidArgument);
  }
}

TEST_F(DataLoaderTest, MissingFilesAndDirectoriesAreRefused) {
  EXPECT_EQ(FileDataLoader::from(unused_path().c_str()).error(), Error::AccessFailed);
  EXPECT_EQ(MmapDataLoader::from(unused_path().c_str()).error(), Error::AccessFailed);
  EXPECT_EQ(FileDataLoader::from("/").error(), Error::AccessFailed);
  EXPECT_EQ(MmapDataLoader::from("/").error(), Error::AccessFailed);
  EXPECT_EQ(FileDataLoader::from(nullptr).error(), Error::InvalidArgument);
  EXPECT_EQ(MmapDataLoader::from(nullptr).error(), Error::InvalidArgument);
}

TEST_F(DataLoaderTest, OnlyDescriptorUrisAreTaken) {
  for (const char* uri : {"", "fd:///", "fd:///x", "fd:///-1", "fd:///1x", "file:///1", "fd://1",
                          "17", "fd:///99999999999999999999"}) {
    EXPECT_EQ(FileDescriptorDataLoader::fromFileDescriptorUri(uri).error(), Error::InvalidArgument)
        << uri;
  }
  EXPECT_EQ(FileDescriptorDataLoader::fromFileDescriptorUri(nullptr).error(),
            Error::InvalidArgument);
  EXPECT_EQ(FileDescriptorDataLoader::fromFileDescriptorUri("fd:///1000000").error(),
            Error::AccessFailed);
}

TEST_F(DataLoaderTest, DescriptorIsClosedWithTheLoader) {
  const TempFile file(contents());
  const int fd = ::open(file.path().c_str(), O_RDONLY);
  {
    Result<FileDescriptorDataLoader> loader = FileDescriptorDataLoader::from(fd);
    ASSERT_TRUE(loader.ok());
    const FileDescriptorDataLoader moved(std::move(*loader));
    EXPECT_NE(::lseek(fd, 0, SEEK_CUR), -1);
  }
  EXPECT_EQ(::lseek(fd, 0, SEEK_CUR), -1);
}

TEST_F(DataLoaderTest, MovedFromLoadersSaySo) {
  const TempFile file(contents());
  Result<FileDataLoader> file_loader = FileDataLoader::from(file.path().c_str());
  Result<MmapDataLoader> mmap_loader = MmapDataLoader::from(file.path().c_str());
  const FileDataLoader file_moved(std::move(*file_loader));
  const MmapDataLoader mmap_moved(std::move(*mmap_loader));
  uint8_t byte = 0;
  for (const DataLoader* loader :
       std::initializer_list<const DataLoader*>{&*file_loader, &*mmap_loader}) {
    EXPECT_EQ(loader->size().error(), Error::InvalidState);
    EXPECT_EQ(loader->load(0, 1, kSegment).error(), Error::InvalidState);
    EXPECT_EQ(loader->load_into(0, 1, kSegment, &byte), Error::InvalidState);
  }
  EXPECT_TRUE(file_moved.load(0, 1, kSegment).ok());
  EXPECT_TRUE(mmap_moved.load(0, 1, kSegment).ok());
}

TEST_F(DataLoaderTest, BuffersOutliveTheirLoader) {
  const TempFile file(contents());
  for (const bool map : {false, true}) {
    std::unique_ptr<FreeableBuffer> buffer;
    {
      const std::unique_ptr<DataLoader> loader =
          map ? box(MmapDataLoader::from(file.path().c_str()))
              : box(FileDataLoader::from(file.path().c_str()));
      Result<FreeableBuffer> loaded = loader->load(10, 5000, kSegment);
      ASSERT_TRUE(loaded.ok());
      buffer = std::make_unique<FreeableBuffer>(std::move(*loaded));
    }
    EXPECT_EQ(std::memcmp(buffer->data(), contents().data() + 10, 5000), 0);
  }
}

TEST_F(DataLoaderTest, AFileThatShrinksIsAnError) {
  const TempFile file(contents());
  const Result<FileDataLoader> loader = FileDataLoader::from(file.path().c_str());
  ASSERT_TRUE(loader.ok());
  ASSERT_EQ(::truncate(file.path().c_str(), 100), 0);
  EXPECT_EQ(loader->load(50, 100, kSegment).error(), Error::AccessFailed);
  EXPECT_TRUE(loader->load(50, 50, kSegment).ok());
}

}  // namespace
}  // namespace extension
}  // namespace executorch
