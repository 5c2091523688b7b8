/// Why an encoder failed.
package enum CodecError: Error, Hashable, Sendable {
    case unsupportedParameters(String)
    case failed(String)
}
