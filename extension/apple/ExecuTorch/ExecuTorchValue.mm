#import "ExecuTorchValue.h"

#include <executorch/runtime/core/tag.h>

#import "Native.h"
#import "ValueConversion.h"

@interface ExecuTorchValue ()
- (instancetype)initWithTag:(ExecuTorchValueTag)tag contents:(id)contents;
@property(nonatomic, readonly) id contents;
@end

namespace executorch {
namespace extension {
namespace apple {

using runtime::Error;
using runtime::EValue;
using runtime::Tag;

static_assert(static_cast<int>(Tag::Tensor) == ExecuTorchValueTagTensor &&
                  static_cast<int>(Tag::Bool) == ExecuTorchValueTagBoolean &&
                  static_cast<int>(Tag::ListOptionalTensor) == ExecuTorchValueTagOptionalTensorList,
              "the numbers are the runtime's");

Error Inputs::add(ExecuTorchValue* value) {
  switch (value.tag) {
    case ExecuTorchValueTagNone:
      values_.emplace_back();
      return Error::Ok;
    case ExecuTorchValueTagTensor:
      tensors_.push_back(native(value.tensorValue));
      values_.emplace_back(*tensors_.back());
      return Error::Ok;
    case ExecuTorchValueTagString: {
      NSData* text = [value.stringValue dataUsingEncoding:NSUTF8StringEncoding];
      const std::string& kept =
          texts_.emplace_back(static_cast<const char*>(text.bytes), text.length);
      values_.emplace_back(&text_refs_.emplace_back(kept.data(), kept.size()));
      return Error::Ok;
    }
    case ExecuTorchValueTagDouble:
      values_.emplace_back(value.doubleValue);
      return Error::Ok;
    case ExecuTorchValueTagInteger:
      values_.emplace_back(static_cast<int64_t>(value.integerValue));
      return Error::Ok;
    case ExecuTorchValueTagBoolean:
      values_.emplace_back(static_cast<bool>(value.boolValue));
      return Error::Ok;
    default:
      return Error::NotSupported;
  }
}

namespace {

id own_tensor(const executorch::aten::Tensor& tensor) {
  return wrapped([ExecuTorchTensor class], clone_tensor_ptr(tensor));
}

NSArray* optional_tensors(const EValue& value) {
  NSMutableArray* made = [NSMutableArray array];
  for (const auto& tensor : value.toListOptionalTensor()) {
    [made addObject:tensor.has_value() ? own_tensor(*tensor) : [NSNull null]];
  }
  return made;
}

id contents_of(const EValue& value) {
  switch (value.tag) {
    case Tag::Tensor:
      return own_tensor(value.toTensor());
    case Tag::String: {
      const std::string_view text = value.toString();
      return [[[NSString alloc] initWithBytes:text.data()
                                       length:text.size()
                                     encoding:NSUTF8StringEncoding] autorelease];
    }
    case Tag::Double:
      return @(value.toDouble());
    case Tag::Int:
      return @(static_cast<NSInteger>(value.toInt()));
    case Tag::Bool:
      return [NSNumber numberWithBool:value.toBool()];
    case Tag::ListBool:
    case Tag::ListDouble:
    case Tag::ListInt: {
      NSMutableArray* made = [NSMutableArray array];
      const auto add = [made](auto list) {
        for (const auto element : list) {
          [made addObject:@(element)];
        }
      };
      value.isBoolList()     ? add(value.toBoolList())
      : value.isDoubleList() ? add(value.toDoubleList())
                             : add(value.toIntList());
      return made;
    }
    case Tag::ListTensor: {
      NSMutableArray* made = [NSMutableArray array];
      for (const auto& tensor : value.toTensorList()) {
        [made addObject:own_tensor(tensor)];
      }
      return made;
    }
    case Tag::ListOptionalTensor:
      return optional_tensors(value);
    default:
      return nil;
  }
}

}  // namespace

ExecuTorchValue* to_value(const EValue& value) {
  return [[[ExecuTorchValue alloc] initWithTag:static_cast<ExecuTorchValueTag>(value.tag)
                                      contents:contents_of(value)] autorelease];
}

}  // namespace apple
}  // namespace extension
}  // namespace executorch

@implementation ExecuTorchValue

@synthesize tag = _tag;

- (instancetype)initWithTag:(ExecuTorchValueTag)tag contents:(id)contents {
  if (self = [super init]) {
    _tag = tag;
    _contents = [contents retain];
  }
  return self;
}

- (instancetype)init {
  return [self initWithTag:ExecuTorchValueTagNone contents:nil];
}

- (void)dealloc {
  [_contents release];
  [super dealloc];
}

+ (instancetype)valueWithTensor:(ExecuTorchTensor*)value {
  return [[[self alloc] initWithTag:ExecuTorchValueTagTensor contents:value] autorelease];
}

+ (instancetype)valueWithString:(NSString*)value {
  NSString* own = [[value copy] autorelease];
  return [[[self alloc] initWithTag:ExecuTorchValueTagString contents:own] autorelease];
}

+ (instancetype)valueWithInteger:(NSInteger)value {
  return [[[self alloc] initWithTag:ExecuTorchValueTagInteger contents:@(value)] autorelease];
}

+ (instancetype)valueWithBoolean:(BOOL)value {
  return [[[self alloc] initWithTag:ExecuTorchValueTagBoolean
                           contents:[NSNumber numberWithBool:value]] autorelease];
}

+ (instancetype)valueWithFloat:(float)value {
  return [self valueWithDouble:value];
}

+ (instancetype)valueWithDouble:(double)value {
  return [[[self alloc] initWithTag:ExecuTorchValueTagDouble contents:@(value)] autorelease];
}

- (id)copyWithZone:(NSZone*)zone {
  return [self retain];
}

- (id)contents {
  return _contents;
}

- (ExecuTorchTensor*)tensorValue {
  return self.isTensor ? _contents : nil;
}

- (NSString*)stringValue {
  return self.isString ? _contents : nil;
}

- (NSInteger)integerValue {
  return self.isInteger ? [_contents integerValue] : 0;
}

- (BOOL)boolValue {
  return self.isBoolean ? [_contents boolValue] : NO;
}

- (float)floatValue {
  return static_cast<float>(self.doubleValue);
}

- (double)doubleValue {
  return self.isDouble ? [_contents doubleValue] : 0;
}

- (NSArray<NSNumber*>*)numbersValue {
  return _tag == ExecuTorchValueTagBooleanList || _tag == ExecuTorchValueTagDoubleList ||
                 _tag == ExecuTorchValueTagIntegerList
             ? _contents
             : nil;
}

- (NSArray*)tensorsValue {
  return _tag == ExecuTorchValueTagTensorList || _tag == ExecuTorchValueTagOptionalTensorList
             ? _contents
             : nil;
}

- (BOOL)isNone {
  return _tag == ExecuTorchValueTagNone;
}

- (BOOL)isTensor {
  return _tag == ExecuTorchValueTagTensor;
}

- (BOOL)isString {
  return _tag == ExecuTorchValueTagString;
}

- (BOOL)isInteger {
  return _tag == ExecuTorchValueTagInteger;
}

- (BOOL)isBoolean {
  return _tag == ExecuTorchValueTagBoolean;
}

- (BOOL)isDouble {
  return _tag == ExecuTorchValueTagDouble;
}

- (BOOL)isFloat {
  return self.isDouble;
}

- (BOOL)isEqualToValue:(ExecuTorchValue*)other {
  return other != nil && _tag == other.tag &&
         (_contents == other.contents || [_contents isEqual:other.contents]);
}

- (BOOL)isEqual:(id)other {
  return other == self ||
         ([other isKindOfClass:[ExecuTorchValue class]] && [self isEqualToValue:other]);
}

- (NSUInteger)hash {
  return [_contents hash] ^ static_cast<NSUInteger>(_tag);
}

- (NSString*)description {
  const char* tag = executorch::runtime::tag_name(static_cast<executorch::runtime::Tag>(_tag));
  return self.isNone ? @"Value {None}"
                     : [NSString stringWithFormat:@"Value {%s: %@}", tag, _contents];
}

@end
