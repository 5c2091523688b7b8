import FoundationEssentials
import NIOCore
import NIOHTTP1
import SignalingProtocol

/// A response, read to its end.
struct HTTPReply: Sendable {
    var url: URL
    var status: Int
    var headers: HTTPHeaders
    var body: ByteBuffer

    var isSuccess: Bool { (200..<300).contains(status) }

    var text: String? { String(validating: body.readableBytesView, as: UTF8.self) }

    func message<Message: Decodable>(_ type: Message.Type, called what: String) throws(SignalingError) -> Message {
        do {
            return try JSONCoding.decode(type, from: body)
        } catch {
            throw .unreadable(what)
        }
    }

    /// RFC 9457.
    var problem: Problem? {
        guard headers.first(name: "Content-Type")?.hasPrefix(Problem.mediaType) == true else { return nil }
        return try? JSONCoding.decode(Problem.self, from: body)
    }

    /// A field that holds an address, such as `Location`, resolved against the request's own (RFC 9110 § 10.2.2).
    func address(in field: String) -> URL? {
        guard let text = headers.first(name: field), let address = URL(string: text, relativeTo: url)?.absoluteURL,
            address.isHTTP
        else { return nil }
        return address
    }

    /// The server that a redirection leads to, where that is another and none less secure; no path, which may be secret.
    var otherServer: String? {
        guard let next = address(in: "Location"), next.origin != url.origin, !url.isSecure || next.isSecure else { return nil }
        return next.shownOrigin
    }

    /// RFC 9110 § 10.2.3: seconds or a date; bounded, and with something sensible where it is missing.
    var retryAfter: Duration {
        guard let field = headers.first(name: "Retry-After") else { return ClientLimits.defaultRetryAfter }
        let seconds =
            Int(field) ?? HTTPDate(field).map { Int(($0.seconds - Date().timeIntervalSince1970).rounded(.up)) }
        guard let seconds else { return ClientLimits.defaultRetryAfter }
        return min(max(.seconds(seconds), .zero), ClientLimits.retryAfter)
    }
}

/// An IMF-fixdate (RFC 9110 § 5.6.7), such as `Sun, 06 Nov 1994 08:49:37 GMT`.
struct HTTPDate: Equatable {
    /// Since 1970.
    let seconds: Double

    init?(_ text: String) {
        let parts = text.split(whereSeparator: { $0 == " " || $0 == ":" })
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        guard parts.count == 8, parts[7] == "GMT", let month = months.firstIndex(of: String(parts[2])),
            let day = Int(parts[1]), let year = Int(parts[3]), let hour = Int(parts[4]), let minute = Int(parts[5]),
            let second = Int(parts[6]), (1...31).contains(day), (1970...9999).contains(year),
            (0...23).contains(hour), (0...59).contains(minute), (0...60).contains(second)
        else { return nil }
        let days = Self.days(before: year, month + 1, day)
        seconds = Double(days * 86_400 + hour * 3600 + minute * 60 + second)
    }

    /// Days since 1970-01-01 in the Gregorian calendar, with years that begin in March so that leap days come last.
    private static func days(before year: Int, _ month: Int, _ day: Int) -> Int {
        let shifted = month <= 2 ? year - 1 : year
        let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
        return 365 * shifted + shifted / 4 - shifted / 100 + shifted / 400 + dayOfYear - 719_468
    }
}
