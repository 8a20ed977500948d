#pragma once

/// While it lives, what this thread allocates may be lost: an object whose initializer raises is,
/// in Objective-C.
class LeaksAllowed {
 public:
  LeaksAllowed();
  ~LeaksAllowed();
  LeaksAllowed(const LeaksAllowed&) = delete;
  LeaksAllowed& operator=(const LeaksAllowed&) = delete;
};
