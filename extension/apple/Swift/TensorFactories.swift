import ExecuTorchObjC
import Foundation

/// As `AnyTensor`'s, of the data type of `T`.
extension Tensor {
  public static func empty(
    shape: [Int], strides: [Int] = [], shapeDynamism: ShapeDynamism = .dynamicBound
  ) -> Tensor<T> {
    Tensor(
      AnyTensor.empty(
        shape: shape.numbers, strides: strides.numbers, dataType: T.dataType,
        shapeDynamism: shapeDynamism))
  }

  public static func empty<U>(
    like tensor: Tensor<U>, shapeDynamism: ShapeDynamism = .dynamicBound
  ) -> Tensor<T> {
    Tensor(
      AnyTensor.empty(like: tensor.anyTensor, dataType: T.dataType, shapeDynamism: shapeDynamism))
  }

  public static func full(
    shape: [Int], scalar: T, strides: [Int] = [], shapeDynamism: ShapeDynamism = .dynamicBound
  ) -> Tensor<T> {
    Tensor(
      AnyTensor.full(
        shape: shape.numbers, scalar: scalar.number, strides: strides.numbers,
        dataType: T.dataType, shapeDynamism: shapeDynamism))
  }

  public static func full<U>(
    like tensor: Tensor<U>, scalar: T, shapeDynamism: ShapeDynamism = .dynamicBound
  ) -> Tensor<T> {
    Tensor(
      AnyTensor.full(
        like: tensor.anyTensor, scalar: scalar.number, dataType: T.dataType,
        shapeDynamism: shapeDynamism))
  }

  public static func ones(
    shape: [Int], strides: [Int] = [], shapeDynamism: ShapeDynamism = .dynamicBound
  ) -> Tensor<T> {
    Tensor(
      AnyTensor.ones(
        shape: shape.numbers, strides: strides.numbers, dataType: T.dataType,
        shapeDynamism: shapeDynamism))
  }

  public static func ones<U>(
    like tensor: Tensor<U>, shapeDynamism: ShapeDynamism = .dynamicBound
  ) -> Tensor<T> {
    Tensor(
      AnyTensor.ones(like: tensor.anyTensor, dataType: T.dataType, shapeDynamism: shapeDynamism))
  }

  public static func zeros(
    shape: [Int], strides: [Int] = [], shapeDynamism: ShapeDynamism = .dynamicBound
  ) -> Tensor<T> {
    Tensor(
      AnyTensor.zeros(
        shape: shape.numbers, strides: strides.numbers, dataType: T.dataType,
        shapeDynamism: shapeDynamism))
  }

  public static func zeros<U>(
    like tensor: Tensor<U>, shapeDynamism: ShapeDynamism = .dynamicBound
  ) -> Tensor<T> {
    Tensor(
      AnyTensor.zeros(like: tensor.anyTensor, dataType: T.dataType, shapeDynamism: shapeDynamism))
  }

  public static func rand(
    shape: [Int], strides: [Int] = [], shapeDynamism: ShapeDynamism = .dynamicBound
  ) -> Tensor<T> {
    Tensor(
      AnyTensor.rand(
        shape: shape.numbers, strides: strides.numbers, dataType: T.dataType,
        shapeDynamism: shapeDynamism))
  }

  public static func rand<U>(
    like tensor: Tensor<U>, shapeDynamism: ShapeDynamism = .dynamicBound
  ) -> Tensor<T> {
    Tensor(
      AnyTensor.rand(like: tensor.anyTensor, dataType: T.dataType, shapeDynamism: shapeDynamism))
  }

  public static func randn(
    shape: [Int], strides: [Int] = [], shapeDynamism: ShapeDynamism = .dynamicBound
  ) -> Tensor<T> {
    Tensor(
      AnyTensor.randn(
        shape: shape.numbers, strides: strides.numbers, dataType: T.dataType,
        shapeDynamism: shapeDynamism))
  }

  public static func randn<U>(
    like tensor: Tensor<U>, shapeDynamism: ShapeDynamism = .dynamicBound
  ) -> Tensor<T> {
    Tensor(
      AnyTensor.randn(like: tensor.anyTensor, dataType: T.dataType, shapeDynamism: shapeDynamism))
  }

  public static func randint(
    low: Int, high: Int, shape: [Int], strides: [Int] = [],
    shapeDynamism: ShapeDynamism = .dynamicBound
  ) -> Tensor<T> {
    Tensor(
      AnyTensor.randint(
        low: low, high: high, shape: shape.numbers, strides: strides.numbers, dataType: T.dataType,
        shapeDynamism: shapeDynamism))
  }

  public static func randint<U>(
    low: Int, high: Int, like tensor: Tensor<U>, shapeDynamism: ShapeDynamism = .dynamicBound
  ) -> Tensor<T> {
    Tensor(
      AnyTensor.randint(
        low: low, high: high, like: tensor.anyTensor, dataType: T.dataType,
        shapeDynamism: shapeDynamism))
  }
}
