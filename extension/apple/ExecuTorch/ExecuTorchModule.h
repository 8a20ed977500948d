/// @file
/// A program, loaded and run.
#import <ExecuTorch/ExecuTorchMethodMetadata.h>
#import <ExecuTorch/ExecuTorchValue.h>

NS_ASSUME_NONNULL_BEGIN

/// How the bytes of files come into memory.
typedef NS_ENUM(NSInteger, ExecuTorchModuleLoadMode) {
  /// Read.
  ExecuTorchModuleLoadModeFile,
  /// Mapped.
  ExecuTorchModuleLoadModeMmap,
  /// Mapped and pinned; fails where that is not allowed.
  ExecuTorchModuleLoadModeMmapUseMlock,
  /// Mapped, and pinned where that is allowed.
  ExecuTorchModuleLoadModeMmapUseMlockIgnoreErrors,
} NS_SWIFT_NAME(ModuleLoadMode);

/// How much of a program is checked before anything of it is used.
typedef NS_ENUM(NSInteger, ExecuTorchVerification) {
  /// Its header and sizes.
  ExecuTorchVerificationMinimal,
  /// Every table and offset.
  ExecuTorchVerificationInternalConsistency,
} NS_SWIFT_NAME(ModuleVerification);

/// A program in a file, with the memory that its methods need.
///
/// Making one loads nothing; program and methods are loaded when they are first needed, or asked
/// for. All of a call's results have memory of their own and outlive the module. One thread at a
/// time: every call of another thread waits.
NS_SWIFT_NAME(Module)
@interface ExecuTorchModule : NSObject {
 @private
  void* _impl;
}

- (instancetype)initWithFilePath:(NSString*)filePath;
- (instancetype)initWithFilePath:(NSString*)filePath loadMode:(ExecuTorchModuleLoadMode)loadMode;

/// With weights in `.ptd` files.
- (instancetype)initWithFilePath:(NSString*)filePath
                   dataFilePaths:(NSArray<NSString*>*)dataFilePaths;
- (instancetype)initWithFilePath:(NSString*)filePath
                   dataFilePaths:(NSArray<NSString*>*)dataFilePaths
                        loadMode:(ExecuTorchModuleLoadMode)loadMode NS_DESIGNATED_INITIALIZER;

+ (instancetype)new NS_UNAVAILABLE;
- (instancetype)init NS_UNAVAILABLE;

/// Loads the program, once.
- (BOOL)load:(NSError* _Nullable* _Nullable)error NS_SWIFT_NAME(load());
- (BOOL)loadWithVerification:(ExecuTorchVerification)verification
                       error:(NSError* _Nullable* _Nullable)error NS_SWIFT_NAME(load(_:));
- (BOOL)isLoaded;

/// Loads a method, and the program before it.
- (BOOL)loadMethod:(NSString*)methodName
             error:(NSError* _Nullable* _Nullable)error NS_SWIFT_NAME(load(_:));
- (BOOL)isMethodLoaded:(NSString*)methodName NS_SWIFT_NAME(isLoaded(_:));

/// Gives a method's memory back; NO if it was not loaded.
- (BOOL)unloadMethod:(NSString*)methodName NS_SWIFT_NAME(unload(_:));

/// Names of all methods; loads the program.
- (nullable NSSet<NSString*>*)methodNames:(NSError* _Nullable* _Nullable)error;

/// What a method takes and gives; loads the method.
- (nullable ExecuTorchMethodMetadata*)methodMetadata:(NSString*)methodName
                                               error:(NSError* _Nullable* _Nullable)error
    NS_SWIFT_NAME(methodMetadata(_:));

/// Runs a method and returns its outputs. Inputs that are left out, or nothing, are those of
/// setInputs.
- (nullable NSArray<ExecuTorchValue*>*)executeMethod:(NSString*)methodName
                                          withInputs:(NSArray<ExecuTorchValue*>*)values
                                               error:(NSError* _Nullable* _Nullable)error
    NS_SWIFT_NAME(execute(_:_:));
- (nullable NSArray<ExecuTorchValue*>*)executeMethod:(NSString*)methodName
                                           withInput:(ExecuTorchValue*)value
                                               error:(NSError* _Nullable* _Nullable)error
    NS_SWIFT_NAME(execute(_:_:));
- (nullable NSArray<ExecuTorchValue*>*)executeMethod:(NSString*)methodName
                                         withTensors:(NSArray<ExecuTorchTensor*>*)tensors
                                               error:(NSError* _Nullable* _Nullable)error
    NS_SWIFT_NAME(execute(_:_:));
- (nullable NSArray<ExecuTorchValue*>*)executeMethod:(NSString*)methodName
                                          withTensor:(ExecuTorchTensor*)tensor
                                               error:(NSError* _Nullable* _Nullable)error
    NS_SWIFT_NAME(execute(_:_:));
- (nullable NSArray<ExecuTorchValue*>*)executeMethod:(NSString*)methodName
                                               error:(NSError* _Nullable* _Nullable)error
    NS_SWIFT_NAME(execute(_:));

/// The method "forward".
- (nullable NSArray<ExecuTorchValue*>*)forwardWithInputs:(NSArray<ExecuTorchValue*>*)values
                                                   error:(NSError* _Nullable* _Nullable)error
    NS_SWIFT_NAME(forward(_:));
- (nullable NSArray<ExecuTorchValue*>*)forwardWithInput:(ExecuTorchValue*)value
                                                  error:(NSError* _Nullable* _Nullable)error
    NS_SWIFT_NAME(forward(_:));
- (nullable NSArray<ExecuTorchValue*>*)forwardWithTensors:(NSArray<ExecuTorchTensor*>*)tensors
                                                    error:(NSError* _Nullable* _Nullable)error
    NS_SWIFT_NAME(forward(_:));
- (nullable NSArray<ExecuTorchValue*>*)forwardWithTensor:(ExecuTorchTensor*)tensor
                                                   error:(NSError* _Nullable* _Nullable)error
    NS_SWIFT_NAME(forward(_:));
- (nullable NSArray<ExecuTorchValue*>*)forward:(NSError* _Nullable* _Nullable)error;

/// Stores inputs for later calls; nothing takes one back. The module keeps the values.
- (BOOL)setInputs:(NSArray<ExecuTorchValue*>*)values
        forMethod:(NSString*)methodName
            error:(NSError* _Nullable* _Nullable)error NS_SWIFT_NAME(setInputs(_:method:));
- (BOOL)setInputs:(NSArray<ExecuTorchValue*>*)values
            error:(NSError* _Nullable* _Nullable)error NS_SWIFT_NAME(setInputs(_:));

@end

NS_ASSUME_NONNULL_END
