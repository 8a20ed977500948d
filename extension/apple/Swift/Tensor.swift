import ExecuTorchObjC
import Foundation

/// A tensor whose elements are of one type of Swift's; see `AnyTensor` for what tensors are and what is refused.
public final class Tensor<T: Scalar>: Equatable, CustomStringConvertible {
  /// The tensor without its type.
  public let anyTensor: AnyTensor

  /// Of a tensor whose data type is known to be `T`'s.
  fileprivate init(typed anyTensor: AnyTensor) {
    self.anyTensor = anyTensor
  }

  /// Shares the data of a tensor; its data type has to be `T`'s (see `AnyTensor.asTensor()` for one that may not be).
  public convenience init(_ anyTensor: AnyTensor) {
    precondition(
      anyTensor.dataType == T.dataType,
      "The tensor's data type \(anyTensor.dataType.rawValue) is not that of \(T.self)")
    self.init(typed: anyTensor)
  }

  /// A view: shares the data, and has a shape of its own.
  public convenience init(_ tensor: Tensor<T>) {
    self.init(typed: AnyTensor(tensor.anyTensor))
  }

  /// Over memory that has to outlive the tensor.
  public convenience init(
    bytesNoCopy pointer: UnsafeMutableRawPointer, shape: [Int], strides: [Int] = [],
    dimensionOrder: [Int] = [], shapeDynamism: ShapeDynamism = .dynamicBound
  ) {
    self.init(
      typed: AnyTensor(
        bytesNoCopy: pointer, shape: shape.numbers, strides: strides.numbers,
        dimensionOrder: dimensionOrder.numbers, dataType: T.dataType, shapeDynamism: shapeDynamism))
  }

  /// Over a copy of as many bytes as the shape asks for.
  public convenience init(
    bytes pointer: UnsafeRawPointer, shape: [Int], strides: [Int] = [], dimensionOrder: [Int] = [],
    shapeDynamism: ShapeDynamism = .dynamicBound
  ) {
    self.init(
      typed: AnyTensor(
        bytes: pointer, shape: shape.numbers, strides: strides.numbers,
        dimensionOrder: dimensionOrder.numbers, dataType: T.dataType, shapeDynamism: shapeDynamism))
  }

  /// Over bytes that are kept and not copied.
  public convenience init(
    data: Data, shape: [Int], strides: [Int] = [], dimensionOrder: [Int] = [],
    shapeDynamism: ShapeDynamism = .dynamicBound
  ) {
    self.init(
      typed: AnyTensor(
        data: data, shape: shape.numbers, strides: strides.numbers,
        dimensionOrder: dimensionOrder.numbers, dataType: T.dataType, shapeDynamism: shapeDynamism))
  }

  /// Of these elements, as many as the shape asks for; of one dimension if there is no shape.
  public convenience init(
    _ scalars: [T], shape: [Int]? = nil, strides: [Int] = [], dimensionOrder: [Int] = [],
    shapeDynamism: ShapeDynamism = .dynamicBound
  ) {
    let shape = Self.checked(shape, of: scalars)
    self.init(
      typed: scalars.withUnsafeBytes { buffer in
        var nothing: UInt64 = 0
        return withUnsafePointer(to: &nothing) { pointer in
          AnyTensor(
            bytes: buffer.baseAddress ?? UnsafeRawPointer(pointer), shape: shape.numbers,
            strides: strides.numbers, dimensionOrder: dimensionOrder.numbers, dataType: T.dataType,
            shapeDynamism: shapeDynamism)
        }
      })
  }

  /// Over the elements of a variable, which has to outlive the tensor and keep its size: each sees what the other writes.
  public convenience init(
    _ scalars: inout [T], shape: [Int]? = nil, strides: [Int] = [], dimensionOrder: [Int] = [],
    shapeDynamism: ShapeDynamism = .dynamicBound
  ) {
    let shape = Self.checked(shape, of: scalars)
    precondition(!scalars.isEmpty, "A tensor without elements has nothing to share: leave out the &")
    self.init(
      typed: scalars.withUnsafeMutableBytes { buffer in
        AnyTensor(
          bytesNoCopy: buffer.baseAddress!, shape: shape.numbers, strides: strides.numbers,
          dimensionOrder: dimensionOrder.numbers, dataType: T.dataType, shapeDynamism: shapeDynamism
        )
      })
  }

  /// Of no dimension.
  public convenience init(_ scalar: T) {
    self.init([scalar], shape: [], shapeDynamism: .static)
  }

  private static func checked(_ shape: [Int]?, of scalars: [T]) -> [Int] {
    let shape = shape ?? [scalars.count]
    let count = elementCount(ofShape: shape.numbers)
    precondition(count == scalars.count, "\(scalars.count) scalars are not for the shape \(shape)")
    return shape
  }

  public var dataType: DataType { anyTensor.dataType }
  public var shape: [Int] { anyTensor.shape.map(\.intValue) }
  public var dimensionOrder: [Int] { anyTensor.dimensionOrder.map(\.intValue) }
  public var strides: [Int] { anyTensor.strides.map(\.intValue) }
  public var shapeDynamism: ShapeDynamism { anyTensor.shapeDynamism }
  public var count: Int { anyTensor.count }
  public var description: String { anyTensor.description }

  /// The elements, in the order of memory.
  public func scalars() -> [T] {
    withUnsafeBytes { Array($0) }
  }

  /// Calls `body` with the elements. The buffer is good during the call.
  public func withUnsafeBytes<R>(_ body: (UnsafeBufferPointer<T>) throws -> R) rethrows -> R {
    try withUnsafeMutableBytes { try body(UnsafeBufferPointer($0)) }
  }

  public func withUnsafeMutableBytes<R>(_ body: (UnsafeMutableBufferPointer<T>) throws -> R)
    rethrows -> R
  {
    try withElements(body, rescue: { throw $0 })
  }

  /// The block that Objective-C calls can neither return nor throw. Only what `rescue` throws can be thrown on.
  private func withElements<R>(
    _ body: (UnsafeMutableBufferPointer<T>) throws -> R, rescue: (Error) throws -> R
  ) rethrows -> R {
    var result: Result<R, Error>?
    anyTensor.mutableBytes { pointer, count, _ in
      let elements = pointer.assumingMemoryBound(to: T.self)
      result = Result { try body(UnsafeMutableBufferPointer(start: elements, count: count)) }
    }
    switch result! {
    case .success(let value):
      return value
    case .failure(let error):
      return try rescue(error)
    }
  }

  /// A tensor with data of its own.
  public func copy() -> Tensor<T> {
    Tensor(typed: anyTensor.copy())
  }

  /// The same with the elements converted, where no values can be lost.
  public func copy<U: Scalar>(to type: U.Type) -> Tensor<U> {
    Tensor<U>(typed: anyTensor.copy(dataType: U.dataType))
  }

  /// Changes the shape and not the data.
  public func resize(to shape: [Int]) throws {
    try anyTensor.resize(to: shape.numbers)
  }

  /// Whether shape, strides, dimension order and every byte of data are the same.
  public static func == (left: Tensor<T>, right: Tensor<T>) -> Bool {
    left.anyTensor.isEqual(to: right.anyTensor)
  }
}

extension AnyTensor {
  /// The same with its type, if it is `T`'s.
  public func asTensor<T: Scalar>() -> Tensor<T>? {
    dataType == T.dataType ? Tensor<T>(typed: self) : nil
  }
}

extension Array where Element == Int {
  var numbers: [NSNumber] { map { NSNumber(value: $0) } }
}
