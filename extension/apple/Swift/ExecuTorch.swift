// Whoever imports this module has the classes of Objective-C, under their names for Swift.
@_exported import ExecuTorchObjC
