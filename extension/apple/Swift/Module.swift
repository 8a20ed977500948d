import ExecuTorchObjC
import Foundation

extension Module {
  /// Runs a method and returns its outputs.
  public func execute(_ method: String, _ inputs: [ValueConvertible]) throws -> [Value] {
    try execute(method, inputs.map(\.asValue))
  }

  public func execute(_ method: String, _ inputs: ValueConvertible...) throws -> [Value] {
    try execute(method, inputs.map(\.asValue))
  }

  /// The same, as what the caller expects; throws an error with the code of an invalid type if they are something else.
  public func execute<Output: ValueSequenceConstructible>(
    _ method: String, _ inputs: [ValueConvertible]
  ) throws -> Output {
    try Output(execute(method, inputs.map(\.asValue)))
  }

  public func execute<Output: ValueSequenceConstructible>(
    _ method: String, _ inputs: ValueConvertible...
  ) throws -> Output {
    try Output(execute(method, inputs.map(\.asValue)))
  }

  /// The method "forward".
  public func forward(_ inputs: [ValueConvertible]) throws -> [Value] {
    try execute("forward", inputs.map(\.asValue))
  }

  public func forward(_ inputs: ValueConvertible...) throws -> [Value] {
    try execute("forward", inputs.map(\.asValue))
  }

  public func forward<Output: ValueSequenceConstructible>(_ inputs: [ValueConvertible]) throws
    -> Output
  {
    try Output(execute("forward", inputs.map(\.asValue)))
  }

  public func forward<Output: ValueSequenceConstructible>(_ inputs: ValueConvertible...) throws
    -> Output
  {
    try Output(execute("forward", inputs.map(\.asValue)))
  }
}
