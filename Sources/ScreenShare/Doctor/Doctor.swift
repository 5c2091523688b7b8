import SignalingClient
import Timebase

/// Finds out whether sharing will work on this machine and in its network, by doing what a share does: it takes a
/// picture of the display, opens the sound devices, binds the ports, asks the STUN servers, has the TURN servers give an
/// address, and sends bytes to and from the signaling server.
///
/// ```swift
/// let diagnosis = await Doctor(configuration).examine()
/// for finding in diagnosis.findings where finding.verdict != .ok { print(finding.found, finding.advice ?? "") }
/// ```
///
/// Nothing goes to any server that is not named in the configuration. All in all it takes fifteen seconds at most, and
/// rather two where everything answers.
public struct Doctor: Sendable {
    private let configuration: DoctorConfiguration

    /// Opens nothing; `examine` does.
    public init(_ configuration: DoctorConfiguration) {
        self.configuration = configuration
    }

    /// Looks at everything, once. What goes wrong is a finding; so is what does not answer in time.
    public func examine() async -> Diagnosis {
        // Nothing can be looked at without: what a share does would end the process.
        do throws(ShareError) { try ProcessLimits.check() } catch {
            return Diagnosis(findings: [Finding(.udpPort, .failure, error.description)])
        }
        async let display = picture()
        async let sound = blocking("sound-check", atMost: DoctorLimits.device) { [configuration] in
            SoundCheck.run(configuration.audio)
        }
        async let server = signaling()
        let network = await NetworkCheck(configuration.network).run()
        let reached = await server
        // Afterwards: bytes on their way would make the answers above late.
        let rate = await rate(of: reached)
        let seen = await display
        let heard = await sound ?? [Finding(.sound, .warning, "the sound devices do not answer")]
        return Diagnosis(
            findings: seen + heard + network.machineFindings + reached.findings + rate + network.serverFindings)
    }

    private func picture() async -> [Finding] {
        guard configuration.sharesDisplay else { return [] }
        let seen = await blocking("display-check", atMost: DoctorLimits.device) { [configuration] in
            Finding.display(DisplayCheck.run(configuration.display))
        }
        return [seen ?? Finding.display(.failure("The X server does not answer."))]
    }

    private func signaling() async -> SignalingCheck {
        switch configuration.signaling {
        case .server(let address):
            await SignalingCheck.server(address, room: configuration.room, token: configuration.sharerToken)
        case .listening(let host, let port, let mayUseAnother):
            await SignalingCheck.listening(
                host, port, mayUseAnother: mayUseAnother, room: configuration.room, token: configuration.sharerToken)
        case .own: SignalingCheck(findings: [])
        }
    }

    private func rate(of reached: SignalingCheck) async -> [Finding] {
        guard let probe = reached.probe else { return [] }
        let down = await Deadline.result(within: DoctorLimits.rate) { await RateFacts.measure(probe, .down) }
        let up = await Deadline.result(within: DoctorLimits.rate) { await RateFacts.measure(probe, .up) }
        let facts = RateFacts(
            host: reached.host, isOurRoom: reached.isOurRoom, up: up ?? .tooSlow, down: down ?? .tooSlow,
            roundTrip: reached.roundTrip)
        return [facts.finding]
    }
}

/// How long a part may take; together no more than fifteen seconds.
enum DoctorLimits {
    /// A display or a sound device that hangs.
    static let device = Duration.seconds(6)
    /// Names of servers to be looked up, all at the same time.
    static let names = Duration.seconds(3)
    /// STUN: two questions, one after the other, that nobody answers (3.4 s each), make 6.8 s.
    static let mapping = Duration.milliseconds(6_900)
    /// TURN: connection, TLS and an allocation take five round trips.
    static let relays = Duration.seconds(5)
    /// One direction of the way to the signaling server: the rest of the fifteen seconds, halved.
    static let rate = Duration.milliseconds(2_400)
}
