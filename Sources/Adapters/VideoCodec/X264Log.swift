import CX264

/// Takes x264's warnings and errors in place of the standard error stream.
final class X264Log {
    /// What an encoder that can't be opened says of it.
    private(set) var lastLine: String?
    /// At an address of its own, because x264 keeps a pointer to it.
    private let sink: UnsafeMutablePointer<shim_x264_log>

    init() {
        sink = .allocate(capacity: 1)
        sink.initialize(to: shim_x264_log(write: nil, context: nil))
        sink.pointee.context = Unmanaged.passUnretained(self).toOpaque()
        sink.pointee.write = { context, _, text in
            guard let context, let text else { return }
            Unmanaged<X264Log>.fromOpaque(context).takeUnretainedValue().take(String(cString: text))
        }
    }

    deinit { sink.deallocate() }

    /// Must outlive the encoder that is opened with these parameters.
    func attach(to parameters: inout x264_param_t) {
        shim_x264_set_log(&parameters, sink, X264_LOG_WARNING)
    }

    private func take(_ text: String) {
        lastLine = text.last == "\n" ? String(text.dropLast()) : text
    }
}
