#include <cmath>

#include <executorch/kernels/portable/cpu/internal/linear_algebra/eigenvalues.h>

namespace torch::executor::native::util {
namespace {

constexpr double kPrecision = 2.3e-16;
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
Complex conjugate(Complex a) { return {a.re, -a.im}; }
double size(Complex a) { return std::hypot(a.re, a.im); }
/// a / |a|
Complex direction(Complex a) {
  const double length = size(a);
  return length == 0 ? Complex{1, 0} : Complex{a.re / length, a.im / length};
}
Complex operator/(Complex a, Complex b) {
  const double length = size(b);
  const Complex scaled = a * conjugate(direction(b));
  return {scaled.re / length, scaled.im / length};
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
      v.put(i, get(a, i, k));
    }
    v.put(k + 1, first + length * direction(first));
    // v* v / 2
    const double half = length * (length + size(first));
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
  const Complex product = get(a, last - 1, last) * get(a, last, last - 1);
  if (size(product) == 0) {
    return corner;
  }
  Complex root = square_root(half * half + product);
  root = half.re * root.re + half.im * root.im < 0 ? Complex{} - root : root;
  return corner - product / (half + root);
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
    const Complex s = length == 0 ? Complex{} : 1 / length * (direction(x) * conjugate(y));
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

/// Makes an upper triangle of what `to_hessenberg` left.
bool to_triangle(const ComplexMatrix& a, const ComplexMatrix& z, double* cosines, Line sines) {
  int steps = 0;
  for (size_t last = a.real.rows; last-- > 1;) {
    for (;; ++steps) {
      size_t first = last;
      for (; first > 0; --first) {
        const double around = size(get(a, first, first)) + size(get(a, first - 1, first - 1));
        if (size(get(a, first, first - 1)) <= kPrecision * (around == 0 ? 1 : around)) {
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
  x.put(k, {1, 0});
  for (size_t i = k; i-- > 0;) {
    Complex sum;
    for (size_t j = i + 1; j <= k; ++j) {
      sum = sum + get(a, i, j) * x.at(j);
    }
    Complex apart = value - get(a, i, i);
    // Of equal eigenvalues the vectors are as different as precision lets them be.
    apart = size(apart) < kPrecision ? Complex{kPrecision, 0} : apart;
    x.put(i, sum / apart);
    const double much = size(x.at(i));
    for (size_t j = i; much > 1e100 && j <= k; ++j) {
      x.put(j, 1 / much * x.at(j));
    }
  }
}

/// Replaces column `k` of `z` by `z` times x, of length 1.
void write_vector(const ComplexMatrix& z, size_t k, Line x, Line found, bool real) {
  const size_t n = z.real.rows;
  Complex most;
  for (size_t r = 0; r < n; ++r) {
    Complex sum;
    for (size_t j = 0; j <= k; ++j) {
      sum = sum + get(z, r, j) * x.at(j);
    }
    found.put(r, sum);
    most = size(sum) > size(most) ? sum : most;
  }
  double length = 0;
  for (size_t r = 0; r < n; ++r) {
    Complex turned = found.at(r) / most;
    turned.im = real ? 0 : turned.im;
    found.put(r, turned);
    length = std::hypot(length, size(turned));
  }
  for (size_t r = 0; r < n; ++r) {
    set(z, r, k, 1 / length * found.at(r));
  }
}

}  // namespace

bool eigen_general(const ComplexMatrix& a, const ComplexMatrix& vectors, bool real, double* work) {
  const size_t n = a.real.rows;
  const double most = largest(a);
  if (!std::isfinite(most)) {
    return false;
  }
  int exponent = 0;
  std::frexp(most, &exponent);
  scale(a, -exponent);
  const Line x{work};
  const Line found{work + 2 * n};
  to_hessenberg(a, vectors, x);
  if (!to_triangle(a, vectors, work, Line{work + n})) {
    return false;
  }
  // From the last one, since a vector is a sum of the columns up to its own.
  for (size_t k = n; k-- > 0;) {
    const Complex value = get(a, k, k);
    const bool is_real = real && std::fabs(value.im) <= 10 * kPrecision * static_cast<double>(n);
    if (is_real) {
      set(a, k, k, {value.re, 0});
    }
    triangle_vector(a, k, x);
    write_vector(vectors, k, x, found, is_real);
  }
  scale(a, exponent);
  return true;
}

}  // namespace torch::executor::native::util
