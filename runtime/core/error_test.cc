#include <memory>
#include <string>

#include <gtest/gtest.h>

#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/result.h>

using executorch::runtime::Error;
using executorch::runtime::Result;
using executorch::runtime::to_string;

namespace {

TEST(ErrorTest, NumbersAreTheDocumentedOnes) {
  EXPECT_EQ(static_cast<int>(Error::Ok), 0x00);
  EXPECT_EQ(static_cast<int>(Error::Internal), 0x01);
  EXPECT_EQ(static_cast<int>(Error::InvalidState), 0x02);
  EXPECT_EQ(static_cast<int>(Error::EndOfMethod), 0x03);
  EXPECT_EQ(static_cast<int>(Error::AlreadyLoaded), 0x04);
  EXPECT_EQ(static_cast<int>(Error::NotSupported), 0x10);
  EXPECT_EQ(static_cast<int>(Error::NotImplemented), 0x11);
  EXPECT_EQ(static_cast<int>(Error::InvalidArgument), 0x12);
  EXPECT_EQ(static_cast<int>(Error::InvalidType), 0x13);
  EXPECT_EQ(static_cast<int>(Error::OperatorMissing), 0x14);
  EXPECT_EQ(static_cast<int>(Error::RegistrationExceedingMaxKernels), 0x15);
  EXPECT_EQ(static_cast<int>(Error::RegistrationAlreadyRegistered), 0x16);
  EXPECT_EQ(static_cast<int>(Error::NotFound), 0x20);
  EXPECT_EQ(static_cast<int>(Error::MemoryAllocationFailed), 0x21);
  EXPECT_EQ(static_cast<int>(Error::AccessFailed), 0x22);
  EXPECT_EQ(static_cast<int>(Error::InvalidProgram), 0x23);
  EXPECT_EQ(static_cast<int>(Error::InvalidExternalData), 0x24);
  EXPECT_EQ(static_cast<int>(Error::OutOfResources), 0x25);
  EXPECT_EQ(static_cast<int>(Error::DelegateInvalidCompatibility), 0x30);
  EXPECT_EQ(static_cast<int>(Error::DelegateMemoryAllocationFailed), 0x31);
  EXPECT_EQ(static_cast<int>(Error::DelegateInvalidHandle), 0x32);
  EXPECT_EQ(sizeof(Error), 4u);
}

TEST(ErrorTest, Names) {
  EXPECT_STREQ(to_string(Error::Ok), "Error::Ok");
  EXPECT_STREQ(to_string(Error::InvalidExternalData), "Error::InvalidExternalData");
  EXPECT_STREQ(to_string(static_cast<Error>(0x99)), "Error::Unknown");
}

Error check(bool condition, int* reached) {
  ET_CHECK_OR_RETURN_ERROR(condition, InvalidArgument, "no arguments");
  ET_CHECK_OR_RETURN_ERROR(condition, InvalidArgument, "%d and %s", 1, "two");
  ++*reached;
  return Error::Ok;
}

Error forward(Error error, int* evaluated) {
  ET_CHECK_OK_OR_RETURN_ERROR((++*evaluated, error));
  ET_CHECK_OK_OR_RETURN_ERROR(error, "message");
  ET_CHECK_OK_OR_RETURN_ERROR(error, "message %d, %d, %d", 1, 2, 3);
  return Error::EndOfMethod;
}

TEST(ErrorTest, MacrosReturnEarly) {
  int reached = 0;
  EXPECT_EQ(check(false, &reached), Error::InvalidArgument);
  EXPECT_EQ(reached, 0);
  EXPECT_EQ(check(true, &reached), Error::Ok);
  EXPECT_EQ(reached, 1);
  int evaluated = 0;
  EXPECT_EQ(forward(Error::NotFound, &evaluated), Error::NotFound);
  EXPECT_EQ(evaluated, 1);
  EXPECT_EQ(forward(Error::Ok, &evaluated), Error::EndOfMethod);
}

TEST(ResultTest, HoldsAValue) {
  Result<std::string> result(std::string("text"));
  EXPECT_TRUE(result.ok());
  EXPECT_EQ(result.error(), Error::Ok);
  EXPECT_EQ(*result, "text");
  EXPECT_EQ(result->size(), 4u);
  result.get() += "s";
  EXPECT_EQ(result.get(), "texts");
}

TEST(ResultTest, HoldsAnError) {
  Result<std::string> result(Error::NotFound);
  EXPECT_FALSE(result.ok());
  EXPECT_EQ(result.error(), Error::NotFound);
  EXPECT_DEATH((void)result.get(), "NotFound");
  EXPECT_DEATH((void)*result, "0x20");
}

TEST(ResultTest, OkIsNotAnError) {
  Result<int> result(Error::Ok);
  EXPECT_FALSE(result.ok());
  EXPECT_EQ(result.error(), Error::Internal);
}

TEST(ResultTest, MovesAndDestroysOnce) {
  auto shared = std::make_shared<int>(1);
  {
    Result<std::shared_ptr<int>> first(shared);
    EXPECT_EQ(shared.use_count(), 2);
    Result<std::shared_ptr<int>> second(std::move(first));
    EXPECT_EQ(shared.use_count(), 2);
    EXPECT_TRUE(second.ok());
    Result<std::shared_ptr<int>> failed(Error::Internal);
    Result<std::shared_ptr<int>> moved(std::move(failed));
    EXPECT_EQ(moved.error(), Error::Internal);
  }
  EXPECT_EQ(shared.use_count(), 1);
}

TEST(ResultTest, TakesTypesThatOnlyMoveOrAreConst) {
  Result<std::unique_ptr<int>> unique(std::make_unique<int>(3));
  std::unique_ptr<int> taken = std::move(*unique);
  EXPECT_EQ(*taken, 3);
  Result<const int> constant(4);
  EXPECT_EQ(*constant, 4);
  Result<const int> moved(std::move(constant));
  EXPECT_EQ(moved.get(), 4);
}

Result<int> half(int value) {
  ET_CHECK_OR_RETURN_ERROR(value % 2 == 0, InvalidArgument, "%d is odd", value);
  return value / 2;
}

Result<int> quarter(int value) {
  const int halved = ET_UNWRAP(half(value));
  return ET_UNWRAP(half(halved), "half of %d", halved);
}

Error quarter_error(int value) {
  const int result = ET_UNWRAP(quarter(value), "quarter");
  return result == 2 ? Error::Ok : Error::Internal;
}

TEST(ResultTest, UnwrapReturnsEarly) {
  EXPECT_EQ(*quarter(12), 3);
  EXPECT_EQ(quarter(3).error(), Error::InvalidArgument);
  EXPECT_EQ(quarter(6).error(), Error::InvalidArgument);
  EXPECT_EQ(quarter_error(8), Error::Ok);
  EXPECT_EQ(quarter_error(7), Error::InvalidArgument);
}

}  // namespace
