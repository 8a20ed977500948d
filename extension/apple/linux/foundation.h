/// @file
/// What Apple's Foundation has and GNUstep's not. Before everything else in each source.
#pragma once

#import <Foundation/Foundation.h>

#undef NS_UNAVAILABLE
#define NS_UNAVAILABLE __attribute__((unavailable))
#define NS_ERROR_ENUM(domain, name) \
  NSInteger name;                   \
  enum
#define NS_NOESCAPE __attribute__((noescape))
// For Swift's eyes only.
#define NS_SWIFT_NAME(name)
#define NS_SWIFT_UNAVAILABLE(reason)
