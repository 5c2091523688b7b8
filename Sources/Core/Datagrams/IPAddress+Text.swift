extension IPAddress: CustomStringConvertible, LosslessStringConvertible {
    /// Dotted decimal, or the form of RFC 4291 § 2.2 with `::` and an embedded IPv4 tail; nil for anything else
    /// (host names, scopes, leading zeros).
    package init?(_ text: String) {
        if text.utf8.contains(UInt8(ascii: ":")) {
            self.init(v6: Array(text.utf8))
        } else {
            guard let bits = Self.dottedDecimal(Array(text.utf8)[...]) else { return nil }
            self = .v4(bits)
        }
    }

    /// RFC 5952: lower case, the longest run of zeros as `::`.
    package var description: String {
        switch self {
        case .v4(let bits):
            return "\(bits >> 24).\(bits >> 16 & 255).\(bits >> 8 & 255).\(bits & 255)"
        case .v6(let high, let low):
            let groups = (0..<8).map { UInt16(truncatingIfNeeded: ($0 < 4 ? high : low) >> (48 - 16 * ($0 % 4))) }
            return Self.text(groups)
        }
    }

    private static func text(_ groups: [UInt16]) -> String {
        var best = 0..<0
        var start = 0
        while start < groups.count {
            var end = start
            while end < groups.count, groups[end] == 0 { end += 1 }
            if end - start > max(1, best.count) { best = start..<end }
            start = max(end, start) + 1
        }
        let hex = groups.map { String($0, radix: 16) }
        if best.isEmpty { return hex.joined(separator: ":") }
        return hex[..<best.lowerBound].joined(separator: ":") + "::" + hex[best.upperBound...].joined(separator: ":")
    }

    private static func dottedDecimal(_ text: ArraySlice<UInt8>) -> UInt32? {
        let parts = text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 4 else { return nil }
        var bits: UInt32 = 0
        for part in parts {
            guard (1...3).contains(part.count), part.count == 1 || part.first != UInt8(ascii: "0") else { return nil }
            var value: UInt32 = 0
            for digit in part {
                guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
                value = value * 10 + UInt32(digit - UInt8(ascii: "0"))
            }
            guard value <= 255 else { return nil }
            bits = bits << 8 | value
        }
        return bits
    }

    private init?(v6 text: [UInt8]) {
        guard text.count <= 45 else { return nil }
        let colon = UInt8(ascii: ":")
        var head: [UInt16] = []
        var tail: [UInt16]?
        if let gap = text.indices.dropLast().first(where: { text[$0] == colon && text[$0 + 1] == colon }) {
            guard let front = Self.groups(text[..<gap], mayEndInIPv4: false), let back = Self.groups(text[(gap + 2)...]),
                front.count + back.count < 8
            else { return nil }
            (head, tail) = (front, back)
        } else {
            guard let all = Self.groups(text[...]), all.count == 8 else { return nil }
            head = all
        }
        let zeros = [UInt16](repeating: 0, count: 8 - head.count - (tail?.count ?? 0))
        let groups = head + zeros + (tail ?? [])
        let high = groups[..<4].reduce(UInt64(0)) { $0 << 16 | UInt64($1) }
        let low = groups[4...].reduce(UInt64(0)) { $0 << 16 | UInt64($1) }
        self = .v6(high: high, low: low)
    }

    /// - Parameter mayEndInIPv4: not before `::`, behind which there is more.
    private static func groups(_ text: ArraySlice<UInt8>, mayEndInIPv4: Bool = true) -> [UInt16]? {
        if text.isEmpty { return [] }
        let parts = text.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        guard parts.count <= 8 else { return nil }
        var groups: [UInt16] = []
        for (index, part) in parts.enumerated() {
            if part.contains(UInt8(ascii: ".")) {
                guard mayEndInIPv4, index == parts.count - 1, let bits = dottedDecimal(part) else { return nil }
                groups += [UInt16(truncatingIfNeeded: bits >> 16), UInt16(truncatingIfNeeded: bits)]
            } else {
                guard (1...4).contains(part.count), let group = UInt16(String(decoding: part, as: UTF8.self), radix: 16),
                    part.first != UInt8(ascii: "+"), part.first != UInt8(ascii: "-")
                else { return nil }
                groups.append(group)
            }
        }
        return groups
    }
}

extension String {
    /// A host as it stands in a URL (RFC 3986 § 3.2.2).
    package var bracketedIfIPv6: String { contains(":") && first != "[" ? "[\(self)]" : self }
}
