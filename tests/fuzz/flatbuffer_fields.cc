#include <algorithm>
#include <cstring>
#include <iterator>
#include <set>
#include <utility>

#include <flatbuffers/reflection_generated.h>

#include <executorch/tests/fuzz/flatbuffer_fields.h>

namespace executorch {
namespace fuzz {

namespace {

using Found = std::map<std::string, std::vector<Field>>;
using reflection::BaseType;

constexpr size_t kMostFields = 100000;
constexpr int kDeepest = 40;
constexpr size_t kPrefix = 64;
/// Of longer vectors of numbers, which are data, only the beginning is looked at.
constexpr size_t kMostElements = 64;

template <typename T>
bool load(const Bytes& file, size_t at, T& value) {
  if (at > file.size() || file.size() - at < sizeof(T)) {
    return false;
  }
  std::memcpy(&value, file.data() + at, sizeof(T));
  return true;
}

size_t size_of(BaseType type) {
  switch (type) {
    case BaseType::UType:
    case BaseType::Bool:
    case BaseType::Byte:
    case BaseType::UByte:
      return 1;
    case BaseType::Short:
    case BaseType::UShort:
      return 2;
    case BaseType::Long:
    case BaseType::ULong:
    case BaseType::Double:
      return 8;
    default:
      return 4;
  }
}

/// Walks from the root, and believes nothing: the file may be damaged already.
class Walk {
 public:
  Walk(const reflection::Schema& schema, const Bytes& file, size_t base, Found& found)
      : schema_(schema), file_(file), base_(base), found_(found) {}

  void run() { follow(base_, *schema_.root_table(), 0); }

 private:
  void add(const std::string& name, const Field& field) {
    const bool is_inside = field.at <= file_.size() && file_.size() - field.at >= field.size;
    if (is_inside && ++count_ <= kMostFields) {
      found_[name].push_back(field);
    }
  }

  /// Notes a reference; where it leads, 0 if out of the file.
  size_t reference(const std::string& type, size_t at) {
    uint32_t offset = 0;
    if (!load(file_, at, offset) || offset == 0 || offset > file_.size() - at) {
      return 0;
    }
    add("-> " + type, {Field::Kind::kReference, at, 4, at + offset});
    return at + offset;
  }

  void follow(size_t at, const reflection::Object& object, int depth) {
    const size_t table = reference(object.name()->str(), at);
    if (table == 0 || depth > kDeepest || count_ > kMostFields || !seen_.insert(table).second) {
      return;
    }
    int32_t back = 0;
    uint16_t size = 0;
    if (!load(file_, table, back) || int64_t(table) - back < 0) {
      return;
    }
    const auto vtable = static_cast<size_t>(int64_t(table) - back);
    if (!load(file_, vtable, size)) {
      return;
    }
    for (const reflection::Field* field : *object.fields()) {
      uint16_t offset = 0;
      const bool is_there = field->offset() + 2u <= size &&
                            load(file_, vtable + field->offset(), offset) && offset != 0;
      if (is_there) {
        const std::string name = object.name()->str() + "." + field->name()->str();
        visit(name, table + offset, *field, union_type(vtable, table, *field), depth + 1);
      }
    }
  }

  /// What the tag in the slot before a union says.
  uint8_t union_type(size_t vtable, size_t table, const reflection::Field& field) const {
    uint16_t offset = 0;
    uint8_t tag = 0;
    if (field.type()->base_type() == BaseType::Union &&
        load(file_, vtable + field.offset() - 2, offset) && offset != 0) {
      load(file_, table + offset, tag);
    }
    return tag;
  }

  void visit(const std::string& name, size_t at, const reflection::Field& field, uint8_t tag,
             int depth) {
    const reflection::Type& type = *field.type();
    switch (type.base_type()) {
      case BaseType::Obj:
        visit_object(at, *schema_.objects()->Get(static_cast<unsigned>(type.index())), depth);
        return;
      case BaseType::Union:
        for (const auto* value :
             *schema_.enums()->Get(static_cast<unsigned>(type.index()))->values()) {
          if (value->value() == tag && value->union_type() != nullptr &&
              value->union_type()->base_type() == BaseType::Obj) {
            const auto index = static_cast<unsigned>(value->union_type()->index());
            follow(at, *schema_.objects()->Get(index), depth);
          }
        }
        return;
      case BaseType::String:
        visit_vector("string", at, type, depth);
        return;
      case BaseType::Vector:
        visit_vector("vector of " + std::to_string(static_cast<int>(type.element())) + ":" +
                         std::to_string(type.index()),
                     at, type, depth, name);
        return;
      default:
        add(name, {Field::Kind::kNumber, at, static_cast<uint8_t>(size_of(type.base_type())), 0});
    }
  }

  void visit_object(size_t at, const reflection::Object& object, int depth) {
    if (!object.is_struct()) {
      follow(at, object, depth);
      return;
    }
    for (const reflection::Field* field : *object.fields()) {
      visit(object.name()->str() + "." + field->name()->str(), at + field->offset(), *field, 0,
            depth);
    }
  }

  void visit_vector(const std::string& type_name, size_t at, const reflection::Type& type,
                    int depth, const std::string& name = "string") {
    const size_t vector = reference(type_name, at);
    uint32_t length = 0;
    if (vector == 0 || !load(file_, vector, length)) {
      return;
    }
    add(name + " length", {Field::Kind::kLength, vector, 4, 0});
    if (type.base_type() == BaseType::String || !seen_.insert(vector).second) {
      return;
    }
    const BaseType element = type.element();
    const bool holds_objects = element == BaseType::Obj;
    const reflection::Object* const object =
        holds_objects ? schema_.objects()->Get(static_cast<unsigned>(type.index())) : nullptr;
    const size_t step = holds_objects
                            ? (object->is_struct() ? static_cast<size_t>(object->bytesize()) : 4)
                            : size_of(element);
    const size_t most = holds_objects ? length : std::min<size_t>(length, kMostElements);
    for (size_t i = 0; i < most && vector + 4 + (i + 1) * step <= file_.size(); ++i) {
      const size_t place = vector + 4 + i * step;
      if (holds_objects) {
        visit_object(place, *object, depth);
      } else if (element == BaseType::String) {
        reference("string", place);
      } else {
        add(name + "[]", {Field::Kind::kNumber, place, static_cast<uint8_t>(step), 0});
      }
    }
  }

  const reflection::Schema& schema_;
  const Bytes& file_;
  const size_t base_;
  Found& found_;
  std::set<size_t> seen_;
  size_t count_ = 0;
};

const std::vector<Field>& choose(Random& random, const Found& found) {
  return std::next(found.begin(), static_cast<ptrdiff_t>(random() % found.size()))->second;
}

uint64_t value_of(const Bytes& file, const Field& field) {
  uint64_t value = 0;
  std::memcpy(&value, file.data() + field.at, field.size);
  return value;
}

void store(Bytes& file, const Field& field, uint64_t value) {
  std::memcpy(file.data() + field.at, &value, field.size);
}

uint64_t other_number(Random& random, uint64_t value) {
  constexpr uint64_t kNumbers[] = {0,  1,  2,  3,  4,   5,   7,    8,    15,
                                   16, 17, 63, 64, 100, 255, 4096, 65536};
  switch (random() % 6) {
    case 0:
      return kNumbers[random() % std::size(kNumbers)];
    case 1:
      return ~uint64_t{0} - random() % 4;
    case 2:
      return uint64_t{1} << (random() % 64);
    case 3:
      return random();
    case 4:
      return value + random() % 33 - 16;
    default:
      return value ^ (uint64_t{1} << (random() % 8));
  }
}

/// Numbers of a kind are most interesting when they are nearly the same: offsets that overlap.
void damage_number(Random& random, Bytes& file, const std::vector<Field>& same,
                   const Field& field) {
  const Field& other = same[random() % same.size()];
  switch (random() % 4) {
    case 0:
      store(file, field, value_of(file, other));
      return;
    case 1: {
      constexpr uint64_t kSteps[] = {1, 4, 8, 16, 64};
      const uint64_t step = kSteps[random() % std::size(kSteps)];
      store(file, field, value_of(file, other) + (random() % 2 == 0 ? step : ~step + 1));
      return;
    }
    default:
      store(file, field, other_number(random, value_of(file, field)));
  }
}

void damage_reference(Random& random, Bytes& file, const std::vector<Field>& same,
                      const Field& field) {
  // What another one refers to becomes shared; offsets lead forwards, so only what comes later.
  const size_t target = same[random() % same.size()].target;
  if (target > field.at) {
    store(file, field, target - field.at);
  } else {
    store(file, field, value_of(file, field) + 4 * (random() % 9) - 16);
  }
}

void damage_length(Random& random, Bytes& file, const Field& field) {
  const uint64_t length = value_of(file, field);
  const uint64_t choices[] = {0, 1, length - 1, length + 1, length / 2, length * 2, random()};
  store(file, field, choices[random() % std::size(choices)]);
}

}  // namespace

FlatbufferFields::FlatbufferFields(Bytes schema) : schema_(std::move(schema)) {
  flatbuffers::Verifier verifier(schema_.data(), schema_.size());
  ok_ = schema_.size() > 8 && reflection::VerifySchemaBuffer(verifier) &&
        reflection::GetSchema(schema_.data())->root_table() != nullptr;
}

std::map<std::string, std::vector<Field>> FlatbufferFields::find(const Bytes& file) const {
  Found found;
  const reflection::Schema& schema = *reflection::GetSchema(schema_.data());
  const std::string identifier =
      schema.file_ident() == nullptr ? "" : schema.file_ident()->str().substr(0, 2);
  for (size_t base = 0; base < kPrefix && base + 8 <= file.size(); ++base) {
    // The last two letters count versions.
    if (std::memcmp(file.data() + base + 4, identifier.data(), identifier.size()) == 0) {
      Walk(schema, file, base, found).run();
      if (found.size() > 1) {
        break;
      }
      found.clear();
    }
  }
  return found;
}

bool FlatbufferFields::damage(Random& random, Bytes& file) const {
  const Found found = find(file);
  if (found.empty()) {
    return false;
  }
  const std::vector<Field>& same = choose(random, found);
  const Field& field = same[random() % same.size()];
  switch (field.kind) {
    case Field::Kind::kNumber:
      damage_number(random, file, same, field);
      break;
    case Field::Kind::kReference:
      damage_reference(random, file, same, field);
      break;
    case Field::Kind::kLength:
      damage_length(random, file, field);
      break;
  }
  return true;
}

}  // namespace fuzz
}  // namespace executorch
