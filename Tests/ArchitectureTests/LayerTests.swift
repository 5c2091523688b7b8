import Foundation
import Testing

/// The layering that keeps Core deterministic is a rule of the build: this reads the sources.
@Suite("Layers")
struct LayerTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    private static let allowed: [String: Set<String>] = [
        "Timebase": [],
        "Datagrams": ["DequeModule"],
        "Media": ["Timebase"],
        "ICE": ["Timebase", "Datagrams"],
        "RTP": ["Timebase", "Datagrams", "DequeModule"],
        "SDP": [],
        "Congestion": ["Timebase", "DequeModule"],
        "PeerCore": ["Timebase", "Datagrams", "ICE", "RTP", "Congestion", "DequeModule"],
    ]

    /// Come with the toolchain or the system.
    private static let system: Set = ["FoundationEssentials", "Glibc", "Synchronization"]

    @Test("every target of Core stands in the table")
    func targets() throws {
        let folders = try FileManager.default.contentsOfDirectory(atPath: Self.root.appending(path: "Sources/Core").path)
        #expect(Set(folders) == Set(Self.allowed.keys))
    }

    @Test("Core imports nothing outside its table", arguments: allowed.keys.sorted())
    func imports(target: String) throws {
        for file in try Self.swiftFiles(in: "Sources/Core/\(target)") {
            let imported = try Self.imports(of: file)
            let foreign = imported.subtracting(Self.allowed[target] ?? [])
            #expect(foreign.isEmpty, "\(file.lastPathComponent) imports \(foreign.sorted())")
        }
    }

    @Test("Package.swift gives Core what stands in its table, and all of that is imported")
    func core() throws {
        #expect(try Self.dependencies(madeBy: "core") == Self.allowed)
        for (target, dependencies) in Self.allowed {
            let unused = dependencies.subtracting(try Self.imports(ofAll: "Sources/Core/\(target)"))
            #expect(unused.isEmpty, "\(target) imports no \(unused.sorted())")
        }
    }

    @Test("an adapter imports what Package.swift gives it, and of other adapters the clock alone")
    func adapters() throws {
        let adapters = try FileManager.default.contentsOfDirectory(
            atPath: Self.root.appending(path: "Sources/Adapters").path)
        let declared = try Self.dependencies(madeBy: "adapter")
        #expect(Set(adapters) == Set(declared.keys))
        for (adapter, dependencies) in declared {
            let others = dependencies.intersection(adapters).subtracting(["SystemClock"])
            #expect(others.isEmpty, "\(adapter) depends on \(others.sorted())")
            let imported = try Self.imports(ofAll: "Sources/Adapters/\(adapter)").subtracting(Self.system)
            let foreign = imported.subtracting(dependencies)
            #expect(foreign.isEmpty, "\(adapter) imports \(foreign.sorted())")
            let unused = dependencies.subtracting(imported)
            #expect(unused.isEmpty, "\(adapter) imports no \(unused.sorted())")
        }
    }

    @Test("files stay within 400 lines")
    func lengths() throws {
        for folder in ["Sources", "Signaling", "Examples", "FuzzTesting/Fuzzers"] {
            for file in try Self.swiftFiles(in: folder) {
                let lines = try String(contentsOf: file, encoding: .utf8).split(
                    separator: "\n", omittingEmptySubsequences: false
                ).count
                #expect(lines <= 401, "\(file.lastPathComponent) has \(lines) lines")
            }
        }
    }

    @Test("functions stay within 40 lines")
    func functionLengths() throws {
        let beginning = try Regex(#"^ *(?:@\w+(?:\([^)]*\))? )*(?:\w+(?:\(set\))? )*(?:func |init[(?<])"#)
        for folder in ["Sources", "Signaling", "Examples", "FuzzTesting/Fuzzers"] {
            for file in try Self.swiftFiles(in: folder) {
                let lines = try String(contentsOf: file, encoding: .utf8).split(
                    separator: "\n", omittingEmptySubsequences: false)
                for (index, line) in lines.enumerated() where line.firstMatch(of: beginning) != nil {
                    let indent = line.prefix { $0 == " " }
                    let rest = lines[index...]
                    guard let body = rest.firstIndex(where: { $0.hasSuffix("{") || $0.hasSuffix("}") }),
                        lines[body].hasSuffix("{"), let end = rest.firstIndex(where: { $0 == indent + "}" })
                    else { continue }
                    #expect(end - body <= 41, "\(file.lastPathComponent):\(index + 1) has \(end - body - 1) lines")
                }
            }
        }
    }

    @Test("no try!, as! or fatalError in the sources")
    func traps() throws {
        let forbidden = try Regex(#"\btry!|\bas!|fatalError\("#)
        for folder in ["Sources", "Signaling"] {
            for file in try Self.swiftFiles(in: folder) {
                for (index, line) in try String(contentsOf: file, encoding: .utf8).split(
                    separator: "\n", omittingEmptySubsequences: false
                ).enumerated() where !line.drop(while: { $0 == " " }).hasPrefix("//") {
                    #expect(line.firstMatch(of: forbidden) == nil, "\(file.lastPathComponent):\(index + 1)")
                }
            }
        }
    }

    @Test("what is decided on the path goes by named numbers", arguments: ["Congestion", "PeerCore"])
    func namedNumbers(target: String) throws {
        let decimal = try Regex(#"\d[\d_]*(?:\.\d[\d_]*(?:e-?\d+)?|e-\d+)"#)
        // Nothing, half, all and twice.
        let plain: Set<Double?> = [0, 0.5, 1, 2]
        for file in try Self.swiftFiles(in: "Sources/Core/\(target)") {
            for (index, line) in try String(contentsOf: file, encoding: .utf8).split(
                separator: "\n", omittingEmptySubsequences: false
            ).enumerated() where !line.contains("static let ") && !line.drop(while: { $0 == " " }).hasPrefix("//") {
                let numbers = line.matches(of: decimal).map { String(line[$0.range]) }
                let bare = numbers.filter { number in !plain.contains(Double(number.filter { $0 != "_" })) }
                #expect(bare.isEmpty, "\(file.lastPathComponent):\(index + 1) has \(bare) without a name")
            }
        }
    }

    @Test("public enums may get more cases, but for those that are bounded by nature")
    func openEnums() throws {
        let closed = try Regex(#"(?m)^ *public (?:indirect )?enum (\w+)"#, as: (Substring, Substring).self)
        // Turned and mirrored pictures, a sample's bytes, what a share comes to; the rest are names without cases.
        let bounded: Set = ["Orientation", "ByteOrder", "Verdict", "LocalNetwork", "PublicationToken", "SignalingProbe"]
        for folder in ["Sources/ScreenShare", "Signaling/SignalingServer"] {
            for file in try Self.swiftFiles(in: folder) {
                let text = try String(contentsOf: file, encoding: .utf8)
                let found = Set(text.matches(of: closed).map { String($0.output.1) }).subtracting(bounded)
                #expect(found.isEmpty, "\(file.lastPathComponent): \(found.sorted()) without @nonexhaustive")
            }
        }
    }

    @Test("every @unchecked Sendable says why beside it")
    func unchecked() throws {
        for folder in ["Sources", "Signaling"] {
            for file in try Self.swiftFiles(in: folder) {
                let lines = try String(contentsOf: file, encoding: .utf8).split(
                    separator: "\n", omittingEmptySubsequences: false)
                for (index, line) in lines.enumerated() where line.contains("@unchecked Sendable") {
                    let near = lines[max(0, index - 3)...index].joined()
                    #expect(near.contains("//"), "\(file.lastPathComponent):\(index + 1)")
                }
            }
        }
    }

    private static func swiftFiles(in folder: String) throws -> [URL] {
        let files = FileManager.default.enumerator(at: root.appending(path: folder), includingPropertiesForKeys: nil)
        let found = (files?.compactMap { $0 as? URL } ?? []).filter {
            $0.pathExtension == "swift" && !$0.path.contains("/.build")
        }
        return try #require(found.isEmpty ? nil : found, "nothing to read in \(folder)")
    }

    /// What Package.swift gives the targets that one of its functions makes.
    private static func dependencies(madeBy function: String) throws -> [String: Set<String>] {
        let manifest = try String(contentsOf: root.appending(path: "Package.swift"), encoding: .utf8)
        let product = try Regex(
            #"let (\w+): Target\.Dependency = \.product\(name: "(\w+)""#, as: (Substring, Substring, Substring).self)
        let products = Dictionary(
            uniqueKeysWithValues: manifest.matches(of: product).map { (String($0.output.1), String($0.output.2)) })
        let target = try Regex(
            function + #"\("(\w+)"(?:, \[([^\]]*)\])?\)"#, as: (Substring, Substring, Substring?).self)
        var found: [String: Set<String>] = [:]
        for match in manifest.matches(of: target) {
            let names = (match.output.2 ?? "").split { ", \n".contains($0) }
            // A name in quotes is a target, one without a product.
            found[String(match.output.1)] = Set(names.map { products[String($0)] ?? $0.split(separator: "\"").joined() })
        }
        return found
    }

    private static func imports(ofAll folder: String) throws -> Set<String> {
        try swiftFiles(in: folder).reduce(into: []) { $0.formUnion(try imports(of: $1)) }
    }

    private static func imports(of file: URL) throws -> Set<String> {
        let text = try String(contentsOf: file, encoding: .utf8)
        let pattern = try Regex(#"(?m)^[ \t]*(?:@\w+(?:\(\w+\))?[ \t]+)*(?:(?:public|package|internal)[ \t]+)?import[ \t]+(?:(?:struct|enum|class|protocol|func)[ \t]+)?(\w+)"#)
        return Set(text.matches(of: pattern).compactMap { $0.output[1].substring.map(String.init) })
    }
}
