import CX264

/// Takes x264's messages in place of the standard error stream.
final class X264Log {
    private let write: ((String) -> Void)?
    private(set) var lastLine: String?
    /// At an address of its own, because x264 keeps a pointer to it.
    private let sink: UnsafeMutablePointer<shim_x264_log>

    init(_ write: ((String) -> Void)?) {
        self.write = write
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
        let line = text.last == "\n" ? String(text.dropLast()) : text
        lastLine = line
        write?(line)
    }
}
