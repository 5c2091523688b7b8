import RTP

/// Why a file can't be written, or a packet not be put into it.
package enum ContainerError: Error, Hashable, Sendable {
    /// The library isn't on this machine, or lacks a part: its name, and the loader's words.
    case noLibrary(name: String, reason: String)
    /// A library of that name that is another, or another version of it.
    case unsuitableLibrary(name: String)
    /// A first picture without parameter sets, or with more than there may be.
    case noParameterSets
    /// A first picture whose sequence parameter set is none.
    case unreadableParameterSets(H264SyntaxError)
    /// Bytes without a NAL unit, or more than a picture ever takes.
    case noPicture
    case unreadableSound(OpusPacketError)
    /// What libavformat says.
    case failed(String)
}

extension ContainerError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .noLibrary(let name, let reason):
            "\(name) can't be loaded (\(reason)): install \(ContainerLibrary.installable)."
        case .unsuitableLibrary(let name):
            "\(name) is not the version that this program was built for: install \(ContainerLibrary.installable)."
        case .noParameterSets: "The first picture has no parameter sets."
        case .unreadableParameterSets(let error): "The first picture's sequence parameter set is unreadable (\(error))."
        case .noPicture: "A picture without a NAL unit."
        case .unreadableSound(let error): "Sound that isn't Opus (\(error))."
        case .failed(let words): "libavformat: \(words)"
        }
    }
}
