const RTX = "video/rtx";
const H264 = "video/h264";

/** What this browser lacks for the picture: "webrtc", "h264", or null when nothing. */
export function missingSupport() {
    if (!("RTCPeerConnection" in window) || !("addTransceiver" in RTCPeerConnection.prototype)) return "webrtc";
    const capabilities = window.RTCRtpReceiver?.getCapabilities?.("video");
    return capabilities && !capabilities.codecs.some(isH264) ? "h264" : null;
}

/** H.264 only, packetization-mode 1 before mode 0 (RFC 6184 § 8.1), and retransmission. */
function preferredVideo(codecs) {
    const h264 = codecs.filter(isH264);
    const isMode1 = (codec) => /packetization-mode=1/.test(codec.sdpFmtpLine ?? "");
    const rtx = codecs.filter((codec) => codec.mimeType.toLowerCase() === RTX);
    return [...h264.filter(isMode1), ...h264.filter((codec) => !isMode1(codec)), ...rtx];
}

function isH264(codec) {
    return codec.mimeType.toLowerCase() === H264;
}

/** Opus, with copies of lost packets (RED, RFC 2198) where the browser takes them. */
function preferredAudio(codecs) {
    const named = (name) => codecs.filter((codec) => codec.mimeType.toLowerCase() === name);
    return [...named("audio/opus"), ...named("audio/red")];
}

// What is asked for.
const MEDIA = Object.freeze([
    { kind: "video", prefer: preferredVideo },
    { kind: "audio", prefer: preferredAudio },
]);

// Browsers decode Opus to one channel unless they said that they prefer two, and are sent silence unless they said that
// they need none (RFC 7587 § 7).
const OPUS_WISHES = Object.freeze(["stereo=1", "usedtx=1"]);

/** An offer with what of our wishes the browser says nothing of: Firefox asks for two channels by itself. */
function withOpusOptions(sdp) {
    const opus = /^a=rtpmap:(\d+) opus\/48000\/2\r?$/im.exec(sdp);
    if (opus === null) return sdp;
    const nameOf = (parameter) => parameter.split("=", 1)[0].trim().toLowerCase();
    return sdp.replace(new RegExp(`^(a=fmtp:${opus[1]} )(.*)$`, "im"), (_, begin, said) => {
        const named = new Set(said.split(";").map(nameOf));
        return begin + [...OPUS_WISHES.filter((wish) => !named.has(nameOf(wish))), said].join(";");
    });
}

/**
 * An offer in which we are the DTLS client: pictures leave right behind the handshake's last flight then, for which the sharer
 * would have to wait as the client, a round trip longer. A browser takes either role, but says so in an offer of its own only.
 */
function asClient(sdp) {
    return sdp.replace(/^a=setup:actpass(?=\r?$)/gm, "a=setup:active");
}

/**
 * The browser's end of the media connection.
 *
 * Tells `on.track(stream)`, `on.candidates()` when some were gathered, and `on.state(state)` with one of
 * "connected", "disconnected" (may come back by itself) and "failed" (won't).
 */
export class Peer {
    #pc = new RTCPeerConnection({ bundlePolicy: "max-bundle" });
    #offer = "";
    #candidates = [];
    #isGathered = false;
    #stream = new MediaStream();

    constructor(on) {
        this.#pc.addEventListener("icecandidate", (event) => this.#gathered(event.candidate, on));
        this.#pc.addEventListener("connectionstatechange", () => this.#stateChanged(on));
        this.#pc.addEventListener("track", (event) => this.#added(event, on));
    }

    /** Servers to gather candidates from; what the browser finds wrong with them leaves it without. */
    use(iceServers) {
        if (iceServers.length === 0) return;
        try {
            this.#pc.setConfiguration({ ...this.#pc.getConfiguration(), iceServers });
        } catch (error) {
            console.warn("ICE servers:", error.name);
        }
    }

    /** Makes the offer to send. Nothing is gathered yet: the answer tells of servers to gather from. */
    async offer() {
        for (const media of MEDIA) this.#receive(media);
        return asClient(await this.#makeOffer());
    }

    /** Takes the answer, and gathers, for `takeCandidates`; tells whether it sends us pictures at all. */
    async accept(answer) {
        await this.#holdOffer();
        await this.#answered(answer);
        const [video] = this.#pc.getTransceivers();
        return video?.currentDirection === "recvonly";
    }

    /** New ICE credentials on our side, and what is gathered at this moment; nothing else of the session changes. */
    async restart() {
        this.#pc.restartIce();
        await this.#makeOffer();
        await this.#holdOffer();
        return this.#describe();
    }

    /** Takes the answer to `restart`. */
    async acceptRestart(answer) {
        await this.#answered(answer);
    }

    async #makeOffer() {
        const { sdp } = await this.#pc.createOffer();
        this.#offer = withOpusOptions(sdp);
        return this.#offer;
    }

    async #holdOffer() {
        await this.#pc.setLocalDescription({ type: "offer", sdp: this.#offer });
    }

    async #answered(answer) {
        await this.#pc.setRemoteDescription({ type: "answer", sdp: answer });
    }

    /** Goes back to the ICE session before `restart`, which may still come back to life. */
    async abandonRestart() {
        if (this.#pc.signalingState !== "have-local-offer") return;
        await this.#pc.setLocalDescription({ type: "rollback" });
    }

    get description() {
        return this.#pc.localDescription?.sdp ?? "";
    }

    get remoteDescription() {
        return this.#pc.remoteDescription?.sdp ?? "";
    }

    get isConnected() {
        return this.#pc.connectionState === "connected";
    }

    /** The candidates nobody took yet, and whether they are the last. */
    takeCandidates() {
        const taken = { candidates: this.#candidates, isComplete: this.#isGathered };
        this.#candidates = [];
        return taken;
    }

    stats() {
        return this.#pc.getStats();
    }

    close() {
        this.#pc.close();
    }

    #receive({ kind, prefer }) {
        const transceiver = this.#pc.addTransceiver(kind, { direction: "recvonly" });
        const capabilities = window.RTCRtpReceiver?.getCapabilities?.(kind);
        if (capabilities) transceiver.setCodecPreferences?.(prefer(capabilities.codecs));
        showAtOnce(transceiver.receiver);
    }

    /** The description carries every candidate known by now, so none of them is sent twice. */
    #describe() {
        this.#candidates = [];
        return this.description;
    }

    #gathered(candidate, on) {
        this.#isGathered = candidate === null || candidate.candidate === "";
        if (!this.#isGathered) this.#candidates.push(candidate.candidate);
        on.candidates();
    }

    #stateChanged(on) {
        const state = this.#pc.connectionState;
        if (state === "connected" || state === "disconnected") on.state(state);
        if (state === "failed" || state === "closed") on.state("failed");
    }

    #added(event, on) {
        showAtOnce(event.receiver);
        const transport = event.receiver.transport;
        transport?.addEventListener("statechange", () => {
            if (transport.state === "closed" || transport.state === "failed") on.state("failed");
        });
        this.#stream.addTrack(event.track);
        on.track(this.#stream);
    }
}

/** No waiting in the jitter buffer: on a shared screen, late is worse than uneven. */
function showAtOnce(receiver) {
    if ("jitterBufferTarget" in receiver) receiver.jitterBufferTarget = 0;
    if ("playoutDelayHint" in receiver) receiver.playoutDelayHint = 0;
}
