/// Bytes that take the place of as many in a file that is written already.
package struct FileCorrection: Sendable {
    /// From the file's beginning.
    package let offset: Int64
    package let bytes: [UInt8]
}
