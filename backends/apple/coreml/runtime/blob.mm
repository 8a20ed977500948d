#include <algorithm>
#include <cstring>

#import <Foundation/Foundation.h>

#include <executorch/backends/apple/coreml/runtime/blob.h>
#include <executorch/runtime/platform/log.h>

namespace executorch {
namespace backends {
namespace coreml {

using runtime::Error;
using runtime::Result;

namespace {

/// No package has as many rows, or as long a table; names and directories stay within what file
/// systems take.
constexpr size_t kLongestTable = size_t(1) << 22;
constexpr size_t kMostRows = 4096;
constexpr size_t kDeepest = 16;
constexpr size_t kDeepestText = 8;
constexpr size_t kLongestName = 255;

constexpr char kPackage[] = "model.mlpackage";
constexpr char kCompiled[] = "model.mlmodelc";
constexpr char kMetadata[] = "metadata.json";

constexpr char kReferenceMagic[] = "CMJR";
constexpr size_t kMagicSize = sizeof(kReferenceMagic) - 1;
constexpr size_t kLongestReference = 4096;

Error refuse(const char* why) {
  ET_LOG(Error, "Core ML: the delegate's bytes are no directory of a model: %s", why);
  return Error::DelegateInvalidCompatibility;
}

/// The text of an object that is written backwards at the end of the bytes; empty if there is none.
std::string text_at_the_end(const char* data, size_t size) {
  std::string text;
  size_t depth = 0;
  bool is_in_string = false;
  bool is_escaped = false;
  for (size_t i = 0; i < std::min(size, kLongestTable); ++i) {
    const char byte = data[size - 1 - i];
    text.push_back(byte);
    if (is_in_string) {
      is_in_string = byte != '"' || is_escaped;
      is_escaped = byte == '\\' && !is_escaped;
    } else if (byte == '"') {
      is_in_string = true;
      is_escaped = false;
    } else if (byte == '{' || byte == '[') {
      if (++depth > kDeepestText) {
        return {};
      }
    } else if (depth == 0) {
      return {};
    } else if (byte == '}' || byte == ']') {
      if (--depth == 0) {
        return text;
      }
    }
  }
  return {};
}

/// A value of the class, or nil.
template <typename T>
T* as(id value, Class type) {
  return [value isKindOfClass:type] ? static_cast<T*>(value) : nil;
}

NSDictionary* object_in(const void* text, size_t size) {
  NSData* data = [NSData dataWithBytes:text length:size];
  @try {
    return as<NSDictionary>([NSJSONSerialization JSONObjectWithData:data options:0 error:nullptr],
                            [NSDictionary class]);
  } @catch (NSException*) {
    return nil;
  }
}

bool read_size(id value, size_t& size) {
  NSNumber* number = as<NSNumber>(value, [NSNumber class]);
  const double given = number == nil ? -1 : [number doubleValue];
  if (!(given >= 0 && given <= double(uint64_t(1) << 52))) {
    return false;
  }
  size = static_cast<size_t>(given);
  return double(size) == given;
}

bool read_text(id value, std::string& text) {
  NSString* string = as<NSString>(value, [NSString class]);
  const char* const bytes = [string UTF8String];
  if (bytes == nullptr) {
    return false;
  }
  text = bytes;
  // A zero byte inside would cut the text.
  return text.size() == [string lengthOfBytesUsingEncoding:NSUTF8StringEncoding];
}

bool is_name(const std::string& name) {
  return !name.empty() && name.size() <= kLongestName && name != "." && name != ".." &&
         name.find_first_of("/\\") == std::string::npos;
}

/// Goes through the table from its last row, which is the directory itself.
class Walk {
 public:
  Walk(NSArray* rows, size_t size, Blob& blob)
      : rows_(rows), size_(size), blob_(blob), is_seen_([rows count], false) {}

  /// Null, or what is wrong.
  const char* from(size_t index, const std::string& path, size_t depth) {
    if (index >= is_seen_.size() || is_seen_[index] || depth > kDeepest) {
      return "its table has no such row, or a directory is in itself";
    }
    is_seen_[index] = true;
    NSDictionary* row = as<NSDictionary>([rows_ objectAtIndex:static_cast<NSUInteger>(index)],
                                         [NSDictionary class]);
    size_t kind = 0;
    if (!read_size([row objectForKey:@"kind"], kind) || kind > 1) {
      return "a row of its table is neither a file nor a directory";
    }
    return kind == 0 ? file(row, path) : directory(row, path, depth);
  }

 private:
  const char* file(NSDictionary* row, const std::string& path) {
    NSDictionary* region = as<NSDictionary>([row objectForKey:@"dataRegion"], [NSDictionary class]);
    BlobFile found = {path, 0, 0};
    const bool is_inside = read_size([region objectForKey:@"offset"], found.offset) &&
                           read_size([region objectForKey:@"size"], found.size) &&
                           found.offset <= size_ && found.size <= size_ - found.offset;
    if (!is_inside || path.empty()) {
      return "a file lies outside of them";
    }
    blob_.files.push_back(std::move(found));
    return nullptr;
  }

  const char* directory(NSDictionary* row, const std::string& path, size_t depth) {
    NSDictionary* children = as<NSDictionary>([row objectForKey:@"children"], [NSDictionary class]);
    if (children == nil) {
      return "a directory has no list";
    }
    if ([children count] == 0 && !path.empty()) {
      blob_.directories.push_back(path);
    }
    for (id key in children) {
      std::string name;
      size_t index = 0;
      if (!read_text(key, name) || !is_name(name) ||
          !read_size([children objectForKey:key], index)) {
        return "a name in it is none of a file";
      }
      const char* const why = from(index, path.empty() ? name : path + "/" + name, depth + 1);
      if (why != nullptr) {
        return why;
      }
    }
    return nullptr;
  }

  NSArray* const rows_;
  const size_t size_;
  Blob& blob_;
  std::vector<bool> is_seen_;
};

bool read_names(id value, std::vector<std::string>& names) {
  NSArray* list = as<NSArray>(value, [NSArray class]);
  for (id one in list) {
    std::string name;
    if (!read_text(one, name) || std::find(names.begin(), names.end(), name) != names.end()) {
      return false;
    }
    names.push_back(std::move(name));
  }
  return list != nil;
}

bool has_directory(const Blob& blob, const char* name) {
  const std::string prefix = std::string(name) + "/";
  return std::any_of(blob.files.begin(), blob.files.end(), [&](const BlobFile& file) {
    return file.path.compare(0, prefix.size(), prefix) == 0;
  });
}

/// Reads the page about the model, and finds it. Null, or what is wrong.
const char* describe(const char* data, Blob& blob) {
  for (const BlobFile& file : blob.files) {
    if (file.path != kMetadata) {
      continue;
    }
    NSDictionary* page =
        file.size <= kLongestTable ? object_in(data + file.offset, file.size) : nil;
    NSDictionary* ports = page;
    if (!blob.function.empty()) {
      NSDictionary* methods =
          as<NSDictionary>([page objectForKey:@"methods"], [NSDictionary class]);
      NSString* name = [NSString stringWithUTF8String:blob.function.c_str()];
      ports = as<NSDictionary>([methods objectForKey:name], [NSDictionary class]);
    }
    if (!read_names([ports objectForKey:@"inputNames"], blob.inputs) ||
        !read_names([ports objectForKey:@"outputNames"], blob.outputs) ||
        !read_text([page objectForKey:@"identifier"], blob.identifier)) {
      return "metadata.json does not name inputs, outputs and an identifier";
    }
    blob.is_compiled = has_directory(blob, kCompiled);
    blob.model = blob.is_compiled ? kCompiled : kPackage;
    return has_directory(blob, blob.model.c_str())
               ? nullptr
               : "there is neither model.mlpackage nor model.mlmodelc in it";
  }
  return "there is no metadata.json in it";
}

}  // namespace

bool is_reference(const void* data, size_t size) {
  return size >= kMagicSize && std::memcmp(data, kReferenceMagic, kMagicSize) == 0;
}

Result<Reference> read_reference(const void* data, size_t size) {
  if (!is_reference(data, size) || size > kLongestReference) {
    return refuse("they refer to no model");
  }
  @autoreleasepool {
    // Zeros may fill the page up.
    const char* const text = static_cast<const char*>(data) + kMagicSize;
    NSDictionary* page = object_in(text, strnlen(text, size - kMagicSize));
    Reference made;
    size_t version = 0;
    if (!read_size([page objectForKey:@"version"], version) || version != 1 ||
        !read_text([page objectForKey:@"key"], made.key) ||
        !read_text([page objectForKey:@"functionName"], made.function) || made.function.empty()) {
      return refuse("the page that refers to a model names none, or is of another version");
    }
    return made;
  }
}

Result<Blob> read_blob(const void* data, size_t size, const std::string& function) {
  @autoreleasepool {
    const char* const bytes = static_cast<const char*>(data);
    const std::string text = bytes == nullptr ? std::string() : text_at_the_end(bytes, size);
    NSDictionary* table = text.empty() ? nil : object_in(text.data(), text.size());
    NSArray* rows = as<NSArray>([table objectForKey:@"nodes"], [NSArray class]);
    if (rows == nil || [rows count] == 0 || [rows count] > kMostRows) {
      return refuse("there is no table at their end");
    }
    Blob blob;
    blob.function = function;
    // What the table itself takes is no part of a file.
    const char* why = Walk(rows, size - text.size(), blob).from([rows count] - 1, "", 0);
    if (why == nullptr) {
      why = describe(bytes, blob);
    }
    if (why != nullptr) {
      return refuse(why);
    }
    return blob;
  }
}

}  // namespace coreml
}  // namespace backends
}  // namespace executorch
