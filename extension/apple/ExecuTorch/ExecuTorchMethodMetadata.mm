#import "ExecuTorchMethodMetadata.h"

#import "MethodMetadataReading.h"
#import "Native.h"

using executorch::extension::apple::numbers;
using executorch::runtime::Error;
using executorch::runtime::MethodMeta;
using executorch::runtime::Result;
using executorch::runtime::Tag;
using executorch::runtime::TensorInfo;

@interface ExecuTorchTensorMetadata ()
- (instancetype)initWithInfo:(const TensorInfo&)info;
@end

@implementation ExecuTorchTensorMetadata

@synthesize shape = _shape;
@synthesize dimensionOrder = _dimensionOrder;
@synthesize dataType = _dataType;
@synthesize isMemoryPlanned = _isMemoryPlanned;
@synthesize name = _name;

- (instancetype)initWithInfo:(const TensorInfo&)info {
  if (self = [super init]) {
    _shape = [numbers(info.sizes()) retain];
    _dimensionOrder = [numbers(info.dim_order()) retain];
    _dataType = static_cast<ExecuTorchDataType>(info.scalar_type());
    _isMemoryPlanned = info.is_memory_planned();
    NSString* name = [[NSString alloc] initWithBytes:info.name().data()
                                              length:info.name().size()
                                            encoding:NSUTF8StringEncoding];
    _name = name != nil ? name : @"";
  }
  return self;
}

- (void)dealloc {
  [_shape release];
  [_dimensionOrder release];
  [_name release];
  [super dealloc];
}

@end

namespace {

using Info = Result<TensorInfo> (MethodMeta::*)(size_t) const;

/// The description of one tensor; nil after an error.
ExecuTorchTensorMetadata* describe(const MethodMeta& meta, Info info, size_t index, Error& error) {
  const Result<TensorInfo> found = (meta.*info)(index);
  error = found.error();
  return found.ok() ? [[[ExecuTorchTensorMetadata alloc] initWithInfo:*found] autorelease] : nil;
}

/// Tags of all inputs or outputs, and the descriptions of those that are tensors.
bool describe_all(const MethodMeta& meta, size_t count,
                  Result<Tag> (MethodMeta::*tag)(size_t) const, Info info, NSMutableArray* tags,
                  NSMutableDictionary* tensors, Error& error) {
  for (size_t i = 0; i < count; ++i) {
    const Result<Tag> found = (meta.*tag)(i);
    if (!found.ok()) {
      error = found.error();
      return false;
    }
    [tags addObject:@(static_cast<NSInteger>(*found))];
    if (*found == Tag::Tensor) {
      ExecuTorchTensorMetadata* tensor = describe(meta, info, i, error);
      if (tensor == nil) {
        return false;
      }
      [tensors setObject:tensor forKey:@(i)];
    }
  }
  return true;
}

}  // namespace

@implementation ExecuTorchMethodMetadata

@synthesize name = _name;
@synthesize instructionCount = _instructionCount;

+ (instancetype)metadataOf:(const MethodMeta&)meta error:(Error&)error {
  ExecuTorchMethodMetadata* made = [[[self alloc] initEmpty] autorelease];
  return [made readInterface:meta error:error] && [made readNeeds:meta error:error] ? made : nil;
}

- (instancetype)initEmpty {
  if (self = [super init]) {
    _inputValueTags = [[NSMutableArray alloc] init];
    _outputValueTags = [[NSMutableArray alloc] init];
    _inputTensorMetadata = [[NSMutableDictionary alloc] init];
    _outputTensorMetadata = [[NSMutableDictionary alloc] init];
    _attributeTensorMetadata = [[NSMutableArray alloc] init];
    _memoryPlannedBufferSizes = [[NSMutableArray alloc] init];
    _backendNames = [[NSMutableArray alloc] init];
  }
  return self;
}

- (BOOL)readInterface:(const MethodMeta&)meta error:(Error&)error {
  _name = [[NSString alloc] initWithUTF8String:meta.name()];
  return describe_all(meta, meta.num_inputs(), &MethodMeta::input_tag,
                      &MethodMeta::input_tensor_meta, _inputValueTags, _inputTensorMetadata,
                      error) &&
         describe_all(meta, meta.num_outputs(), &MethodMeta::output_tag,
                      &MethodMeta::output_tensor_meta, _outputValueTags, _outputTensorMetadata,
                      error);
}

- (BOOL)readNeeds:(const MethodMeta&)meta error:(Error&)error {
  _instructionCount = static_cast<NSInteger>(meta.num_instructions());
  for (size_t i = 0; i < meta.num_attributes(); ++i) {
    ExecuTorchTensorMetadata* tensor = describe(meta, &MethodMeta::attribute_tensor_meta, i, error);
    if (tensor == nil) {
      return NO;
    }
    [_attributeTensorMetadata addObject:tensor];
  }
  for (size_t i = 0; i < meta.num_memory_planned_buffers(); ++i) {
    const Result<int64_t> size = meta.memory_planned_buffer_size(i);
    if (!size.ok()) {
      error = size.error();
      return NO;
    }
    [_memoryPlannedBufferSizes addObject:@(*size)];
  }
  for (size_t i = 0; i < meta.num_backends(); ++i) {
    const Result<const char*> found = meta.get_backend_name(i);
    if (!found.ok()) {
      error = found.error();
      return NO;
    }
    NSString* backend = [NSString stringWithUTF8String:*found];
    if (![_backendNames containsObject:backend]) {
      [_backendNames addObject:backend];
    }
  }
  return YES;
}

- (void)dealloc {
  [_name release];
  [_inputValueTags release];
  [_outputValueTags release];
  [_inputTensorMetadata release];
  [_outputTensorMetadata release];
  [_attributeTensorMetadata release];
  [_memoryPlannedBufferSizes release];
  [_backendNames release];
  [super dealloc];
}

- (NSArray<NSNumber*>*)inputValueTags {
  return _inputValueTags;
}

- (NSArray<NSNumber*>*)outputValueTags {
  return _outputValueTags;
}

- (NSDictionary<NSNumber*, ExecuTorchTensorMetadata*>*)inputTensorMetadata {
  return _inputTensorMetadata;
}

- (NSDictionary<NSNumber*, ExecuTorchTensorMetadata*>*)outputTensorMetadata {
  return _outputTensorMetadata;
}

- (NSArray<ExecuTorchTensorMetadata*>*)attributeTensorMetadata {
  return _attributeTensorMetadata;
}

- (NSArray<NSNumber*>*)memoryPlannedBufferSizes {
  return _memoryPlannedBufferSizes;
}

- (NSArray<NSString*>*)backendNames {
  return _backendNames;
}

@end
