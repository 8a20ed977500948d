/// @file
/// Tensors over memory of the application's or of their own.
#import <Foundation/Foundation.h>

NS_ASSUME_NONNULL_BEGIN

/// The numbers are PyTorch's and those of the program format.
typedef NS_ENUM(NSInteger, ExecuTorchDataType) {
  ExecuTorchDataTypeByte,
  ExecuTorchDataTypeChar,
  ExecuTorchDataTypeShort,
  ExecuTorchDataTypeInt,
  ExecuTorchDataTypeLong,
  ExecuTorchDataTypeHalf,
  ExecuTorchDataTypeFloat,
  ExecuTorchDataTypeDouble,
  ExecuTorchDataTypeComplexHalf,
  ExecuTorchDataTypeComplexFloat,
  ExecuTorchDataTypeComplexDouble,
  ExecuTorchDataTypeBool,
  ExecuTorchDataTypeQInt8,
  ExecuTorchDataTypeQUInt8,
  ExecuTorchDataTypeQInt32,
  ExecuTorchDataTypeBFloat16,
  ExecuTorchDataTypeQUInt4x2,
  ExecuTorchDataTypeQUInt2x4,
  ExecuTorchDataTypeBits1x8,
  ExecuTorchDataTypeBits2x4,
  ExecuTorchDataTypeBits4x2,
  ExecuTorchDataTypeBits8,
  ExecuTorchDataTypeBits16,
  ExecuTorchDataTypeFloat8_e5m2,
  ExecuTorchDataTypeFloat8_e4m3fn,
  ExecuTorchDataTypeFloat8_e5m2fnuz,
  ExecuTorchDataTypeFloat8_e4m3fnuz,
  ExecuTorchDataTypeUInt16,
  ExecuTorchDataTypeUInt32,
  ExecuTorchDataTypeUInt64,
  ExecuTorchDataTypeUndefined,
} NS_SWIFT_NAME(DataType);

/// Whether and how far a shape may change.
typedef NS_ENUM(NSInteger, ExecuTorchShapeDynamism) {
  ExecuTorchShapeDynamismStatic,
  ExecuTorchShapeDynamismDynamicBound,
  ExecuTorchShapeDynamismDynamicUnbound,
} NS_SWIFT_NAME(ShapeDynamism);

/// Bytes of an element; 0 for Undefined.
FOUNDATION_EXPORT NSInteger ExecuTorchSizeOfDataType(ExecuTorchDataType dataType)
    NS_SWIFT_NAME(size(ofDataType:));

/// Elements of a tensor of that shape; 1 for no dimension. Raises NSInvalidArgumentException for a
/// negative or too large dimension.
FOUNDATION_EXPORT NSInteger ExecuTorchElementCountOfShape(NSArray<NSNumber*>* shape)
    NS_SWIFT_NAME(elementCount(ofShape:));

/// A tensor: shape, data type, layout, and data that it owns, keeps alive or borrows.
///
/// Shapes, strides (in elements) and dimension orders are arrays of integers; strides and dimension
/// orders that are empty or left out are those of a contiguous tensor. Tensors without a given
/// dynamism may shrink and grow within the memory that they were made with
/// (ExecuTorchShapeDynamismDynamicBound). Initializers raise NSInvalidArgumentException for what
/// does not belong together, with what was expected. Tensors are no safer among threads than arrays
/// of C are.
NS_SWIFT_NAME(AnyTensor)
@interface ExecuTorchTensor : NSObject <NSCopying> {
 @private
  void* _nativeInstance;
}

/// A pointer to the executorch::extension::TensorPtr inside, for C++.
@property(nonatomic, readonly) void* nativeInstance NS_SWIFT_UNAVAILABLE("for C++");

@property(nonatomic, readonly) ExecuTorchDataType dataType;
@property(nonatomic, readonly) NSArray<NSNumber*>* shape;
@property(nonatomic, readonly) NSArray<NSNumber*>* dimensionOrder;
@property(nonatomic, readonly) NSArray<NSNumber*>* strides;
@property(nonatomic, readonly) ExecuTorchShapeDynamism shapeDynamism;

/// Number of elements.
@property(nonatomic, readonly) NSInteger count;

+ (instancetype)new NS_UNAVAILABLE;
- (instancetype)init NS_UNAVAILABLE;

/// Shares the tensor that `nativeInstance`, a pointer to a TensorPtr, points to.
- (instancetype)initWithNativeInstance:(void*)nativeInstance NS_DESIGNATED_INITIALIZER
    NS_SWIFT_UNAVAILABLE("for C++");

/// A view of the same data, with a shape of its own that later resizing changes; keeps the data
/// alive.
- (instancetype)initWithTensor:(ExecuTorchTensor*)otherTensor NS_SWIFT_NAME(init(_:));

/// A tensor with data of its own.
- (instancetype)copy;

/// The same with the elements converted; raises where values could be lost, as from Float to Int.
- (instancetype)copyToDataType:(ExecuTorchDataType)dataType NS_SWIFT_NAME(copy(dataType:));

/// Calls the handler with the data, `count` elements of the type. The pointer is good during the
/// call.
- (void)bytesWithHandler:
    (void(NS_NOESCAPE ^)(const void* pointer, NSInteger count, ExecuTorchDataType dataType))handler
    NS_SWIFT_NAME(bytes(_:));

- (void)mutableBytesWithHandler:
    (void(NS_NOESCAPE ^)(void* pointer, NSInteger count, ExecuTorchDataType dataType))handler
    NS_SWIFT_NAME(mutableBytes(_:));

/// Changes the shape and not the data: of the same rank, and no more elements than there is memory
/// for.
- (BOOL)resizeToShape:(NSArray<NSNumber*>*)shape
                error:(NSError* _Nullable* _Nullable)error NS_SWIFT_NAME(resize(to:));

/// Whether data type, shape, strides, dimension order and every byte of data are the same. How far
/// the shape may change does not count.
- (BOOL)isEqualToTensor:(nullable ExecuTorchTensor*)other NS_SWIFT_NAME(isEqual(to:));

@end

/// Tensors over bytes.
@interface ExecuTorchTensor (Bytes)

/// Over memory of the caller's, which has to outlive the tensor.
- (instancetype)initWithBytesNoCopy:(void*)pointer
                              shape:(NSArray<NSNumber*>*)shape
                            strides:(NSArray<NSNumber*>*)strides
                     dimensionOrder:(NSArray<NSNumber*>*)dimensionOrder
                           dataType:(ExecuTorchDataType)dataType
                      shapeDynamism:(ExecuTorchShapeDynamism)shapeDynamism;
- (instancetype)initWithBytesNoCopy:(void*)pointer
                              shape:(NSArray<NSNumber*>*)shape
                           dataType:(ExecuTorchDataType)dataType
                      shapeDynamism:(ExecuTorchShapeDynamism)shapeDynamism;
- (instancetype)initWithBytesNoCopy:(void*)pointer
                              shape:(NSArray<NSNumber*>*)shape
                           dataType:(ExecuTorchDataType)dataType;

/// Over a copy of as many bytes as the shape asks for.
- (instancetype)initWithBytes:(const void*)pointer
                        shape:(NSArray<NSNumber*>*)shape
                      strides:(NSArray<NSNumber*>*)strides
               dimensionOrder:(NSArray<NSNumber*>*)dimensionOrder
                     dataType:(ExecuTorchDataType)dataType
                shapeDynamism:(ExecuTorchShapeDynamism)shapeDynamism;
- (instancetype)initWithBytes:(const void*)pointer
                        shape:(NSArray<NSNumber*>*)shape
                     dataType:(ExecuTorchDataType)dataType
                shapeDynamism:(ExecuTorchShapeDynamism)shapeDynamism;
- (instancetype)initWithBytes:(const void*)pointer
                        shape:(NSArray<NSNumber*>*)shape
                     dataType:(ExecuTorchDataType)dataType;

/// Over the bytes of `data`, which is kept and not copied; it has to have at least as many as the
/// shape asks for.
- (instancetype)initWithData:(NSData*)data
                       shape:(NSArray<NSNumber*>*)shape
                     strides:(NSArray<NSNumber*>*)strides
              dimensionOrder:(NSArray<NSNumber*>*)dimensionOrder
                    dataType:(ExecuTorchDataType)dataType
               shapeDynamism:(ExecuTorchShapeDynamism)shapeDynamism;
- (instancetype)initWithData:(NSData*)data
                       shape:(NSArray<NSNumber*>*)shape
                    dataType:(ExecuTorchDataType)dataType
               shapeDynamism:(ExecuTorchShapeDynamism)shapeDynamism;
- (instancetype)initWithData:(NSData*)data
                       shape:(NSArray<NSNumber*>*)shape
                    dataType:(ExecuTorchDataType)dataType;

@end

NS_ASSUME_NONNULL_END
