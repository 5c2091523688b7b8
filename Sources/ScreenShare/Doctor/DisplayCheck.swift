import Glibc
import Media
import ScreenCapture

/// Takes a picture of the display.
enum DisplayCheck {
    enum Outcome: Sendable {
        case seen(DisplayReport)
        /// Why it can't be shared, with what to do as far as the library knows, and by which option.
        case failure(String, advice: String? = nil)
    }

    static func run(_ display: String?) -> Outcome {
        do throws(CaptureError) {
            return .seen(try DisplayReport.make(display: display))
        } catch {
            let isNamed = display != nil || getenv("DISPLAY") != nil
            return .failure(error.shareError.description, advice: isNamed ? nil : "Name one by --display.")
        }
    }
}

extension Finding {
    static func display(_ outcome: DisplayCheck.Outcome) -> Finding {
        switch outcome {
        case .failure(let text, let advice): Finding(.display, .failure, text, advice: advice)
        case .seen(let report): display(report)
        }
    }

    private static func display(_ report: DisplayReport) -> Finding {
        var missing: [String] = []
        if !report.sharesMemory {
            missing.append("no memory can be shared with it (MIT-SHM), so pictures take longer and cost more")
        }
        if !report.seesPointer { missing.append("without XFIXES the pointer is not shown") }
        if !report.knowsMonitors { missing.append("without RandR 1.5 there is no --monitor") }
        let took = Words.milliseconds(report.pictureTime)
        let way = report.sharesMemory ? "shared memory" : "its connection"
        let size = "\(report.size.width)x\(report.size.height), depth \(report.depth)"
        let found = "\(report.display) is \(size); a picture through \(way) took \(took)"
        let values: [String: Value] = [
            "display": .text(report.display), "width": Value(report.size.width), "height": Value(report.size.height),
            "depth": Value(report.depth), "sharedMemory": .flag(report.sharesMemory), "damage": .flag(true),
            "xfixes": .flag(report.seesPointer), "randr": .flag(report.knowsMonitors),
            "xwayland": .flag(report.isXwayland), "pictureMs": Value(report.pictureTime),
        ]
        if report.isXwayland { missing.append("it is Xwayland: of a Wayland session it shows only black") }
        guard !missing.isEmpty else {
            return Finding(.display, .ok, found + " (MIT-SHM, DAMAGE, XFIXES, RandR)", values: values)
        }
        return Finding(
            .display, .warning, "\(found); \(missing.joined(separator: "; "))",
            advice: report.isXwayland
                ? SessionKind.advice : "Use an X server on this machine that has these extensions.",
            values: values)
    }
}
