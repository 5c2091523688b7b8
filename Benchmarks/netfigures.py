"""Figures of one run over a bad link, from what was tapped, decoded and asked of the link. Times: seconds since 1970."""

import bisect

from link import capacities, capacity_between
from measure import percentile
from shown import REPEAT_BYTES, freezes
from tap import TCP, UDP

RELIEF, RELIEF_FOR = 0.05, 0.5
USED, USED_OVER = 0.9, 1.0
FRESH_MS = 250


def inside(records, begin, end):
    return [record for record in records if begin <= record.at < end]


def waits(causes, effects, most=0.3):
    """Milliseconds from each cause to the first effect behind it; those without one are left out."""
    found = []
    for at in causes:
        index = bisect.bisect_left(effects, at)
        if index < len(effects) and effects[index] - at < most:
            found.append((effects[index] - at) * 1000)
    return found


def rounded(value, digits=1):
    return None if value is None else round(value, digits)


class Numbers:
    """Sequence numbers that don't wrap, by stream. Both ends of a link count from the same first one."""

    def __init__(self, first=()):
        self.last = dict(first)

    def unwrap(self, packet):
        stream, number = (packet.ssrc, packet.payload_type), packet.sequence_number
        last = self.last.get(stream, number)
        whole = last + (number - last + 0x8000) % 0x10000 - 0x8000
        self.last[stream] = max(last, whole)
        return packet._replace(sequence_number=whole)


class Media:
    """The packets of a share's video: sent first, sent again or in addition, arrived."""

    def __init__(self, tap):
        sent = [packet for packet in tap.sent["a"] if packet.kind == "rtp"]
        begins, sizes = {}, {}
        for packet in sent:
            stream = packet.ssrc, packet.payload_type
            begins.setdefault(stream, packet.sequence_number)
            sizes[stream] = sizes.get(stream, 0) + packet.length
        self.stream = max(sizes, key=sizes.get) if sizes else None
        self.first, self.extra, known = [], [], set()
        for packet in map(Numbers(begins).unwrap, sent):
            is_new = packet.name[:2] == self.stream and packet.name not in known
            (self.first if is_new else self.extra).append(packet)
            known.add(packet.name)
        arrived = [packet for packet in tap.arrived["b"] if packet.kind == "rtp"]
        self.arrived = list(map(Numbers(begins).unwrap, arrived))
        self.feedback = [packet for packet in tap.sent["b"] if packet.kind == "rtcp"]

    def delays(self):
        """(sent at, seconds under way) of packets that arrived; of a number sent twice, the first arrival."""
        arrivals = {}
        for packet in self.arrived:
            arrivals.setdefault(packet.name, packet.at)
        for packet in sorted(self.first + self.extra):
            if at := arrivals.pop(packet.name, None):
                yield packet.at, at - packet.at

    def gaps(self):
        """When the viewer could see that something is missing."""
        highest = None
        for packet in self.arrived:
            if packet.name[:2] == self.stream:
                if highest is not None and packet.sequence_number > highest + 1:
                    yield packet.at
                highest = max(highest or 0, packet.sequence_number)

    def frames(self, begin, end):
        """Pictures sent: RTP timestamps."""
        return len({packet.timestamp for packet in inside(self.first, begin, end)})


class Run:
    """All that one run left behind."""

    def __init__(self, text, began, seconds, settle, link, pictures, host_lines):
        self.text, self.began, self.ended, self.settle = text, began, began + seconds, settle
        self.begin = began + settle
        self.steps = capacities(text, seconds)
        self.samples, self.tap = link.samples, link.tap
        self.media = Media(link.tap)
        self.pictures = pictures
        self.fresh = [picture for picture in pictures if picture.fresh]
        self.lines = host_lines
        self.host = [line for line in host_lines if self.begin <= line["at"] <= self.ended]

    def figures(self):
        found = {"seconds": round(self.ended - self.begin, 1)}
        found |= self.seen() | self.cost() | self.queue() | self.keyframes()
        return found

    # MARK: At the viewer

    def seen(self):
        window = inside(self.fresh, self.begin, self.ended)
        ages = [picture.latency for picture in window if picture.drawn is not None]
        seconds = self.ended - self.begin
        count, share, longest = freezes([picture.at for picture in self.fresh], self.begin, self.ended)
        own = [picture.at - picture.arrived for picture in window]
        return {
            "p50": rounded(percentile(ages, 0.5)) if ages else None,
            "p95": rounded(percentile(ages, 0.95)) if ages else None,
            "max": rounded(max(ages)) if ages else None,
            "fps": round(len(window) / seconds, 2),
            "freezes": count,
            "frozen": round(share, 4),
            "longestGapMs": round(longest * 1000),
            "unreadable": sum(picture.drawn is None for picture in window),
            "decodeMs": rounded(percentile(own, 0.5) * 1000) if own else None,
        } | self.shown(ages)

    def shown(self, ages):
        """Pictures that came through ÷ sent, a median latency earlier; without signs of life, where nothing changed."""
        end, late = self.ended - 1, percentile(ages, 0.5) / 1000 if ages else 0
        window = inside(self.pictures, self.begin + late, end + late)
        passed = sum(picture.fresh or picture.size > REPEAT_BYTES for picture in window)
        sent = self.media.frames(self.begin, end) - self.difference("keepalives")
        return {"framesSent": sent, "shown": round(min(1.0, passed / sent), 4) if sent > 0 else None}

    # MARK: On the link

    def cost(self):
        first, extra = (inside(packets, self.begin, self.ended) for packets in (self.media.first, self.media.extra))
        media, more = (sum(packet.length for packet in packets) for packets in (first, extra))
        seconds = self.ended - self.begin
        feedback = len(inside(self.media.feedback, self.begin, self.ended))
        return {
            "kbits": round(media * 8 / seconds / 1000),
            "extra": round(more / media, 4) if media else None,
            "feedbackMs": round(seconds / feedback * 1000, 1) if feedback else None,
            "lossOnTheWay": self.loss(first),
        } | self.repair()

    def repair(self):
        """From a gap in what arrived to the viewer's next RTCP packet."""
        gaps = [at for at in self.media.gaps() if self.begin <= at < self.ended]
        asked = waits(gaps, [packet.at for packet in self.media.feedback])
        return {
            "askedAfterMs": rounded(percentile(asked, 0.5)) if asked else None,
            "askedAfterP95": rounded(percentile(asked, 0.95)) if asked else None,
        }

    def loss(self, sent):
        arrived = {packet.name for packet in self.media.arrived}
        return round(sum(packet.name not in arrived for packet in sent) / len(sent), 4) if sent else None

    def bytes_arrived(self, begin, end, protocol=None):
        packets = inside(self.tap.arrived["b"], begin, end)
        return sum(packet.length for packet in packets if protocol in (None, packet.protocol))

    def queue(self):
        window = [sample.queue * 1000 for sample in inside(self.samples, self.begin, self.ended)]
        capacity = capacity_between(self.steps, self.begin - self.began, self.ended - self.began)
        arrived = self.bytes_arrived(self.begin, self.ended)
        ways = [seconds * 1000 for at, seconds in self.media.delays() if self.begin <= at < self.ended]
        media, tcp = (self.bytes_arrived(self.begin, self.ended, protocol) for protocol in (UDP, TCP))
        found = {
            "utilisation": round(arrived / capacity, 3) if capacity != float("inf") else None,
            "queueP50": rounded(percentile(window, 0.5)) if window else None,
            "queueP95": rounded(percentile(window, 0.95)) if window else None,
            "wayP50": rounded(percentile(ways, 0.5)) if ways else None,
            "wayP95": rounded(percentile(ways, 0.95)) if ways else None,
        }
        if tcp > 0.01 * media:
            found["shareAgainstTCP"] = round(media / (media + tcp), 3)
        return found

    # MARK: After a change

    def changes(self):
        """(time, old rate, new rate, end) of each step after the first moment."""
        steps = [step for step in self.steps if step.at < self.ended - self.began]
        for before, step, following in zip(steps, steps[1:], [*steps[2:], None]):
            if step.rate != before.rate:
                end = self.began + following.at if following else self.ended
                yield self.began + step.at, before.rate, step.rate, end

    def after_steps(self):
        """Of each step: how long the queue stays, how long until the new capacity is used."""
        found = []
        for at, old, new, end in self.changes():
            one = {"at": round(at - self.began, 1), "from": old / 1e6, "to": new / 1e6}
            if new < old:
                one["reliefMs"] = self.relief(at, end)
            else:
                one["usedAfterMs"] = self.used(at, end, new)
            found.append(one)
        return found

    def relief(self, at, end):
        """Milliseconds until the queue is below 50 ms and stays there for half a second; None where it never is."""
        samples, since = inside(self.samples, at, end), at
        for sample in samples:
            if sample.queue >= RELIEF:
                since = sample.at
            elif sample.at - since >= RELIEF_FOR:
                return round((since - at) * 1000)
        return None

    def used(self, at, end, rate):
        """Milliseconds until so much of the new capacity is used over a second; None where it never is."""
        packets = inside(self.tap.arrived["b"], at, end)
        total, first = 0, 0
        for packet in packets:
            total += packet.length
            while packet.at - packets[first].at > USED_OVER:
                total -= packets[first].length
                first += 1
            if packet.at - at >= USED_OVER and total * 8 >= USED * rate * USED_OVER:
                return round(max(0, packet.at - USED_OVER - at) * 1000)
        return None

    def queue_behind_steps(self, pause):
        """95 % of the queue's delay, without the first seconds after each step."""
        edges = [self.began + step.at for step in self.steps]
        window = [
            sample.queue * 1000 for sample in inside(self.samples, self.begin, self.ended)
            if not any(edge <= sample.at < edge + pause for edge in edges)
        ]
        return rounded(percentile(window, 0.95)) if window else None

    def after_blackouts(self, spans):
        """Of each blackout: milliseconds from its end to the first picture that is no older than 250 ms."""
        found = []
        for begin, end in spans:
            at = self.began + end
            first = next((p for p in self.fresh if p.at >= at and p.latency <= FRESH_MS), None)
            found.append({
                "seconds": end - begin,
                "freshAfterMs": first and round((first.at - at) * 1000),
                "ageMs": first and round(first.latency),
                "keyframe": first and first.keyframe,
            })
        return found

    # MARK: What the sharer says

    def difference(self, key):
        return self.host[-1].get(key, 0) - self.host[0].get(key, 0) if len(self.host) > 1 else 0

    def keyframes(self):
        asked = [sum(peer["keyframeRequests"] for peer in line["peers"]) for line in self.host]
        requests = asked[-1] - asked[0] if asked else 0
        keyframes = self.difference("keyframes")
        if not self.host:  # another sharer
            received = inside(self.pictures, self.begin, self.ended)
            return {"keyframes": sum(picture.keyframe for picture in received)}
        return {"keyframes": keyframes, "keyframesAsked": requests, "keyframesUnasked": max(0, keyframes - requests)}
