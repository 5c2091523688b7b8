import COpenSSL
import Datagrams

/// SRTP written straight from RFC 3711 and RFC 7714 over OpenSSL's AES, with nothing of libsrtp: what `SRTPSession` is
/// compared to. `VectorTests` checks it against the RFCs' own numbers first.
struct ReferenceSRTP {
    /// RFC 3711 § 4.3.1, table of labels.
    enum Label: UInt8 {
        case rtpKey = 0, rtpAuthentication, rtpSalt, rtcpKey, rtcpAuthentication, rtcpSalt
    }

    let masterKey: [UInt8]
    /// 14 bytes; a GCM master salt of 12 is padded on the right (RFC 7714 § 11).
    let masterSalt: [UInt8]

    init(key: [UInt8]) {
        masterKey = Array(key[..<16])
        masterSalt = Array(key[16...]) + [UInt8](repeating: 0, count: 30 - key.count)
    }

    /// RFC 3711 § 4.3.3 with a key derivation rate of 0.
    func derive(_ label: Label, count: Int) -> [UInt8] {
        var block = masterSalt + [0, 0]
        block[7] ^= label.rawValue
        return Self.counterMode(key: masterKey, block: block, data: [UInt8](repeating: 0, count: count))
    }

    /// AES-CM, § 4.1.1; encrypting is decrypting.
    static func counterMode(key: [UInt8], block: [UInt8], data: [UInt8]) -> [UInt8] {
        let context = EVP_CIPHER_CTX_new()
        defer { EVP_CIPHER_CTX_free(context) }
        var output = [UInt8](repeating: 0, count: data.count)
        var length: Int32 = 0
        EVP_EncryptInit_ex(context, EVP_aes_128_ctr(), nil, key, block)
        EVP_EncryptUpdate(context, &output, &length, data, Int32(data.count))
        return output
    }

    /// AES-128-GCM with a 16-byte tag appended.
    static func galoisCounterMode(key: [UInt8], nonce: [UInt8], header: [UInt8], data: [UInt8]) -> [UInt8] {
        let context = EVP_CIPHER_CTX_new()
        defer { EVP_CIPHER_CTX_free(context) }
        var output = [UInt8](repeating: 0, count: data.count)
        var tag = [UInt8](repeating: 0, count: 16)
        var length: Int32 = 0
        EVP_EncryptInit_ex(context, EVP_aes_128_gcm(), nil, key, nonce)
        EVP_EncryptUpdate(context, nil, &length, header, Int32(header.count))
        EVP_EncryptUpdate(context, &output, &length, data, Int32(data.count))
        EVP_EncryptFinal_ex(context, nil, &length)
        EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, 16, &tag)
        return output + tag
    }
}

// MARK: - RFC 7714

extension ReferenceSRTP {
    static func xor(_ left: [UInt8], _ right: [UInt8]) -> [UInt8] { zip(left, right).map { $0 ^ $1 } }

    /// § 8.1 and § 8.2; the header is the fixed 12 bytes.
    static func sealRTP(_ packet: [UInt8], rolledOver: UInt32, key: [UInt8], salt: [UInt8]) -> [UInt8] {
        var position: [UInt8] = [0, 0] + packet[8..<12]
        position.append(u32: rolledOver)
        position += packet[2..<4]
        let header = Array(packet[..<12])
        let sealed = galoisCounterMode(
            key: key, nonce: xor(position, salt), header: header, data: Array(packet[12...]))
        return header + sealed
    }

    /// § 9.1 and § 9.2, encrypted.
    static func sealRTCP(_ packet: [UInt8], index: UInt32, key: [UInt8], salt: [UInt8]) -> [UInt8] {
        var position: [UInt8] = [0, 0] + packet[4..<8] + [0, 0]
        position.append(u32: index)
        var word: [UInt8] = []
        word.append(u32: index | 0x8000_0000)
        let header = Array(packet[..<8])
        let sealed = galoisCounterMode(
            key: key, nonce: xor(position, salt), header: header + word, data: Array(packet[8...]))
        return header + sealed + word
    }

    func sealRTP(_ packet: [UInt8], rolledOver: UInt32) -> [UInt8] {
        Self.sealRTP(packet, rolledOver: rolledOver, key: derive(.rtpKey, count: 16), salt: derive(.rtpSalt, count: 12))
    }

    func sealRTCP(_ packet: [UInt8], index: UInt32) -> [UInt8] {
        Self.sealRTCP(packet, index: index, key: derive(.rtcpKey, count: 16), salt: derive(.rtcpSalt, count: 12))
    }
}

// MARK: - RFC 3711

extension ReferenceSRTP {
    /// § 4.1.1: IV = (salt * 2^16) XOR (SSRC * 2^64) XOR (index * 2^16).
    private static func counterBlock(salt: [UInt8], ssrc: ArraySlice<UInt8>, index: UInt64) -> [UInt8] {
        var position: [UInt8] = [0, 0, 0, 0] + ssrc
        position.append(u64: index << 16)
        return xor(salt + [0, 0], position)
    }

    private static func tag(_ message: [UInt8], key: [UInt8]) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: 20)
        HMAC(EVP_sha1(), key, Int32(key.count), message, message.count, &digest, nil)
        return Array(digest[..<10])
    }

    func protectRTP(_ packet: [UInt8], rolledOver: UInt32) -> [UInt8] {
        let index = UInt64(rolledOver) << 16 | UInt64(packet[2]) << 8 | UInt64(packet[3])
        let block = Self.counterBlock(salt: derive(.rtpSalt, count: 14), ssrc: packet[8..<12], index: index)
        let payload = Self.counterMode(key: derive(.rtpKey, count: 16), block: block, data: Array(packet[12...]))
        let encrypted = packet[..<12] + payload
        var authenticated = Array(encrypted)
        authenticated.append(u32: rolledOver)
        return encrypted + Self.tag(authenticated, key: derive(.rtpAuthentication, count: 20))
    }

    func protectRTCP(_ packet: [UInt8], index: UInt32) -> [UInt8] {
        let salt = derive(.rtcpSalt, count: 14)
        let block = Self.counterBlock(salt: salt, ssrc: packet[4..<8], index: UInt64(index))
        let payload = Self.counterMode(key: derive(.rtcpKey, count: 16), block: block, data: Array(packet[8...]))
        var authenticated = packet[..<8] + payload
        authenticated.append(contentsOf: withUnsafeBytes(of: (index | 0x8000_0000).bigEndian) { Array($0) })
        return authenticated + Self.tag(Array(authenticated), key: derive(.rtcpAuthentication, count: 20))
    }
}
