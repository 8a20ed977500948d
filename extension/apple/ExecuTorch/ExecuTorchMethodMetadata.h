/// @file
/// What a method takes, gives and needs.
#import <ExecuTorch/ExecuTorchValue.h>

NS_ASSUME_NONNULL_BEGIN

/// A tensor that a method takes, gives or keeps.
NS_SWIFT_NAME(TensorMetadata)
@interface ExecuTorchTensorMetadata : NSObject {
 @private
  NSArray<NSNumber*>* _shape;
  NSArray<NSNumber*>* _dimensionOrder;
  ExecuTorchDataType _dataType;
  BOOL _isMemoryPlanned;
  NSString* _name;
}

/// The largest that it may be, where the shape may change.
@property(nonatomic, readonly) NSArray<NSNumber*>* shape;
@property(nonatomic, readonly) NSArray<NSNumber*>* dimensionOrder;
@property(nonatomic, readonly) ExecuTorchDataType dataType;

/// Whether the program has planned its memory.
@property(nonatomic, readonly) BOOL isMemoryPlanned;
@property(nonatomic, readonly) NSString* name;

+ (instancetype)new NS_UNAVAILABLE;
- (instancetype)init NS_UNAVAILABLE;

@end

NS_SWIFT_NAME(MethodMetadata)
@interface ExecuTorchMethodMetadata : NSObject {
 @private
  NSString* _name;
  NSInteger _instructionCount;
  NSMutableArray* _inputValueTags;
  NSMutableArray* _outputValueTags;
  NSMutableDictionary* _inputTensorMetadata;
  NSMutableDictionary* _outputTensorMetadata;
  NSMutableArray* _attributeTensorMetadata;
  NSMutableArray* _memoryPlannedBufferSizes;
  NSMutableArray* _backendNames;
}

@property(nonatomic, readonly) NSString* name;

/// An ExecuTorchValueTag of each input and output, in order.
@property(nonatomic, readonly) NSArray<NSNumber*>* inputValueTags;
@property(nonatomic, readonly) NSArray<NSNumber*>* outputValueTags;

/// Of the inputs and outputs that are tensors, by index.
@property(nonatomic, readonly)
    NSDictionary<NSNumber*, ExecuTorchTensorMetadata*>* inputTensorMetadata;
@property(nonatomic, readonly)
    NSDictionary<NSNumber*, ExecuTorchTensorMetadata*>* outputTensorMetadata;

/// Of the tensors that keep their names: parameters of training, and state.
@property(nonatomic, readonly) NSArray<ExecuTorchTensorMetadata*>* attributeTensorMetadata;

/// Bytes of each planned block of memory.
@property(nonatomic, readonly) NSArray<NSNumber*>* memoryPlannedBufferSizes;

/// Names of the backends that it needs, each once.
@property(nonatomic, readonly) NSArray<NSString*>* backendNames;
@property(nonatomic, readonly) NSInteger instructionCount;

+ (instancetype)new NS_UNAVAILABLE;
- (instancetype)init NS_UNAVAILABLE;

@end

NS_ASSUME_NONNULL_END
