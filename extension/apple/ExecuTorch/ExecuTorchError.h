/// @file
/// What goes wrong, as NSError. Misuse that no file and no user can cause, such as fewer bytes than
/// a shape asks for, raises NSInvalidArgumentException instead.
#import <Foundation/Foundation.h>

NS_ASSUME_NONNULL_BEGIN

FOUNDATION_EXPORT NSErrorDomain const ExecuTorchErrorDomain NS_SWIFT_NAME(ErrorDomain);

/// The runtime's numbers. ExecuTorchErrorDescription() says each in words.
typedef NS_ERROR_ENUM(ExecuTorchErrorDomain, ExecuTorchErrorCode){
    ExecuTorchErrorCodeOk = 0x00,
    ExecuTorchErrorCodeInternal = 0x01,
    ExecuTorchErrorCodeInvalidState = 0x02,
    ExecuTorchErrorCodeEndOfMethod = 0x03,
    ExecuTorchErrorCodeAlreadyLoaded = 0x04,
    ExecuTorchErrorCodeNotSupported = 0x10,
    ExecuTorchErrorCodeNotImplemented = 0x11,
    ExecuTorchErrorCodeInvalidArgument = 0x12,
    ExecuTorchErrorCodeInvalidType = 0x13,
    ExecuTorchErrorCodeOperatorMissing = 0x14,
    ExecuTorchErrorCodeRegistrationExceedingMaxKernels = 0x15,
    ExecuTorchErrorCodeRegistrationAlreadyRegistered = 0x16,
    ExecuTorchErrorCodeNotFound = 0x20,
    ExecuTorchErrorCodeMemoryAllocationFailed = 0x21,
    ExecuTorchErrorCodeAccessFailed = 0x22,
    ExecuTorchErrorCodeInvalidProgram = 0x23,
    ExecuTorchErrorCodeInvalidExternalData = 0x24,
    ExecuTorchErrorCodeOutOfResources = 0x25,
    ExecuTorchErrorCodeDelegateInvalidCompatibility = 0x30,
    ExecuTorchErrorCodeDelegateMemoryAllocationFailed = 0x31,
    ExecuTorchErrorCodeDelegateInvalidHandle = 0x32,
} NS_SWIFT_NAME(ErrorCode);

/// What a number means, and what usually helps.
FOUNDATION_EXPORT NSString* ExecuTorchErrorDescription(ExecuTorchErrorCode code)
    NS_SWIFT_NAME(ErrorDescription(_:));

/// An error of the domain above, with that description.
FOUNDATION_EXPORT NSError* ExecuTorchErrorWithCode(ExecuTorchErrorCode code)
    NS_SWIFT_NAME(ErrorWithCode(_:));

/// The same, with more about this case; null for no more.
FOUNDATION_EXPORT NSError* ExecuTorchErrorWithCodeAndDescription(ExecuTorchErrorCode code,
                                                                 NSString* _Nullable description)
    NS_SWIFT_NAME(ErrorWithCode(_:_:));

NS_ASSUME_NONNULL_END
