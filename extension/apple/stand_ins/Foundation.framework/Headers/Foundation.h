/// @file
/// Of Apple's Foundation, what the sources of extension/apple use, without what it does: the SDK is
/// in no registry.
#pragma once

#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>

#define NS_ASSUME_NONNULL_BEGIN _Pragma("clang assume_nonnull begin")
#define NS_ASSUME_NONNULL_END _Pragma("clang assume_nonnull end")
#define NS_ENUM(type, name)                                        \
  enum __attribute__((enum_extensibility(open))) name : type name; \
  enum name : type
#define NS_ERROR_ENUM(domain, name)                                \
  enum __attribute__((ns_error_domain(domain)))                    \
  __attribute__((enum_extensibility(open))) name : NSInteger name; \
  enum name : NSInteger
#define NS_SWIFT_NAME(name) __attribute__((swift_name(#name)))
#define NS_SWIFT_UNAVAILABLE(reason) \
  __attribute__((availability(swift, unavailable, message = reason)))
#define NS_UNAVAILABLE __attribute__((unavailable))
#define NS_DESIGNATED_INITIALIZER __attribute__((objc_designated_initializer))
#define NS_NOESCAPE __attribute__((noescape))
#define NS_FORMAT_FUNCTION(text, first) __attribute__((format(__NSString__, text, first)))
#define NS_REFINED_FOR_SWIFT __attribute__((swift_private))
#define NS_RETURNS_RETAINED __attribute__((ns_returns_retained))
#if defined(__cplusplus)
#define FOUNDATION_EXPORT extern "C"
#else
#define FOUNDATION_EXPORT extern
#endif

typedef bool BOOL;
#define YES __objc_yes
#define NO __objc_no
#define nil nullptr
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define MAX(a, b) ((a) < (b) ? (b) : (a))
typedef long NSInteger;
typedef unsigned long NSUInteger;
typedef double NSTimeInterval;
typedef struct _NSZone NSZone;
#define NSIntegerMax LONG_MAX
static const NSInteger NSNotFound = NSIntegerMax;
typedef struct {
  NSUInteger location, length;
} NSRange;
static inline NSRange NSMakeRange(NSUInteger location, NSUInteger length) {
  return NSRange{location, length};
}

NS_ASSUME_NONNULL_BEGIN

@class NSArray<Element>, NSData, NSDictionary<Key, Value>, NSError, NSNumber, NSString;

@protocol NSObject
- (BOOL)isEqual:(nullable id)object;
- (BOOL)isKindOfClass:(Class)aClass;
- (BOOL)respondsToSelector:(SEL)selector;
- (Class)class;
- (NSString*)description;
- (NSUInteger)hash;
- (instancetype)autorelease;
- (instancetype)retain;
- (oneway void)release;
@property(readonly) NSUInteger hash;
@property(readonly, copy) NSString* description;
@end

@protocol NSCopying
- (id)copyWithZone:(nullable NSZone*)zone;
@end

@protocol NSMutableCopying
@end

__attribute__((objc_root_class))
@interface NSObject<NSObject>
+ (instancetype)alloc;
+ (instancetype)allocWithZone:(nullable NSZone*)zone;
+ (instancetype)new;
+ (Class)class;
- (instancetype)init;
- (void)dealloc;
- (id)copy;
- (id)mutableCopy;
- (void)doesNotRecognizeSelector:(SEL)selector;
@end

typedef struct {
  unsigned long state;
  id __unsafe_unretained _Nullable* _Nullable itemsPtr;
  unsigned long* _Nullable mutationsPtr;
  unsigned long extra[5];
} NSFastEnumerationState;

@protocol NSFastEnumeration
- (NSUInteger)countByEnumeratingWithState:(NSFastEnumerationState*)state
                                  objects:(id __unsafe_unretained _Nullable[_Nonnull])buffer
                                    count:(NSUInteger)length;
@end

@interface NSAutoreleasePool : NSObject
- (void)drain;
@end

typedef NSUInteger NSStringEncoding;
enum : NSStringEncoding { NSUTF8StringEncoding = 4, NSISOLatin1StringEncoding = 5 };

@interface NSString : NSObject <NSCopying, NSMutableCopying>
+ (instancetype)string;
+ (nullable instancetype)stringWithUTF8String:(const char*)text;
+ (instancetype)stringWithFormat:(NSString*)format, ... NS_FORMAT_FUNCTION(1, 2);
+ (instancetype)stringWithString:(NSString*)text;
- (nullable instancetype)initWithUTF8String:(const char*)text;
- (nullable instancetype)initWithBytes:(const void*)bytes
                                length:(NSUInteger)length
                              encoding:(NSStringEncoding)encoding;
- (instancetype)initWithFormat:(NSString*)format arguments:(va_list)arguments;
- (nullable NSData*)dataUsingEncoding:(NSStringEncoding)encoding;
- (NSUInteger)lengthOfBytesUsingEncoding:(NSStringEncoding)encoding;
- (BOOL)isEqualToString:(NSString*)other;
- (NSString*)stringByAppendingString:(NSString*)other;
@property(readonly) NSUInteger length;
@property(nullable, readonly) const char* UTF8String;
@property(readonly) const char* fileSystemRepresentation;
@end

@interface NSMutableString : NSString
- (void)appendString:(NSString*)text;
- (void)appendFormat:(NSString*)format, ... NS_FORMAT_FUNCTION(1, 2);
@end

@interface NSNumber : NSObject <NSCopying>
+ (NSNumber*)numberWithBool:(BOOL)value;
+ (NSNumber*)numberWithChar:(char)value;
+ (NSNumber*)numberWithDouble:(double)value;
+ (NSNumber*)numberWithFloat:(float)value;
+ (NSNumber*)numberWithInt:(int)value;
+ (NSNumber*)numberWithInteger:(NSInteger)value;
+ (NSNumber*)numberWithLong:(long)value;
+ (NSNumber*)numberWithLongLong:(long long)value;
+ (NSNumber*)numberWithShort:(short)value;
+ (NSNumber*)numberWithUnsignedChar:(unsigned char)value;
+ (NSNumber*)numberWithUnsignedInt:(unsigned int)value;
+ (NSNumber*)numberWithUnsignedInteger:(NSUInteger)value;
+ (NSNumber*)numberWithUnsignedLong:(unsigned long)value;
+ (NSNumber*)numberWithUnsignedLongLong:(unsigned long long)value;
+ (NSNumber*)numberWithUnsignedShort:(unsigned short)value;
- (BOOL)isEqualToNumber:(NSNumber*)other;
@property(readonly) BOOL boolValue;
@property(readonly) char charValue;
@property(readonly) double doubleValue;
@property(readonly) float floatValue;
@property(readonly) int intValue;
@property(readonly) NSInteger integerValue;
@property(readonly) long longValue;
@property(readonly) long long longLongValue;
@property(readonly) short shortValue;
@property(readonly) const char* objCType;
@property(readonly) unsigned char unsignedCharValue;
@property(readonly) unsigned int unsignedIntValue;
@property(readonly) NSUInteger unsignedIntegerValue;
@property(readonly) unsigned long unsignedLongValue;
@property(readonly) unsigned long long unsignedLongLongValue;
@property(readonly) unsigned short unsignedShortValue;
@property(readonly, copy) NSString* stringValue;
@end

@interface NSArray<__covariant Element> : NSObject <NSCopying, NSMutableCopying, NSFastEnumeration>
+ (instancetype)array;
+ (instancetype)arrayWithObject:(Element)object;
+ (instancetype)arrayWithObjects:(const Element _Nonnull[_Nullable])objects count:(NSUInteger)count;
+ (instancetype)arrayWithArray:(NSArray<Element>*)other;
- (Element)objectAtIndex:(NSUInteger)index;
- (Element)objectAtIndexedSubscript:(NSUInteger)index;
- (BOOL)containsObject:(Element)object;
- (NSUInteger)indexOfObjectIdenticalTo:(Element)object;
- (BOOL)isEqualToArray:(NSArray<Element>*)other;
- (NSString*)componentsJoinedByString:(NSString*)separator;
- (NSArray<Element>*)subarrayWithRange:(NSRange)range;
@property(readonly) NSUInteger count;
@property(nullable, readonly) Element firstObject;
@property(nullable, readonly) Element lastObject;
@end

@interface NSMutableArray<Element> : NSArray <Element>
+ (instancetype)arrayWithCapacity:(NSUInteger)capacity;
- (void)addObject:(Element)object;
- (void)removeObject:(Element)object;
- (void)removeObjectIdenticalTo:(Element)object;
- (void)removeAllObjects;
@end

@interface NSDictionary<__covariant Key, __covariant Value>
    : NSObject <NSCopying, NSMutableCopying, NSFastEnumeration>
+ (instancetype)dictionary;
+ (instancetype)dictionaryWithObjects:(const Value _Nonnull[_Nullable])objects
                              forKeys:(const Key _Nonnull[_Nullable])keys
                                count:(NSUInteger)count;
- (nullable Value)objectForKey:(Key)key;
- (nullable Value)objectForKeyedSubscript:(Key)key;
@property(readonly) NSUInteger count;
@property(readonly, copy) NSArray<Key>* allKeys;
@end

@interface NSMutableDictionary<Key, Value> : NSDictionary <Key, Value>
+ (instancetype)dictionaryWithCapacity:(NSUInteger)capacity;
- (void)setObject:(nullable Value)object forKeyedSubscript:(Key)key;
- (void)setObject:(Value)object forKey:(Key)key;
@end

@interface NSSet<__covariant Element> : NSObject <NSCopying, NSMutableCopying, NSFastEnumeration>
+ (instancetype)set;
- (BOOL)containsObject:(Element)object;
@property(readonly) NSUInteger count;
@end

@interface NSMutableSet<Element> : NSSet <Element>
- (void)addObject:(Element)object;
@end

@interface NSNull : NSObject <NSCopying>
+ (NSNull*)null;
@end

@interface NSData : NSObject <NSCopying, NSMutableCopying>
+ (instancetype)data;
+ (instancetype)dataWithBytes:(nullable const void*)bytes length:(NSUInteger)length;
+ (instancetype)dataWithBytesNoCopy:(void*)bytes length:(NSUInteger)length freeWhenDone:(BOOL)free;
- (instancetype)initWithBytesNoCopy:(void*)bytes length:(NSUInteger)length freeWhenDone:(BOOL)free;
- (instancetype)initWithBytes:(nullable const void*)bytes length:(NSUInteger)length;
@property(readonly) NSUInteger length;
@property(readonly) const void* bytes;
@end

@interface NSMutableData : NSData
+ (nullable instancetype)dataWithLength:(NSUInteger)length;
+ (nullable instancetype)dataWithCapacity:(NSUInteger)capacity;
@property NSUInteger length;
- (nullable instancetype)initWithLength:(NSUInteger)length;
- (void)appendBytes:(const void*)bytes length:(NSUInteger)length;
@property(readonly) void* mutableBytes;
@end

typedef NSString* NSErrorDomain;
typedef NSString* NSErrorUserInfoKey;
FOUNDATION_EXPORT NSErrorUserInfoKey const NSLocalizedDescriptionKey;

@interface NSError : NSObject <NSCopying>
+ (instancetype)errorWithDomain:(NSErrorDomain)domain
                           code:(NSInteger)code
                       userInfo:(nullable NSDictionary<NSErrorUserInfoKey, id>*)info;
@property(readonly, copy) NSErrorDomain domain;
@property(readonly) NSInteger code;
@property(readonly, copy) NSString* localizedDescription;
@end

typedef NSString* NSExceptionName;
FOUNDATION_EXPORT NSExceptionName const NSInvalidArgumentException;

@interface NSException : NSObject <NSCopying>
+ (void)raise:(NSExceptionName)name format:(NSString*)format, ... NS_FORMAT_FUNCTION(2, 3);
+ (NSException*)exceptionWithName:(NSExceptionName)name
                           reason:(nullable NSString*)reason
                         userInfo:(nullable NSDictionary*)info;
- (void)raise;
@end

@interface NSThread : NSObject
+ (BOOL)isMultiThreaded;
@end

NS_ASSUME_NONNULL_END
