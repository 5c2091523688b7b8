import CALSA
import Glibc
import Media

/// A call of ALSA that failed.
struct ALSAFailure: Error, Hashable {
    /// An errno(3) value, positive.
    var code: Int32
    /// What ALSA said about it.
    var message: String?

    /// What the failure means while the device is opened.
    func unavailable(_ device: String) -> AudioSourceError {
        switch code {
        case ENOENT, ENODEV, ENXIO:
            .unavailable("There is no sound device \"\(device)\"\(remark) The list of sources names those there are.")
        case EBUSY:
            .unavailable("The sound device \"\(device)\" is in use by another program; end that one, or use another.")
        case EACCES, EPERM:
            .unavailable("This user may not use the sound device \"\(device)\"; the group \"audio\" usually may.")
        default:
            .unavailable("The sound device \"\(device)\" can't be opened\(remark)")
        }
    }

    func lost(_ device: String) -> AudioSourceError { .lost("The sound device \"\(device)\" is gone\(remark)") }

    private var remark: String { ": \(message ?? String(cString: snd_strerror(-code)))." }
}
