import Datagrams
import Testing

@Suite("Reading and writing big-endian")
struct ReadingTests {
    @Test("what is written is read back")
    func roundTrip() {
        var bytes: [UInt8] = []
        bytes.append(u8: 1)
        bytes.append(u16: 0x0203)
        bytes.append(u24: 0x040506)
        bytes.append(u32: 0x0708_090A)
        bytes.append(u64: 0x0B0C_0D0E_0F10_1112)
        #expect(bytes == Array(1...18))
        bytes.read { span in
            var cursor = Cursor(span)
            let value1 = cursor.u8(span)
            #expect(value1 == 1)
            let value2 = cursor.u16(span)
            #expect(value2 == 0x0203)
            let value3 = cursor.u24(span)
            #expect(value3 == 0x040506)
            let value4 = cursor.u32(span)
            #expect(value4 == 0x0708_090A)
            let value5 = cursor.u64(span)
            #expect(value5 == 0x0B0C_0D0E_0F10_1112)
            #expect(cursor.remaining == 0)
            let value6 = cursor.u8(span)
            #expect(value6 == nil)
        }
    }

    @Test("reads past the end, before the start and at absurd offsets give nil", arguments: [-1, 3, 4, Int.max, Int.min])
    func outside(offset: Int) {
        let bytes: [UInt8] = [1, 2, 3]
        bytes.read { span in
            #expect(span.u16(at: offset) == nil)
            #expect(span.u24(at: offset) == nil)
            #expect(span.u32(at: offset) == nil)
            #expect(span.u64(at: offset) == nil)
        }
    }

    @Test("a cursor never leaves its range")
    func range() {
        let bytes = [UInt8](0..<16)
        bytes.read { span in
            var cursor = Cursor(4..<8)
            let value7 = cursor.take(5)
            #expect(value7 == nil)
            let value8 = cursor.take(-1)
            #expect(value8 == nil)
            let value9 = cursor.u64(span)
            #expect(value9 == nil)
            let value10 = cursor.u32(span)
            #expect(value10 == 0x0405_0607)
            let value11 = cursor.u8(span)
            #expect(value11 == nil)
        }
    }
}

@Suite("IP addresses")
struct IPAddressTests {
    @Test(
        "text that is read is written in RFC 5952's form",
        arguments: [
            ("192.0.2.1", "192.0.2.1"), ("::1", "::1"), ("::", "::"), ("2001:DB8:0:0:0:0:0:1", "2001:db8::1"),
            ("2001:db8:0:1:1:1:1:1", "2001:db8:0:1:1:1:1:1"), ("::ffff:192.0.2.1", "::ffff:c000:201"),
            ("fe80::1:0:0:1", "fe80::1:0:0:1"), ("1:0:0:2:0:0:0:3", "1:0:0:2::3"),
        ])
    func valid(text: String, canonical: String) throws {
        let address = try #require(IPAddress(text))
        #expect(address.description == canonical)
        #expect(IPAddress(canonical) == address)
    }

    @Test(
        "what is no address is refused",
        arguments: [
            "", "1.2.3", "1.2.3.4.5", "256.1.1.1", "01.2.3.4", "1.2.3.4 ", ":::", "1::2::3", "12345::", "fe80::1%eth0",
            "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "example.org", "::1.2.3", "+1::", "a.b.c.d",
            "-0::", "1::-0", "1.2.3.4::", "1.2.3.4::5", "1:1.2.3.4::5",
        ])
    func invalid(text: String) {
        #expect(IPAddress(text) == nil)
    }

    @Test("places where media must never go are recognised")
    func kinds() throws {
        #expect(try #require(IPAddress("224.0.0.1")).isMulticast)
        #expect(try #require(IPAddress("255.255.255.255")).isMulticast)
        #expect(try #require(IPAddress("ff02::1")).isMulticast)
        #expect(try #require(IPAddress("0.0.0.0")).isUnspecified)
        #expect(try #require(IPAddress("127.3.2.1")).isLoopback)
        #expect(try #require(IPAddress("169.254.1.1")).isLinkLocal)
        #expect(try #require(IPAddress("fe80::1")).isLinkLocal)
        #expect(try #require(IPAddress("192.0.2.1")).isMulticast == false)
    }

    @Test("networks that the internet does not lead to are told from it", arguments: [
        ("127.0.0.1", true), ("169.254.1.1", true), ("10.1.2.3", true), ("11.0.0.1", false), ("172.15.0.1", false),
        ("172.16.0.1", true), ("172.31.0.1", true), ("172.32.0.1", false), ("192.168.0.1", true), ("192.169.0.1", false),
        ("100.63.0.1", false), ("100.64.0.1", true), ("100.127.255.255", true), ("100.128.0.1", false),
        ("203.0.113.7", false), ("::1", true), ("fe80::1", true), ("fd00::1", true), ("fc00::1", true), ("2001:db8::1", false),
    ])
    func inside(text: String, isInside: Bool) throws {
        #expect(try #require(IPAddress(text)).isInside == isInside)
    }

    @Test("a host is this machine by its address or by a name that is reserved for it", arguments: [
        ("localhost", true), ("LocalHost", true), ("a.localhost", true), ("127.0.0.1", true), ("127.9.9.9", true),
        ("::1", true), ("[::1]", true), ("127.example.org", false), ("localhost.example.org", false), ("notlocalhost", false),
        ("0.0.0.0", false), ("192.0.2.1", false), ("[", false), ("", false),
    ])
    func loopback(host: String, isLoopback: Bool) {
        #expect(IPAddress.isLoopback(host: host) == isLoopback)
    }
}

@Suite("Bounded queues")
struct BoundedQueueTests {
    @Test("a full queue refuses and keeps what it has")
    func full() {
        var queue = BoundedQueue<Int>(capacity: 2)
        let results = [queue.append(1), queue.append(2), queue.append(3)]
        #expect(results == [true, true, false])
        let value12 = queue.popFirst()
        #expect(value12 == 1)
        #expect(queue.count == 1)
    }
}
