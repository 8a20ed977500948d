// What moves elements, and what reduces a dimension.

#include <cstring>

#include <executorch/backends/arm/runtime/testing/tosa_call.h>

namespace executorch {
namespace backends {
namespace arm {
namespace tosa_test {

using runtime::Error;

namespace {

// Where an element lies in each dimension.
struct Position {
  int32_t at[kMostRank];
};

Position position_of(const Value& value, size_t index) {
  Position position{};
  for (size_t i = value.rank; i > 0; --i) {
    const auto size = static_cast<size_t>(value.sizes[i - 1]);
    position.at[i - 1] = static_cast<int32_t>(index % size);
    index /= size;
  }
  return position;
}

size_t index_of(const Value& value, const Position& position) {
  size_t index = 0;
  for (size_t i = 0; i < value.rank; ++i) {
    index = index * static_cast<size_t>(value.sizes[i]) + static_cast<size_t>(position.at[i]);
  }
  return index;
}

bool is_inside(const Value& value, const Position& position) {
  for (size_t i = 0; i < value.rank; ++i) {
    if (position.at[i] < 0 || position.at[i] >= value.sizes[i]) {
      return false;
    }
  }
  return true;
}

int32_t entry(const Value& shape, size_t index) { return static_cast<int32_t>(load(shape, index)); }

// Each element of the output comes from where `source` says; `otherwise` from outside.
template <typename Source>
Error gather(const Call& call, Source source, int64_t otherwise = 0) {
  const Value& in = call.inputs[0];
  for (size_t i = 0; i < call.output.elements; ++i) {
    const Position from = source(position_of(call.output, i));
    store(call.output, i, is_inside(in, from) ? load(in, index_of(in, from)) : otherwise);
  }
  return Error::Ok;
}

Error same(const Call& call) {
  std::memcpy(call.output.data, call.inputs[0].data,
              call.output.elements * element_size(call.output.type));
  return Error::Ok;
}

Error transpose(const Call& call) {
  const auto& order = *call.op->attribute_as_TransposeAttribute()->perms();
  return gather(call, [&](const Position& to) {
    Position from{};
    for (uint32_t i = 0; i < order.size(); ++i) {
      from.at[order.Get(i)] = to.at[i];
    }
    return from;
  });
}

Error slice(const Call& call) {
  return gather(call, [&](Position at) {
    for (size_t i = 0; i < call.output.rank; ++i) {
      at.at[i] += entry(call.inputs[1], i);
    }
    return at;
  });
}

Error pad(const Call& call) {
  return gather(
      call,
      [&](Position at) {
        for (size_t i = 0; i < call.output.rank; ++i) {
          at.at[i] -= entry(call.inputs[1], 2 * i);
        }
        return at;
      },
      only(call.inputs[2]));
}

Error tile(const Call& call) {
  return gather(call, [&](Position at) {
    for (size_t i = 0; i < call.output.rank; ++i) {
      at.at[i] %= call.inputs[0].sizes[i];
    }
    return at;
  });
}

Error reverse(const Call& call) {
  const auto axis = static_cast<size_t>(call.op->attribute_as_ReverseAttribute()->axis());
  return gather(call, [&](Position at) {
    at.at[axis] = call.output.sizes[axis] - 1 - at.at[axis];
    return at;
  });
}

// The row of the second dimension that `rows` names, which each batch has of its own.
Position numbered(const Value& rows, Position at) {
  const auto row = static_cast<size_t>(at.at[0]) * static_cast<size_t>(rows.sizes[1]) +
                   static_cast<size_t>(at.at[1]);
  at.at[1] = static_cast<int32_t>(load(rows, row));
  return at;
}

Error pick_rows(const Call& call) {
  return gather(call, [&](const Position& to) { return numbered(call.inputs[1], to); });
}

// The first input, but for rows that the third has.
Error put_rows(const Call& call) {
  const Value& put = call.inputs[2];
  const Error done = same(call);
  for (size_t i = 0; i < put.elements; ++i) {
    const Position to = numbered(call.inputs[1], position_of(put, i));
    if (is_inside(call.output, to)) {
      store(call.output, index_of(call.output, to), load(put, i));
    }
  }
  return done;
}

Error concat(const Call& call) {
  const auto axis = static_cast<size_t>(call.op->attribute_as_ConcatAttribute()->axis());
  int32_t begin = 0;
  for (size_t which = 0; which < call.num_inputs; ++which) {
    const Value& in = call.inputs[which];
    for (size_t i = 0; i < in.elements; ++i) {
      Position to = position_of(in, i);
      to.at[axis] += begin;
      store(call.output, index_of(call.output, to), load(in, i));
    }
    begin += in.sizes[axis];
  }
  return Error::Ok;
}

template <typename Join>
Error reduce(const Call& call, int32_t axis, int64_t first, Join join) {
  const Value& in = call.inputs[0];
  for (size_t i = 0; i < call.output.elements; ++i) {
    Position at = position_of(call.output, i);
    int64_t made = first;
    for (at.at[axis] = 0; at.at[axis] < in.sizes[axis]; ++at.at[axis]) {
      made = join(made, load(in, index_of(in, at)));
    }
    store(call.output, i, made);
  }
  return Error::Ok;
}

Error reduce_sum(const Call& call) {
  return reduce(call, call.op->attribute_as_ReduceSumAttribute()->axis(), 0,
                [](int64_t a, int64_t b) { return a + b; });
}

Error reduce_max(const Call& call) {
  return reduce(call, call.op->attribute_as_ReduceMaxAttribute()->axis(), lowest(call.output.type),
                [](int64_t a, int64_t b) { return a > b ? a : b; });
}

Error reduce_min(const Call& call) {
  return reduce(call, call.op->attribute_as_ReduceMinAttribute()->axis(), highest(call.output.type),
                [](int64_t a, int64_t b) { return a < b ? a : b; });
}

Error reduce_any(const Call& call) {
  return reduce(call, call.op->attribute_as_ReduceAnyAttribute()->axis(), 0,
                [](int64_t a, int64_t b) { return a | b; });
}

Error reduce_all(const Call& call) {
  return reduce(call, call.op->attribute_as_ReduceAllAttribute()->axis(), 1,
                [](int64_t a, int64_t b) { return a & b; });
}

// The first of the largest. Its result has a dimension less.
Error argmax(const Call& call) {
  const Value& in = call.inputs[0];
  const auto axis = static_cast<size_t>(call.op->attribute_as_ArgMaxAttribute()->axis());
  size_t inner = 1;
  for (size_t i = axis + 1; i < in.rank; ++i) {
    inner *= static_cast<size_t>(in.sizes[i]);
  }
  const auto size = static_cast<size_t>(in.sizes[axis]);
  for (size_t i = 0; i < call.output.elements; ++i) {
    const size_t first = i / inner * size * inner + i % inner;
    size_t best = 0;
    for (size_t at = 1; at < size; ++at) {
      best = load(in, first + at * inner) > load(in, first + best * inner) ? at : best;
    }
    store(call.output, i, static_cast<int64_t>(best));
  }
  return Error::Ok;
}

}  // namespace

Operator find_mover(tosa::Op op) {
  switch (op) {
    case tosa::Op_IDENTITY:
    case tosa::Op_RESHAPE:
      return same;
    case tosa::Op_TRANSPOSE:
      return transpose;
    case tosa::Op_SLICE:
      return slice;
    case tosa::Op_PAD:
      return pad;
    case tosa::Op_TILE:
      return tile;
    case tosa::Op_REVERSE:
      return reverse;
    case tosa::Op_GATHER:
      return pick_rows;
    case tosa::Op_SCATTER:
      return put_rows;
    case tosa::Op_CONCAT:
      return concat;
    case tosa::Op_ARGMAX:
      return argmax;
    case tosa::Op_REDUCE_SUM:
      return reduce_sum;
    case tosa::Op_REDUCE_MAX:
      return reduce_max;
    case tosa::Op_REDUCE_MIN:
      return reduce_min;
    case tosa::Op_REDUCE_ANY:
      return reduce_any;
    case tosa::Op_REDUCE_ALL:
      return reduce_all;
    default:
      return nullptr;
  }
}

}  // namespace tosa_test
}  // namespace arm
}  // namespace backends
}  // namespace executorch
