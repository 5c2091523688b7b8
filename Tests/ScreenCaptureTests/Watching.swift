import Media
import ScreenCapture
import SystemClock
import Testing
import Timebase

extension ScreenSource {
    /// Reads pictures until one of them is as wanted.
    /// - Returns: what the frames before and this one said was damaged, together; nil if none came in time.
    @discardableResult
    func watch(
        for time: Duration = .seconds(10), until isWanted: (Look) -> Bool
    ) throws -> PixelRect? {
        let deadline = SystemClock.now() + time
        var damage = PixelRect(x: 0, y: 0, width: 0, height: 0)
        while SystemClock.now() < deadline {
            guard try waitForChange(until: deadline, wakeup: -1) == .changed else { continue }
            let frame = try readPatiently()
            damage = damage.union(frame.damage)
            if isWanted(Look(frame)) { return damage }
        }
        return nil
    }

    /// As a sharer reads: a server that is busy is asked again.
    func readPatiently(for time: Duration = .seconds(5)) throws(CaptureError) -> ScreenFrame {
        let deadline = SystemClock.now() + time
        while true {
            do throws(CaptureError) {
                return try read()
            } catch .timedOut where SystemClock.now() < deadline {
                continue
            }
        }
    }

    /// Waits until the source says that there is nothing to show, and why.
    func watchUntilHidden(for time: Duration = .seconds(10)) throws -> String? {
        let deadline = SystemClock.now() + time
        while SystemClock.now() < deadline {
            switch try waitForChange(until: deadline, wakeup: -1) {
            case .hidden(let reason): return reason
            case .changed: _ = try? read()
            case .idle, .ended: break
            }
        }
        return nil
    }

    /// Waits until the source says that there is nothing to show any more, and what to do.
    func watchUntilEnded(for time: Duration = .seconds(10)) throws -> String? {
        let deadline = SystemClock.now() + time
        while SystemClock.now() < deadline {
            switch try waitForChange(until: deadline, wakeup: -1) {
            case .ended(let reason): return reason
            case .changed: _ = try? read()
            case .idle, .hidden: break
            }
        }
        return nil
    }

    /// Reads what there is, until nothing changes for a moment.
    func settleDown() throws {
        while try waitForChange(until: SystemClock.now() + .milliseconds(100), wakeup: -1) == .changed {
            _ = try readPatiently()
        }
    }
}

/// A frame as a test looks at it.
struct Look {
    let frame: ScreenFrame

    init(_ frame: ScreenFrame) { self.frame = frame }

    var size: PixelSize { frame.pixels.size }

    /// The colour of a pixel, without the byte that counts for nothing.
    subscript(x: Int, y: Int) -> UInt32 {
        frame.pixels.withPlane(0) { start, bytesPerRow in
            let mask: UInt32 = frame.pixels.format == .bgr10 ? 0x3FFF_FFFF : 0xFF_FFFF
            let place = y * bytesPerRow + x * 4
            return UnsafeRawPointer(start).loadUnaligned(fromByteOffset: place, as: UInt32.self) & mask
        }
    }

    /// Whether every pixel of the area has this colour.
    func isFilled(_ rect: PixelRect, _ color: UInt32) -> Bool {
        (rect.y..<rect.maxY).allSatisfy { y in (rect.x..<rect.maxX).allSatisfy { self[$0, y] == color } }
    }
}

/// How long something took.
func elapsed(_ body: () throws -> Void) rethrows -> Duration {
    let start = SystemClock.now()
    try body()
    return SystemClock.now() - start
}

let red: UInt32 = 0xFF_0000
let green: UInt32 = 0x00_FF00
let blue: UInt32 = 0x00_00FF
let gray: UInt32 = 0x40_4040
