#include <algorithm>
#include <cmath>

#include <executorch/kernels/portable/cpu/internal/linear_algebra/eigenvalues.h>

namespace torch::executor::native::util {
namespace {

constexpr double kPrecision = 2.3e-16;
/// Next to nothing in a matrix whose largest elements are about 1; a number over it is finite.
constexpr double kTiny = 1e-292;
/// Rounds of `balance`; a few are the rule.
constexpr int kMostRounds = 100;
/// Steps for each eigenvalue; two or three are the rule.
constexpr int kMostSteps = 60;

struct Complex {
  double re = 0;
  double im = 0;
};

Complex operator+(Complex a, Complex b) { return {a.re + b.re, a.im + b.im}; }
Complex operator-(Complex a, Complex b) { return {a.re - b.re, a.im - b.im}; }
Complex operator*(Complex a, Complex b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
Complex operator*(double a, Complex b) { return {a * b.re, a * b.im}; }
Complex operator/(Complex a, double b) { return {a.re / b, a.im / b}; }
Complex conjugate(Complex a) { return {a.re, -a.im}; }
double size(Complex a) { return std::hypot(a.re, a.im); }
/// a / |a|
Complex direction(Complex a) {
  const double length = size(a);
  return length == 0 ? Complex{1, 0} : a / length;
}
Complex operator/(Complex a, Complex b) {
  const double length = size(b);
  return a * conjugate(direction(b)) / length;
}
Complex square_root(Complex a) {
  const double length = size(a);
  const double re = std::sqrt((length + std::fabs(a.re)) / 2);
  const double im = re == 0 ? 0 : a.im / (2 * re);
  return a.re >= 0 ? Complex{re, im} : Complex{std::fabs(im), std::copysign(re, a.im)};
}

Complex get(const ComplexMatrix& a, size_t r, size_t c) {
  return {a.real.at(r, c), a.imaginary.at(r, c)};
}

void set(const ComplexMatrix& a, size_t r, size_t c, Complex value) {
  a.real.at(r, c) = value.re;
  a.imaginary.at(r, c) = value.im;
}

/// The largest part of an element; infinite or no number if one of them is.
double largest(const ComplexMatrix& a) {
  double most = 0;
  for (size_t i = 0; i < 2 * a.real.rows * a.real.columns; ++i) {
    const double part = std::fabs(a.real.data[i]);
    most = part > most || std::isnan(part) ? part : most;
    if (!std::isfinite(most)) {
      break;
    }
  }
  return most;
}

void scale(const ComplexMatrix& a, int exponent) {
  for (size_t i = 0; i < 2 * a.real.rows * a.real.columns; ++i) {
    a.real.data[i] = std::ldexp(a.real.data[i], exponent);
  }
}

int exponent_of(double a) {
  int exponent = 0;
  std::frexp(a, &exponent);
  return exponent;
}

void multiply(const ComplexMatrix& a, size_t r, size_t c, int exponent) {
  a.real.at(r, c) = std::ldexp(a.real.at(r, c), exponent);
  a.imaginary.at(r, c) = std::ldexp(a.imaginary.at(r, c), exponent);
}

/**
 * A similar matrix whose small eigenvalues are not lost in the rounding of large elements.
 * Row and column i is exchanged with `exchanged[i]`, for i from the last one to `end` and from 0 to
 * `begin`, which leaves a triangle outside of `begin` to `end`; then element (r, c) is multiplied
 * by 2^(exponents[c] - exponents[r]).
 */
struct Balance {
  double* exponents;
  double* exchanged;
  size_t begin;
  size_t end;
};

void exchange_rows(const ComplexMatrix& a, size_t i, size_t j) {
  for (size_t c = 0; c < a.real.columns; ++c) {
    const Complex kept = get(a, i, c);
    set(a, i, c, get(a, j, c));
    set(a, j, c, kept);
  }
}

void exchange(const ComplexMatrix& a, size_t i, size_t j) {
  exchange_rows(a, i, j);
  for (size_t r = 0; r < a.real.rows; ++r) {
    const Complex kept = get(a, r, i);
    set(a, r, i, get(a, r, j));
    set(a, r, j, kept);
  }
}

/// The elements beside the diagonal of row `i`, or of column `i`, as one length.
double length_beside(const ComplexMatrix& a, const Balance& b, size_t i, bool row) {
  double length = 0;
  for (size_t j = b.begin; j < b.end; ++j) {
    if (j != i) {
      length = std::hypot(length, size(row ? get(a, i, j) : get(a, j, i)));
    }
  }
  return length;
}

/// Puts a row of zeros beside the diagonal last, or a column of them first; false if there is none.
bool isolate(const ComplexMatrix& a, Balance& b) {
  for (size_t i = b.end; i-- > b.begin;) {
    if (length_beside(a, b, i, true) == 0) {
      --b.end;
      b.exchanged[b.end] = static_cast<double>(i);
      exchange(a, i, b.end);
      return true;
    }
  }
  for (size_t i = b.begin; i < b.end; ++i) {
    if (length_beside(a, b, i, false) == 0) {
      b.exchanged[b.begin] = static_cast<double>(i);
      exchange(a, i, b.begin);
      ++b.begin;
      return true;
    }
  }
  return false;
}

/**
 * Makes each row that is left about as long as its column, unless what stands beside the block
 * grows beyond all elements by it: rotations round the small ones away that meet it then.
 */
void balance(const ComplexMatrix& a, Balance& b) {
  while (isolate(a, b)) {
  }
  const size_t n = a.real.rows;
  constexpr double kMostGrowth = 8;
  const double most = largest(a);
  for (size_t i = 0; i < n; ++i) {
    b.exponents[i] = 0;
  }
  bool changed = true;
  for (int round = 0; changed && round < kMostRounds; ++round) {
    changed = false;
    for (size_t i = b.begin; i < b.end; ++i) {
      const double row = length_beside(a, b, i, true);
      const double column = length_beside(a, b, i, false);
      const int exponent = (exponent_of(row) - exponent_of(column)) / 2;
      if (row == 0 || column == 0 ||
          std::ldexp(column, exponent) + std::ldexp(row, -exponent) >= 0.95 * (column + row)) {
        continue;
      }
      changed = true;
      b.exponents[i] += exponent;
      for (size_t j = 0; j < n; ++j) {
        multiply(a, i, j, j == i ? 0 : -exponent);
        multiply(a, j, i, j == i ? 0 : exponent);
      }
    }
  }
  if (largest(a) <= kMostGrowth * most) {
    return;
  }
  for (size_t r = 0; r < n; ++r) {
    for (size_t c = 0; c < n; ++c) {
      multiply(a, r, c, static_cast<int>(b.exponents[r] - b.exponents[c]));
    }
  }
  for (size_t i = 0; i < n; ++i) {
    b.exponents[i] = 0;
  }
}

/// Takes the exchanges of rows back.
void undo_exchanges(const ComplexMatrix& vectors, const Balance& b) {
  for (size_t i = b.begin; i-- > 0;) {
    exchange_rows(vectors, i, static_cast<size_t>(b.exchanged[i]));
  }
  for (size_t i = b.end; i < vectors.real.rows; ++i) {
    exchange_rows(vectors, i, static_cast<size_t>(b.exchanged[i]));
  }
}

/// Complex numbers that lie one after the other in work space.
struct Line {
  double* data;

  Complex at(size_t i) const { return {data[2 * i], data[2 * i + 1]}; }
  void put(size_t i, Complex value) const {
    data[2 * i] = value.re;
    data[2 * i + 1] = value.im;
  }
};

/**
 * Makes zeros of what is below the first subdiagonal, by Householder's reflections from both sides;
 * `z` becomes their product.
 */
void to_hessenberg(const ComplexMatrix& a, const ComplexMatrix& z, Line v) {
  const size_t n = a.real.rows;
  set_identity(z.real);
  for (size_t i = 0; i < n * n; ++i) {
    z.imaginary.data[i] = 0;
  }
  for (size_t k = 0; k + 2 < n; ++k) {
    double below = 0;
    for (size_t i = k + 2; i < n; ++i) {
      below = std::hypot(below, size(get(a, i, k)));
    }
    if (below == 0) {
      continue;
    }
    const Complex first = get(a, k + 1, k);
    const double length = std::hypot(below, size(first));
    for (size_t i = k + 1; i < n; ++i) {
      v.put(i, get(a, i, k) / length);
    }
    v.put(k + 1, first / length + direction(first));
    // v* v / 2
    const double half = 1 + size(first) / length;
    for (size_t c = 0; c < n; ++c) {
      Complex sum;
      for (size_t i = k + 1; i < n; ++i) {
        sum = sum + conjugate(v.at(i)) * get(a, i, c);
      }
      sum = 1 / half * sum;
      for (size_t i = k + 1; i < n; ++i) {
        set(a, i, c, get(a, i, c) - sum * v.at(i));
      }
    }
    for (const ComplexMatrix* m : {&a, &z}) {
      for (size_t r = 0; r < n; ++r) {
        Complex sum;
        for (size_t i = k + 1; i < n; ++i) {
          sum = sum + get(*m, r, i) * v.at(i);
        }
        sum = 1 / half * sum;
        for (size_t i = k + 1; i < n; ++i) {
          set(*m, r, i, get(*m, r, i) - sum * conjugate(v.at(i)));
        }
      }
    }
    for (size_t i = k + 2; i < n; ++i) {
      set(a, i, k, {});
    }
  }
}

/// Of the last two rows' eigenvalues, the one that is nearer to the last element (Wilkinson's
/// shift).
Complex shift_of(const ComplexMatrix& a, size_t last) {
  const Complex corner = get(a, last, last);
  const Complex half = 0.5 * (get(a, last - 1, last - 1) - corner);
  const Complex upper = get(a, last - 1, last);
  const Complex lower = get(a, last, last - 1);
  const double unit = size(half) + size(upper) + size(lower);
  // In units of their own, that no square of them is nothing.
  const Complex product = unit == 0 ? Complex{} : upper / unit * (lower / unit);
  if (size(product) == 0) {
    return corner;
  }
  const Complex part = half / unit;
  Complex root = square_root(part * part + product);
  root = part.re * root.re + part.im * root.im < 0 ? Complex{} - root : root;
  return corner - unit * (product / (part + root));
}

/// One step of the QR algorithm on the rows from `first` to `last`, with rotations in `work`.
void step(const ComplexMatrix& a, const ComplexMatrix& z, size_t first, size_t last, Complex shift,
          double* cosines, Line sines) {
  const size_t n = a.real.rows;
  for (size_t i = first; i <= last; ++i) {
    set(a, i, i, get(a, i, i) - shift);
  }
  for (size_t k = first; k < last; ++k) {
    const Complex x = get(a, k, k);
    const Complex y = get(a, k + 1, k);
    const double length = std::hypot(size(x), size(y));
    const double c = length == 0 ? 1 : size(x) / length;
    const Complex s = length == 0 ? Complex{} : direction(x) * conjugate(y / length);
    cosines[k] = c;
    sines.put(k, s);
    for (size_t j = k; j < n; ++j) {
      const Complex upper = get(a, k, j);
      const Complex lower = get(a, k + 1, j);
      set(a, k, j, c * upper + s * lower);
      set(a, k + 1, j, c * lower - conjugate(s) * upper);
    }
  }
  for (size_t k = first; k < last; ++k) {
    const double c = cosines[k];
    const Complex s = sines.at(k);
    const auto turn = [&](const ComplexMatrix& m, size_t rows) {
      for (size_t r = 0; r < rows; ++r) {
        const Complex left = get(m, r, k);
        const Complex right = get(m, r, k + 1);
        set(m, r, k, c * left + conjugate(s) * right);
        set(m, r, k + 1, c * right - s * left);
      }
    };
    turn(a, k + 2);
    turn(z, n);
  }
  for (size_t i = first; i <= last; ++i) {
    set(a, i, i, get(a, i, i) + shift);
  }
}

/**
 * Whether element (i, i - 1) is nothing beside its neighbours, as in LAPACK (Ahues and Tisseur,
 * 1997): beside the largest elements of a graded matrix, its small eigenvalues would be nothing.
 */
bool is_negligible(const ComplexMatrix& a, size_t i) {
  const double below = size(get(a, i, i - 1));
  const Complex before = get(a, i - 1, i - 1);
  const Complex after = get(a, i, i);
  double around = size(before) + size(after);
  if (around == 0) {
    around = (i > 1 ? size(get(a, i - 1, i - 2)) : 0) +
             (i + 1 < a.real.rows ? size(get(a, i + 1, i)) : 0);
  }
  if (below <= kTiny || below > kPrecision * around) {
    return below <= kTiny;
  }
  const double above = size(get(a, i - 1, i));
  const double apart = size(before - after);
  const double large = std::max(size(after), apart);
  const double small = std::min(size(after), apart);
  const double sum = large + std::max(below, above);
  return std::min(below, above) * (std::max(below, above) / sum) <=
         std::max(kTiny, kPrecision * (small * (large / sum)));
}

/// Makes an upper triangle of what `to_hessenberg` left.
bool to_triangle(const ComplexMatrix& a, const ComplexMatrix& z, double* cosines, Line sines) {
  int steps = 0;
  for (size_t last = a.real.rows; last-- > 1;) {
    for (;; ++steps) {
      size_t first = last;
      for (; first > 0; --first) {
        if (is_negligible(a, first)) {
          set(a, first, first - 1, {});
          break;
        }
      }
      if (first == last) {
        steps = 0;
        break;
      }
      if (steps == kMostSteps) {
        return false;
      }
      // Symmetries can hold the usual shift in a circle; another number leads out of it.
      const Complex shift = steps % 10 == 9
                                ? get(a, last, last) + Complex{size(get(a, last, last - 1)), 0}
                                : shift_of(a, last);
      step(a, z, first, last, shift, cosines, sines);
    }
  }
  return true;
}

/// The vector of eigenvalue `k` of a triangle.
void triangle_vector(const ComplexMatrix& a, size_t k, Line x) {
  const Complex value = get(a, k, k);
  const double least = std::max(kPrecision * size(value), kTiny);
  x.put(k, {1, 0});
  for (size_t i = k; i-- > 0;) {
    Complex sum;
    for (size_t j = i + 1; j <= k; ++j) {
      sum = sum + get(a, i, j) * x.at(j);
    }
    Complex apart = value - get(a, i, i);
    // Of equal eigenvalues the vectors are as different as precision lets them be.
    apart = size(apart) < least ? Complex{least, 0} : apart;
    x.put(i, sum / apart);
    const double much = size(x.at(i));
    for (size_t j = i; much > 1e8 && j <= k; ++j) {
      x.put(j, x.at(j) / much);
    }
  }
}

/// Whether eigenvalue `k` of a real matrix is real, and what is imaginary of it is rounding.
bool is_real_value(const ComplexMatrix& a, size_t k) {
  const size_t n = a.real.rows;
  const Complex value = get(a, k, k);
  const double rounding = 10 * kPrecision * static_cast<double>(n);
  // One that is small in a graded matrix has its conjugate beside it if it is not real.
  bool alone = std::fabs(value.im) <= rounding;
  for (size_t j = 0; alone && j < n; ++j) {
    alone = j == k || size(get(a, j, j) - conjugate(value)) >= std::fabs(value.im);
  }
  return alone || std::fabs(value.im) <= rounding * size(value);
}

/**
 * Replaces column `k` of `z` by `z` times x, of length 1.
 * @param exponents What `balance` gave.
 */
void write_vector(const ComplexMatrix& z, size_t k, Line x, Line found, const double* exponents,
                  bool real) {
  const size_t n = z.real.rows;
  bool any = false;
  double top = 0;
  for (size_t r = 0; r < n; ++r) {
    Complex sum;
    for (size_t j = 0; j <= k; ++j) {
      sum = sum + get(z, r, j) * x.at(j);
    }
    found.put(r, sum);
    const double exponent = exponents[r] + exponent_of(size(sum));
    if (size(sum) > 0 && (!any || exponent > top)) {
      any = true;
      top = exponent;
    }
  }
  Complex most;
  for (size_t r = 0; r < n; ++r) {
    const int exponent = static_cast<int>(exponents[r] - top);
    const Complex sum = found.at(r);
    found.put(r, {std::ldexp(sum.re, exponent), std::ldexp(sum.im, exponent)});
    most = size(found.at(r)) > size(most) ? found.at(r) : most;
  }
  double length = 0;
  for (size_t r = 0; r < n; ++r) {
    Complex turned = found.at(r) / most;
    turned.im = real ? 0 : turned.im;
    found.put(r, turned);
    length = std::hypot(length, size(turned));
  }
  for (size_t r = 0; r < n; ++r) {
    set(z, r, k, found.at(r) / length);
  }
}

}  // namespace

bool eigen_general(const ComplexMatrix& a, const ComplexMatrix& vectors, bool real, double* work) {
  const size_t n = a.real.rows;
  const double most = largest(a);
  if (!std::isfinite(most)) {
    return false;
  }
  const int exponent = exponent_of(most);
  scale(a, -exponent);
  Balance balanced{work + 4 * n, work + 5 * n, 0, n};
  balance(a, balanced);
  const Line x{work};
  const Line found{work + 2 * n};
  to_hessenberg(a, vectors, x);
  if (!to_triangle(a, vectors, work, Line{work + n})) {
    return false;
  }
  // From the last one, since a vector is a sum of the columns up to its own.
  for (size_t k = n; k-- > 0;) {
    const bool is_real = real && is_real_value(a, k);
    if (is_real) {
      a.imaginary.at(k, k) = 0;
    }
    triangle_vector(a, k, x);
    write_vector(vectors, k, x, found, balanced.exponents, is_real);
  }
  undo_exchanges(vectors, balanced);
  scale(a, exponent);
  return true;
}

}  // namespace torch::executor::native::util
