import Glibc

/// libFuzzer's loop. The package manager names a program's entry itself, so libFuzzer's own main is not used.
public enum FuzzDriver {
    public typealias Target = @convention(c) (UnsafePointer<UInt8>, Int) -> CInt

    /// Feeds the target until libFuzzer is done; its arguments are the program's.
    public static func run(_ target: Target) -> Never {
        var count = CommandLine.argc
        var arguments = CommandLine.unsafeArgv
        exit(runDriver(&count, &arguments, target))
    }
}

// llvm-project, compiler-rt/lib/fuzzer: FuzzerInterface and FuzzerDriver.
@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
    _ count: UnsafeMutablePointer<CInt>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
    _ target: FuzzDriver.Target
) -> CInt
