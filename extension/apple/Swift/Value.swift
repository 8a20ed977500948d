import ExecuTorchObjC
import Foundation

/// What can go into a method.
public protocol ValueConvertible {
  var asValue: Value { get }
}

/// What can come out of one call: one value, or several.
public protocol ValueSequenceConstructible {
  /// Throws an error with the code of an invalid type where the values are others, or not as many.
  init(_ values: [Value]) throws
}

extension Value: ValueConvertible {
  public var asValue: Value { self }
}

extension AnyTensor: ValueConvertible {
  public var asValue: Value { Value(self) }
}

extension Tensor: ValueConvertible {
  public var asValue: Value { Value(anyTensor) }
}

extension Int: ValueConvertible {
  public var asValue: Value { Value(self) }
}

extension Double: ValueConvertible {
  public var asValue: Value { Value(self) }
}

extension Float: ValueConvertible {
  public var asValue: Value { Value(self) }
}

extension Bool: ValueConvertible {
  public var asValue: Value { Value(self) }
}

extension String: ValueConvertible {
  public var asValue: Value { Value(self) }
}

extension Value {
  public convenience init<T>(_ tensor: Tensor<T>) {
    self.init(tensor.anyTensor)
  }

  /// The tensor, if it is one whose elements are of that type.
  public func tensor<T: Scalar>() -> Tensor<T>? {
    anyTensor?.asTensor()
  }
}

/// The only one of the values, as what `read` makes of it.
func only<Result>(_ values: [Value], _ read: (Value) -> Result?) throws -> Result {
  guard values.count == 1, let result = read(values[0]) else {
    let got = values.map { "\($0)" }.joined(separator: ", ")
    throw ErrorWithCode(.invalidType, "Expected one \(Result.self), got [\(got)]")
  }
  return result
}

extension Tensor: ValueSequenceConstructible {
  public convenience init(_ values: [Value]) throws {
    let tensor: Tensor<T> = try only(values) { $0.tensor() }
    self.init(tensor.anyTensor)
  }
}

extension Int: ValueSequenceConstructible {
  public init(_ values: [Value]) throws {
    self = try only(values) { $0.isInteger ? $0.integer : nil }
  }
}

extension Double: ValueSequenceConstructible {
  public init(_ values: [Value]) throws {
    self = try only(values) { $0.isDouble ? $0.double : nil }
  }
}

extension Float: ValueSequenceConstructible {
  public init(_ values: [Value]) throws {
    self = try only(values) { $0.isFloat ? $0.float : nil }
  }
}

extension Bool: ValueSequenceConstructible {
  public init(_ values: [Value]) throws {
    self = try only(values) { $0.isBoolean ? $0.boolean : nil }
  }
}

extension String: ValueSequenceConstructible {
  public init(_ values: [Value]) throws {
    self = try only(values) { $0.string }
  }
}

extension Array: ValueSequenceConstructible where Element: ValueSequenceConstructible {
  /// Each value as an element.
  public init(_ values: [Value]) throws {
    self = try values.map { try Element([$0]) }
  }
}
