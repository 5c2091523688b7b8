import COpus

/// libopus' words for one of its status codes.
func opusText(_ status: Int32) -> String {
    opus_strerror(status).map { String(cString: $0) } ?? "\(status)"
}
