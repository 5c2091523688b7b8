import FoundationEssentials
import SignalingProtocol
import TestSupport
import Testing

@Suite("Messages as JSON")
struct MessageTests {
    private func coded<Message: Codable>(_ message: Message) throws -> Message {
        try JSONDecoder().decode(Message.self, from: JSONEncoder().encode(message))
    }

    private func decoded<Message: Decodable>(_ type: Message.Type, _ json: String) throws -> Message {
        try JSONDecoder().decode(type, from: Data(json.utf8))
    }

    @Test("An answer and a refusal are told apart by their field, and both or none is an error")
    func replies() throws {
        let answer = SessionReply.answer(sdp: "v=0")
        let refusal = SessionReply.refusal(Refusal(.unsupported, detail: "no H.264", counterOffer: "v=0"))
        #expect(try coded(answer) == answer)
        #expect(try coded(refusal) == refusal)
        #expect(try decoded(SessionReply.self, #"{"sdp":"x"}"#) == .answer(sdp: "x"))
        for json in ["{}", #"{"sdp":"x","refusal":{"reason":"full"}}"#, #"{"refusal":{"reason":1}}"#, "[]", "1"] {
            #expect(throws: DecodingError.self, "\(json)") { try decoded(SessionReply.self, json) }
        }
    }

    @Test("Every event comes back from its name and its data")
    func events() throws {
        var random = SeededGenerator(seed: 1)
        let id = RandomID(using: &random)
        let tag = EntityTag(using: &random)
        let events: [ShareEvent] = [
            .offer(.init(sessionId: id, sdp: "v=0\r\nm=video\r\n", etag: tag)),
            .candidates(.init(sessionId: id, fragment: "a=x")),
            .candidates(.init(sessionId: id, fragment: "a=x", restart: tag)),
            .answer(.init(sessionId: id, sdp: "v=0")),
            .left(.init(sessionId: id)),
        ]
        for event in events {
            let data = try JSONEncoder().encode(Wrapped(event.payload))
            let back = try ShareEvent(event.name) { try JSONDecoder().decode($0, from: data) }
            #expect(back == event)
            #expect(back.sessionId == id)
        }
    }

    private struct Wrapped: Encodable {
        let value: any Encodable
        init(_ value: any Encodable) { self.value = value }
        func encode(to encoder: any Encoder) throws { try value.encode(to: encoder) }
    }

    @Test("A request to share is checked as it is read")
    func shareRequests() throws {
        #expect(try decoded(ShareRequest.self, "{}").name == nil)
        #expect(try decoded(ShareRequest.self, #"{"name":"Ada","maxViewers":3}"#).name?.description == "Ada")
        for json in [
            #"{"name":""}"#, #"{"name":"a\nb"}"#, #"{"viewerToken":"a b"}"#, #"{"viewerToken":""}"#,
            #"{"maxViewers":"3"}"#, #"{"maxViewers":1e999}"#, #"{"resume":{}}"#,
            #"{"resume":{"shareId":"x","secret":"y"}}"#, #"{"sessions":[{"sessionId":"0"}]}"#, "null",
        ] {
            #expect(throws: (any Error).self, "\(json)") { try decoded(ShareRequest.self, json) }
        }
    }

    @Test("Problem types are stable URIs, each with a title and the status of its kind")
    func problems() throws {
        for type in ProblemType.allCases {
            #expect(ProblemType(uri: type.uri) == type)
            #expect((400..<600).contains(type.status))
            #expect(type.title.last == "." || type == .invalidRoomName)
            let problem = Problem(type, detail: "x")
            #expect(try coded(problem) == problem)
        }
        #expect(ProblemType(uri: "about:blank") == nil)
    }

    @Test("A room's state has the fields the web viewer reads")
    func roomState() throws {
        let room = try #require(RoomName("demo"))
        var state = RoomState(room: room, state: .live, viewers: 3, tokenRequired: false)
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        var text = String(decoding: try encoder.encode(state), as: UTF8.self)
        #expect(text == #"{"room":"demo","state":"live","tokenRequired":false,"viewers":3}"#)
        state.audio = .on
        state.muted = [.microphone]
        text = String(decoding: try encoder.encode(state), as: UTF8.self)
        let sound = #""audio":"on","muted":["microphone"]"#
        #expect(text == "{\(sound)," + #""room":"demo","state":"live","tokenRequired":false,"viewers":3}"#)
    }

    @Test("Who knows nothing of muted kinds and epochs is understood, and what a later version adds is passed over")
    func otherVersions() throws {
        let older = try decoded(ShareState.self, #"{"state":"live","viewers":1,"audio":"muted"}"#)
        #expect(older == ShareState(state: .live, viewers: 1, audio: .muted))
        let receipt = #"{"shareId":"0123456789abcdef0123456789abcdef","secret":"x","resumed":true,"eventsUrl":"/e","#
        let rest = #""heartbeatSeconds":1.5,"silenceSeconds":5}"#
        #expect(try decoded(ShareReceipt.self, receipt + rest).epoch == nil)
        let room = #"{"room":"demo","state":"live","viewers":1,"tokenRequired":false,"audio":"on","later":[1]}"#
        let state = try decoded(RoomState.self, room)
        #expect(state.audio == .on && state.muted == nil)
    }

    @Test("A word that only a later version knows is passed over; where there must be one, it promises least")
    func laterWords() throws {
        let share = #"{"state":"interrupted","viewers":1,"audio":"spoken","muted":["camera","microphone"]}"#
        #expect(try decoded(ShareState.self, share) == ShareState(state: .paused, viewers: 1, muted: [.microphone]))
        let room = #"{"room":"demo","state":"interrupted","viewers":1,"tokenRequired":false,"audio":"spoken","#
            + #""muted":["camera"],"path":"uneven"}"#
        let demo = try #require(RoomName("demo"))
        let told = RoomState(room: demo, state: .paused, viewers: 1, tokenRequired: false, muted: [])
        #expect(try decoded(RoomState.self, room) == told)
        #expect(try decoded(Refusal.self, #"{"reason":"waiting","detail":"x"}"#) == Refusal(.busy, detail: "x"))
    }

    @Test("What is no word is none of a later version either")
    func noWords() {
        for fields in [#""viewers":1"#, #""state":1,"viewers":1"#, #""state":null,"viewers":1"#] {
            #expect(throws: DecodingError.self, "\(fields)") { try decoded(ShareState.self, "{\(fields)}") }
        }
        for field in [#""audio":1"#, #""muted":"microphone""#, #""muted":[1]"#] {
            let json = #"{"state":"live","viewers":1,\#(field)}"#
            #expect(throws: DecodingError.self, "\(field)") { try decoded(ShareState.self, json) }
        }
    }

    @Test("JSON nested 32 deep is taken, 33 deep is not; brackets in strings don't count")
    func nesting() {
        func nested(_ depth: Int) -> String {
            String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        }
        #expect(JSONOutline.fault(in: nested(32).utf8) == nil)
        #expect(JSONOutline.fault(in: nested(33).utf8) == .nestedTooDeeply)
        #expect(JSONOutline.fault(in: #"{"a":"[[[[\"[[[\\"}"#.utf8, limit: 2) == nil)
        #expect(JSONOutline.fault(in: #"{"a":"\\","b":[[1]]}"#.utf8, limit: 2) == .nestedTooDeeply)
        #expect(JSONOutline.fault(in: String(repeating: #"[{"a":"#, count: 20).utf8) == .nestedTooDeeply)
    }

    @Test("A comma in front of a closing bracket is seen, also behind white space; one in a string is not")
    func commas() {
        #expect(JSONOutline.fault(in: #"{"a":1, }"#.utf8) == .danglingComma)
        #expect(JSONOutline.fault(in: "[1,\n]".utf8) == .danglingComma)
        #expect(JSONOutline.fault(in: #"[",",{"a":",}"}]"#.utf8) == nil)
    }
}

@Suite("Server-sent events")
struct ServerSentEventTests {
    @Test("What is written is read back, in pieces of any size (seed 3)")
    func pieces() throws {
        let events = [
            ServerSentEvent(id: 1, name: "offer", data: #"{"sdp":"v=0\r\n"}"#),
            ServerSentEvent(name: "state", data: "{}"),
            ServerSentEvent(id: UInt64.max, name: "left", data: "ä🙂"),
        ]
        let text = events.map(\.text).joined(separator: ServerSentEvent.heartbeat)
        var random = SeededGenerator(seed: 3)
        for _ in 0..<50 {
            var parser = ServerSentEventParser()
            var rest = Array(text.utf8)[...]
            var read: [ServerSentEvent] = []
            while !rest.isEmpty {
                let length = min(rest.count, Int.random(in: 1...40, using: &random))
                read += try parser.receive(rest.prefix(length))
                rest = rest.dropFirst(length)
            }
            #expect(read == events)
        }
    }

    @Test("Line ends may be LF, CR LF or CR; comments and unknown fields are passed over; data lines are joined")
    func grammar() throws {
        var parser = ServerSentEventParser()
        let text =
            ": hi\r\nevent:a\r\ndata: 1\r\ndata:2\r\nretry: 3\r\n\r\n"
            + "id: 7\revent: b\rdata\r\rdata: end\n\n\nevent: none\n\n"
        let events = try parser.receive(text.utf8)
        #expect(
            events == [
                ServerSentEvent(name: "a", data: "1\n2"), ServerSentEvent(id: 7, name: "b", data: ""),
                ServerSentEvent(name: "message", data: "end"),
            ])
    }

    @Test("An event without end is refused rather than kept")
    func bounded() {
        var parser = ServerSentEventParser()
        #expect(throws: ServerSentEventParser.Failure.eventTooLong) {
            _ = try parser.receive(Array("data: ".utf8) + [UInt8](repeating: 0x61, count: 300_000))
        }
        var many = ServerSentEventParser()
        #expect(throws: ServerSentEventParser.Failure.eventTooLong) {
            for _ in 0..<300 {
                _ = try many.receive(Array("data: ".utf8) + [UInt8](repeating: 0x61, count: 1000) + [10])
            }
        }
    }
}
