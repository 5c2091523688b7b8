/// Which id stands for which extension, as negotiated for one media section (RFC 8285 § 5).
package struct ExtensionMap: Hashable, Sendable {
    /// The ids of the one-byte form (RFC 8285 § 4.2).
    static let validIDs: ClosedRange<UInt8> = 1...14

    /// Indexed by id; 0 stays empty.
    private var extensions = [HeaderExtension?](repeating: nil, count: 15)
    /// Indexed by extension; 0 where it isn't negotiated.
    private var ids = [UInt8](repeating: 0, count: HeaderExtension.allCases.count)

    package init() {}

    package subscript(id: UInt8) -> HeaderExtension? {
        Self.validIDs.contains(id) ? extensions[Int(id)] : nil
    }

    package func id(of headerExtension: HeaderExtension) -> UInt8? {
        let id = ids[headerExtension.rawValue]
        return id == 0 ? nil : id
    }

    /// False, with nothing changed, where the id is not valid or the id or extension is mapped already.
    @discardableResult
    package mutating func map(_ id: UInt8, to headerExtension: HeaderExtension) -> Bool {
        guard Self.validIDs.contains(id), extensions[Int(id)] == nil, self.id(of: headerExtension) == nil else {
            return false
        }
        extensions[Int(id)] = headerExtension
        ids[headerExtension.rawValue] = id
        return true
    }

    /// As `map(_:to:)`, for a URI as SDP has it; false for one that is not known.
    @discardableResult
    package mutating func map(_ id: UInt8, toURI uri: String) -> Bool {
        HeaderExtension(uri: uri).map { map(id, to: $0) } ?? false
    }
}
