/// How a device writes one sample, in ALSA's words: `S24_3BE` is (`.signed24`, `.big`).
package struct SampleFormat: Hashable, Sendable {
    package enum Encoding: Hashable, Sendable, CaseIterable {
        /// Silence is 128.
        case unsigned8
        case signed16
        /// Packed into three bytes.
        case signed24
        /// In the low three bytes of four; what the fourth holds doesn't count.
        case signed24In32
        case signed32
        /// IEEE 754. Full scale is −1 to 1; what several programs play together may be louder.
        case float32
    }

    package enum ByteOrder: Hashable, Sendable, CaseIterable {
        case little
        case big
    }

    package var encoding: Encoding
    package var byteOrder: ByteOrder

    package init(_ encoding: Encoding, _ byteOrder: ByteOrder = .little) {
        self.encoding = encoding
        self.byteOrder = byteOrder
    }

    package var bytesPerSample: Int {
        switch encoding {
        case .unsigned8: 1
        case .signed16: 2
        case .signed24: 3
        case .signed24In32, .signed32, .float32: 4
        }
    }

    /// The samples, of full scale from −1 to 1, in the order they come. Bytes at the end that are no whole sample are left
    /// out.
    ///
    /// Of 32 bits the upper 24 are taken, as many as a `Float` holds. Floats beyond full scale stay what they are, for the
    /// gain and the limiter to turn down; what is no number is silence.
    package func samples(from bytes: RawSpan) -> [Float] {
        var samples: [Float] = []
        append(from: bytes, to: &samples)
        return samples
    }

    /// Likewise, behind others.
    package func append(from bytes: RawSpan, to samples: inout [Float]) {
        let count = bytes.byteCount / bytesPerSample
        guard count > 0 else { return }
        bytes.withUnsafeBytes { raw in
            samples.append(addingCapacity: count) { appended in
                appended.withUnsafeMutableBufferPointer { output, initialized in
                    guard let input = raw.baseAddress, let output = output.baseAddress else { return }
                    convert(input, count, to: output)
                    initialized = count
                }
            }
        }
    }

    private func convert(_ input: UnsafeRawPointer, _ count: Int, to output: UnsafeMutablePointer<Float>) {
        if encoding == .float32 {
            copyFloats(input, count, to: output)
        } else if encoding == .signed16, byteOrder == .little {
            convertWords(input, count, to: output)
        } else {
            convertIntegers(input.assumingMemoryBound(to: UInt8.self), count, to: output)
        }
    }

    /// The bytes that count, at most three, and where the most significant of them lies in a sample.
    private var significant: (bytes: Int, first: Int) {
        let isBig = byteOrder == .big
        return switch encoding {
        case .unsigned8: (1, 0)
        case .signed16: (2, isBig ? 0 : 1)
        case .signed24: (3, isBig ? 0 : 2)
        case .signed24In32: (3, isBig ? 1 : 2)
        case .signed32, .float32: (3, isBig ? 0 : 3)
        }
    }

    /// Byte by byte in `Float`, which is exact and, without optimisation, four times as fast as in integers.
    private func convertIntegers(_ input: UnsafePointer<UInt8>, _ count: Int, to output: UnsafeMutablePointer<Float>) {
        let (bytes, first) = significant
        let step = byteOrder == .big ? 1 : -1
        let stride = bytesPerSample
        let zero: UInt8 = encoding == .unsigned8 ? 0x80 : 0
        let scale: Float = [1 / 0x1p7, 1 / 0x1p15, 1 / 0x1p23][bytes - 1]
        var sample = input + first
        var index = 0
        while index < count {
            var value = Float(Int8(bitPattern: sample[0] ^ zero))
            if bytes > 1 { value = value * 256 + Float(sample[step]) }
            if bytes > 2 { value = value * 256 + Float(sample[2 * step]) }
            output[index] = value * scale
            sample += stride
            index += 1
        }
    }

    /// What nearly all devices give, in a form that compilers make vectors of.
    private func convertWords(_ input: UnsafeRawPointer, _ count: Int, to output: UnsafeMutablePointer<Float>) {
        var index = 0
        while index < count {
            let word = Int16(littleEndian: input.loadUnaligned(fromByteOffset: 2 * index, as: Int16.self))
            output[index] = Float(word) * 0x1p-15
            index += 1
        }
    }

    private func copyFloats(_ input: UnsafeRawPointer, _ count: Int, to output: UnsafeMutablePointer<Float>) {
        UnsafeMutableRawPointer(output).copyMemory(from: input, byteCount: 4 * count)
        var index = 0
        while index < count {
            var value = output[index]
            if byteOrder == .big { value = Float(bitPattern: value.bitPattern.byteSwapped) }
            output[index] = value.magnitude <= AudioLimits.loudestSample ? value : 0
            index += 1
        }
    }
}
