import ExecuTorchObjC
import Foundation

/// What a `Tensor` can have as elements.
public protocol Scalar: Equatable {
  /// The elements' data type in a program.
  static var dataType: DataType { get }

  /// The same number for Objective-C.
  var number: NSNumber { get }
}

extension UInt8: Scalar {
  public static var dataType: DataType { .byte }
  public var number: NSNumber { NSNumber(value: self) }
}

extension Int8: Scalar {
  public static var dataType: DataType { .char }
  public var number: NSNumber { NSNumber(value: self) }
}

extension Int16: Scalar {
  public static var dataType: DataType { .short }
  public var number: NSNumber { NSNumber(value: self) }
}

extension Int32: Scalar {
  public static var dataType: DataType { .int }
  public var number: NSNumber { NSNumber(value: self) }
}

extension Int64: Scalar {
  public static var dataType: DataType { .long }
  public var number: NSNumber { NSNumber(value: self) }
}

extension Int: Scalar {
  public static var dataType: DataType { .long }
  public var number: NSNumber { NSNumber(value: self) }
}

extension UInt16: Scalar {
  public static var dataType: DataType { .uInt16 }
  public var number: NSNumber { NSNumber(value: self) }
}

extension UInt32: Scalar {
  public static var dataType: DataType { .uInt32 }
  public var number: NSNumber { NSNumber(value: self) }
}

extension UInt64: Scalar {
  public static var dataType: DataType { .uInt64 }
  public var number: NSNumber { NSNumber(value: self) }
}

extension UInt: Scalar {
  public static var dataType: DataType { .uInt64 }
  public var number: NSNumber { NSNumber(value: self) }
}

extension Float: Scalar {
  public static var dataType: DataType { .float }
  public var number: NSNumber { NSNumber(value: self) }
}

extension Double: Scalar {
  public static var dataType: DataType { .double }
  public var number: NSNumber { NSNumber(value: self) }
}

extension Bool: Scalar {
  public static var dataType: DataType { .bool }
  public var number: NSNumber { NSNumber(value: self) }
}

#if !((os(macOS) || targetEnvironment(macCatalyst)) && arch(x86_64))
  extension Float16: Scalar {
    public static var dataType: DataType { .half }
    public var number: NSNumber { NSNumber(value: Float(self)) }
  }
#endif
