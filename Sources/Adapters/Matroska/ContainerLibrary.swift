import CAVFormat
import Glibc

/// libavformat, which is loaded only where a container is asked for, and stays.
package struct ContainerLibrary: Sendable {
    /// A handle that never changes, and functions that any thread may call.
    nonisolated(unsafe) let handle: UnsafeMutableRawPointer

    /// As the dynamic linker knows it: the one whose headers this was compiled with.
    package static let name = "libavformat.so.\(LIBAVFORMAT_VERSION_MAJOR)"

    /// What a person installs.
    static let installable = "libavformat\(LIBAVFORMAT_VERSION_MAJOR) (as Debian and Ubuntu call FFmpeg's library)"

    /// - Parameter name: a file's name or path.
    package static func load(_ name: String = name) throws(ContainerError) -> ContainerLibrary {
        guard let handle = dlopen(name, RTLD_LAZY | RTLD_LOCAL) else {
            throw .noLibrary(name: name, reason: dlerror().map { String(cString: $0) } ?? "no reason given")
        }
        guard format_suits_headers(handle) != 0 else {
            dlclose(handle)
            throw .unsuitableLibrary(name: name)
        }
        format_be_quiet(handle)
        return ContainerLibrary(handle: handle)
    }

    /// libavformat's words for an error.
    func words(_ status: Int32) -> String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: Limits.errorBytes) { text in
            guard let start = text.baseAddress else { return "\(status)" }
            return format_error_text(handle, status, start, text.count) < 0 ? "\(status)" : String(cString: start)
        }
    }
}
