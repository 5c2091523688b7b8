"""RTCP packets as bytes, well made and not (RFC 3550, RFC 4585, RFC 5104, transport-wide feedback, REMB)."""

import struct

SENDER_REPORT, RECEIVER_REPORT, SOURCES, BYE, TRANSPORT, PAYLOAD = 200, 201, 202, 203, 205, 206


def packet(kind, count, body):
    body += b"\0" * (-len(body) % 4)
    return struct.pack("!BBH", 0x80 | count, kind, len(body) // 4) + body


def packets(plain):
    """(type, count, body) of each packet of a compound one, as far as their lengths make sense."""
    at = 0
    while at + 4 <= len(plain):
        first, kind, words = struct.unpack_from("!BBH", plain, at)
        yield kind, first & 31, plain[at + 4 : at + 4 + words * 4]
        at += 4 + words * 4


def receiver_report(sender, media, lost, highest, last, elapsed):
    block = struct.pack("!LBBHLLLL", media, lost, 0, 0, highest, 0, last, elapsed & 0xFFFFFFFF)
    return packet(RECEIVER_REPORT, 1, struct.pack("!L", sender) + block)


def picture_loss(sender, media):
    return packet(PAYLOAD, 1, struct.pack("!LL", sender, media))


def intra_request(sender, media, number):
    return packet(PAYLOAD, 4, struct.pack("!LLLB3x", sender, 0, media, number & 255))


def bitrate_estimate(sender, media, bits_per_second):
    exponent = max(0, bits_per_second.bit_length() - 18)
    mantissa = bits_per_second >> exponent
    packed = struct.pack("!BBH", 1, exponent << 2 | mantissa >> 16, mantissa & 0xFFFF)
    return packet(PAYLOAD, 15, struct.pack("!LL", sender, 0) + b"REMB" + packed + struct.pack("!L", media))


def nack(sender, media, entries):
    """Entries are (number, bits of the sixteen behind it)."""
    body = b"".join(struct.pack("!HH", number & 0xFFFF, bits) for number, bits in entries)
    return packet(TRANSPORT, 1, struct.pack("!LL", sender, media) + body)


def bye(sender):
    return packet(BYE, 1, struct.pack("!L", sender))


def transport_feedback(sender, media, count, base, reference, arrivals):
    """`arrivals`: for each number from `base` on, ticks of 250 µs since the one before, or None where it was lost."""
    chunks = b""
    for at in range(0, len(arrivals), 7):
        symbols = [0 if ticks is None else 1 if 0 <= ticks < 256 else 2 for ticks in arrivals[at : at + 7]]
        bits = 0
        for symbol in symbols + [0] * (7 - len(symbols)):
            bits = bits << 2 | symbol
        chunks += struct.pack("!H", 0xC000 | bits)
    deltas = b"".join(
        struct.pack("!B", ticks) if 0 <= ticks < 256 else struct.pack("!h", max(-32768, min(32767, ticks)))
        for ticks in arrivals
        if ticks is not None
    )
    head = struct.pack("!LLHHL", sender, media, base & 0xFFFF, len(arrivals), (reference & 0xFFFFFF) << 8 | count & 255)
    return packet(TRANSPORT, 15, head + chunks + deltas)


def all_lost(sender, media, count, base, statuses):
    """Says that `statuses` packets from `base` on never came, in runs."""
    head = struct.pack("!LLHHL", sender, media, base & 0xFFFF, statuses, count & 255)
    chunks = b""
    while statuses > 0:
        chunks += struct.pack("!H", min(statuses, 8191))
        statuses -= 8191
    return packet(TRANSPORT, 15, head + chunks)


def truthful(sender, media, count, arrivals):
    """Of (number, seconds) pairs in the order of their coming."""
    base = arrivals[0][0]
    by_offset = {(number - base) & 0xFFFF: at for number, at in arrivals if (number - base) & 0xFFFF < 2000}
    reference = int(arrivals[0][1] / 0.064)
    ticks, last = [], reference * 256
    for offset in range(max(by_offset) + 1):
        at = by_offset.get(offset)
        if at is None:
            ticks.append(None)
            continue
        now = round(at * 4000)
        ticks.append(now - last)
        last = now
    return transport_feedback(sender, media, count, base, reference, ticks)


def payload(plain, wanted):
    """Where an RTP packet's payload begins, and the 16 bits of the header extension `wanted` (RFC 8285)."""
    start, value = 12 + 4 * (plain[0] & 15), None
    if plain[0] & 16:
        words = struct.unpack_from("!H", plain, start + 2)[0]
        at, end = start + 4, start + 4 + 4 * words
        while at < end:
            if plain[at] == 0:
                at += 1
                continue
            kind, length = plain[at] >> 4, (plain[at] & 15) + 1
            if kind == wanted and length == 2:
                value = struct.unpack_from("!H", plain, at + 1)[0]
            at += 1 + length
        start = end
    return start, value


def begins_keyframe(payload):
    """Whether an H.264 payload (RFC 6184) holds the first slice of an IDR picture, or its beginning."""
    if not payload:
        return False
    kind = payload[0] & 31
    if kind == 28:
        return len(payload) > 1 and payload[1] & 0x80 != 0 and payload[1] & 31 == 5
    return kind == 5 or (kind == 24 and 5 in aggregated(payload))


def aggregated(payload):
    at, kinds = 1, []
    while at + 3 <= len(payload):
        kinds.append(payload[at + 2] & 31)
        at += 2 + struct.unpack_from("!H", payload, at)[0]
    return kinds
