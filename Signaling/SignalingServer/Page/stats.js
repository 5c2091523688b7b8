const LOSS_WINDOW = 10; // samples; a loss stays readable for ten seconds
const PROFILES = new Map([[66, "Baseline"], [77, "Main"], [100, "High"], [244, "High 4:4:4"]]); // H.264 Annex A
const CONSTRAINED = new Map([[66, 0x40], [100, 0x0c]]); // constraint flags that make the constrained variant

/** Turns the browser's ever-growing counters into figures of the last second. */
export class StatsSampler {
    #history = [];

    /** Takes an RTCStatsReport; returns frozen figures, or null before the first second is over. */
    take(report) {
        const video = [...report.values()].find((entry) => entry.type === "inbound-rtp" && entry.kind === "video");
        if (video === undefined) return null;
        const before = this.#history[this.#history.length - 1];
        const oldest = this.#history[0];
        this.#history = [...this.#history, video].slice(-LOSS_WINDOW);
        if (before === undefined) return null;
        return Object.freeze({
            ...pictureFigures(video, before),
            ...networkFigures(video, before, oldest),
            roundTripMs: roundTrip(report),
            codec: codecName(report.get(video.codecId)),
        });
    }
}

function pictureFigures(video, before) {
    const seconds = (video.timestamp - before.timestamp) / 1000;
    const emitted = growth(video, before, "jitterBufferEmittedCount");
    const buffered = growth(video, before, "jitterBufferDelay");
    return {
        width: video.frameWidth ?? 0,
        height: video.frameHeight ?? 0,
        framesPerSecond: seconds > 0 ? growth(video, before, "framesDecoded") / seconds : 0,
        framesDecoded: video.framesDecoded ?? 0,
        framesDropped: video.framesDropped ?? 0,
        freezeCount: video.freezeCount ?? 0,
        bufferMs: emitted > 0 ? (buffered / emitted) * 1000 : null,
    };
}

function networkFigures(video, before, oldest) {
    const seconds = (video.timestamp - before.timestamp) / 1000;
    const bytes = growth(video, before, "bytesReceived") + growth(video, before, "headerBytesReceived");
    const received = growth(video, oldest, "packetsReceived");
    const lost = Math.max(0, growth(video, oldest, "packetsLost"));
    return {
        bitsPerSecond: seconds > 0 ? (bytes * 8) / seconds : 0,
        packetsPerSecond: seconds > 0 ? growth(video, before, "packetsReceived") / seconds : 0,
        packetsReceived: video.packetsReceived ?? 0,
        packetsLost: video.packetsLost ?? 0,
        lossPercent: received + lost > 0 ? (lost / (received + lost)) * 100 : 0,
        jitterMs: video.jitter === undefined ? null : video.jitter * 1000,
    };
}

function growth(now, before, field) {
    return (now[field] ?? 0) - (before[field] ?? 0);
}

function roundTrip(report) {
    const entries = [...report.values()];
    const transport = entries.find((entry) => entry.type === "transport");
    const pair = report.get(transport?.selectedCandidatePairId)
        ?? entries.find((entry) => entry.type === "candidate-pair" && entry.nominated && entry.state === "succeeded");
    return pair?.currentRoundTripTime === undefined ? null : pair.currentRoundTripTime * 1000;
}

/** "H.264 Constrained Baseline 3.1" from profile-level-id (RFC 6184 § 8.1). */
function codecName(codec) {
    if (codec === undefined) return null;
    const name = codec.mimeType.replace(/^video\//i, "").replace(/^H264$/i, "H.264");
    const id = /profile-level-id=([0-9a-f]{6})/i.exec(codec.sdpFmtpLine ?? "");
    return id === null ? name : `${name} ${profileName(parseInt(id[1], 16))}`;
}

function profileName(id) {
    const profile = id >> 16;
    const flags = (id >> 8) & 0xff;
    const level = ((id & 0xff) / 10).toFixed(1);
    const constraint = CONSTRAINED.get(profile) ?? 0;
    const prefix = constraint !== 0 && (flags & constraint) === constraint ? "Constrained " : "";
    return `${prefix}${PROFILES.get(profile) ?? `profile ${profile}`} ${level}`;
}

const NONE = "–";
const ROWS = Object.freeze({
    resolution: (stats) => (stats.width > 0 ? `${stats.width} × ${stats.height}` : NONE),
    rate: (stats) => `${stats.framesPerSecond.toFixed(stats.framesPerSecond < 10 ? 1 : 0)} fps`,
    bits: (stats) => bitRate(stats.bitsPerSecond),
    roundtrip: (stats) => milliseconds(stats.roundTripMs),
    jitter: (stats) => milliseconds(stats.jitterMs),
    buffer: (stats) => milliseconds(stats.bufferMs),
    loss: (stats) => `${stats.lossPercent.toFixed(1)} % (${stats.packetsLost})`,
    dropped: (stats) => String(stats.framesDropped),
    freezes: (stats) => String(stats.freezeCount),
    join: (stats) => milliseconds(stats.joinMs),
    codec: (stats) => stats.codec ?? NONE,
});

function bitRate(bits) {
    return bits >= 1e6 ? `${(bits / 1e6).toFixed(2)} Mbit/s` : `${Math.round(bits / 1000)} kbit/s`;
}

function milliseconds(value) {
    return value === null ? NONE : `${value.toFixed(value < 10 ? 1 : 0)} ms`;
}

/** The panel: one row for each figure, marked in the page by `data-stat`. */
export class StatsPanel {
    #panel;
    #latest = null;

    constructor(panel) {
        this.#panel = panel;
    }

    get isOpen() {
        return !this.#panel.hidden;
    }

    set isOpen(open) {
        this.#panel.hidden = !open;
        this.show(this.#latest);
    }

    /** Shows the figures, or dashes for null. */
    show(stats) {
        this.#latest = stats;
        if (!this.isOpen) return;
        for (const cell of this.#panel.querySelectorAll("[data-stat]")) {
            cell.textContent = stats === null ? NONE : ROWS[cell.dataset.stat](stats);
        }
    }
}
