"""screensource's clock read from a GStreamer buffer: timecode.py's way, for a Python without numpy.

Only five lines of each row of blocks are copied out, so that reading costs the measurement nothing.
"""

COLUMNS, LINES = 20, 5


def crc8(value):
    crc = 0xFF
    for shift in (24, 16, 8, 0):
        crc ^= (value >> shift) & 0xFF
        for _ in range(8):
            crc = ((crc << 1) ^ 0x07) & 0xFF if crc & 0x80 else (crc << 1) & 0xFF
    return crc


def read_row(lines, stride, block):
    """The twenty bits of one row of blocks, from the middle of each block."""
    bits = 0
    for column in range(COLUMNS):
        first, last = int((column + 0.3) * block), int((column + 0.7) * block) + 1
        total = sum(sum(lines[y * stride + first : y * stride + last]) for y in range(LINES))
        bits = bits << 1 | (total >= 128 * LINES * (last - first))
    return bits


def read_timecode(buffer, offset, stride, width):
    """When the picture in this buffer was drawn: wall-clock milliseconds, truncated to 32 bits; None if unreadable."""
    block = 24 * width / 1920
    bits = 0
    for row in range(2):
        top = int((row + 0.5) * block) - LINES // 2
        bits = bits << COLUMNS | read_row(buffer.extract_dup(offset + top * stride, LINES * stride), stride, block)
    value, crc = bits >> 8, bits & 0xFF
    return value if crc8(value) == crc else None


def age(timecode, realtime_ms):
    """Milliseconds since a timecode; it is truncated, so half a one more on average."""
    difference = (realtime_ms - timecode - 0.5) % 2**32
    return difference - 2**32 if difference > 2**31 else difference
