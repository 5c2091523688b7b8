import { after, anyOf, retryAfterOf } from "./whep.js";

const PAUSES = [1_000, 2_000, 5_000]; // ms between questions where the server doesn't push; the last one stays
const PAUSE_SPREAD = 0.25; // part of a pause; keeps a room full of viewers from asking in the same instant
const HIDDEN_PAUSE = 10_000; // ms between questions of a page nobody looks at
const SILENCE_LIMIT = 15_000; // ms; a push stream without a sign of life is opened anew; one comes every 5 s
const ANSWER_LIMIT = 5_000; // ms; for a state that is asked for, for a stream to open, and for its first event
const FIRST_EVENT_LIMIT = 1_000; // ms; the state is asked for if the stream hasn't told it by then
const ASKED_PAUSE = 2_000; // ms; between two questions that the page itself has a reason for
const LONGEST_EVENT = 65_536; // characters
const STATES = new Set(["live", "paused", "waiting"]);
const AUDIO = new Set(["on", "muted"]);
const SOUNDS = new Set(["system", "microphone"]);

/**
 * Follows the state of the room: server-sent events, or questions where those don't work.
 *
 * A hidden page asks now and then instead: browsers allow six connections to a server for all tabs together, and a
 * push stream would hold one of them.
 */
export class RoomFeed {
    #link;
    #tell;
    #stop = new AbortController();
    #turn = new AbortController();
    #isStreaming = false;
    #knownUntil = 0;
    #isReopened = true;
    #unpushed = 0;
    #askedAt = -Infinity; // by `askNow`
    #session = null;
    #isOurs = false; // the stream is opened anew for no fault of the network

    /** @param tell called with ({state, name, viewers, audio, muted, isNarrow}, isReopened) */
    constructor(link, tell) {
        this.#link = link;
        this.#tell = tell;
        document.addEventListener("visibilitychange", () => this.#turn.abort());
    }

    start() {
        this.#stop.abort();
        this.#turn.abort();
        this.#stop = new AbortController();
        this.#follow(this.#stop.signal);
    }

    stop() {
        this.#stop.abort();
        this.#turn.abort();
    }

    /** From now on what is said to this WHEP session is heard as well. */
    listenAs(session) {
        if (session === this.#session) return;
        this.#session = session;
        this.#isOurs = true;
        this.#turn.abort();
    }

    get #query() {
        return this.#session === null ? "" : `?session=${encodeURIComponent(this.#session)}`;
    }

    /** Whether the last state told still holds, as far as anyone knows. */
    get isFresh() {
        return this.#isStreaming || performance.now() < this.#knownUntil;
    }

    /** Whether every change is told at once. */
    get isPushed() {
        return this.#isStreaming;
    }

    /** Where nothing is pushed: what happened may have a reason that the room knows. */
    askNow() {
        const now = performance.now();
        if (this.isPushed || now - this.#askedAt < ASKED_PAUSE) return;
        this.#askedAt = now;
        this.#turn.abort();
    }

    async #follow(stopped) {
        while (!stopped.aborted) {
            this.#turn = new AbortController();
            const turn = this.#turn.signal;
            if (!document.hidden) await this.#stream(turn).catch(() => {});
            this.#isStreaming = false;
            if (turn.aborted) continue;
            const wanted = await this.#ask(turn).catch(() => 0);
            await sleep(Math.max(wanted, this.#pause()), turn);
        }
    }

    #pause() {
        const step = PAUSES[Math.min(this.#unpushed, PAUSES.length - 1)];
        this.#unpushed += 1;
        return (document.hidden ? HIDDEN_PAUSE : step) * (1 + Math.random() * PAUSE_SPREAD);
    }

    /** Asks once; returns the milliseconds of a Retry-After. */
    async #ask(signal) {
        const { headers } = this.#link;
        const limited = anyOf(signal, after(ANSWER_LIMIT));
        let knownUntil = 0;
        try {
            const response = await fetch(this.#link.api(this.#query), { headers, cache: "no-store", signal: limited });
            if (response.ok) {
                this.#take(await response.json());
                knownUntil = performance.now() + 2 * HIDDEN_PAUSE;
            }
            this.#isReopened = !response.ok;
            return retryAfterOf(response);
        } finally {
            this.#knownUntil = knownUntil;
        }
    }

    async #stream(signal) {
        const asking = new AbortController();
        const firstEvent = setTimeout(() => this.#ask(anyOf(signal, asking.signal)).catch(() => {}), FIRST_EVENT_LIMIT);
        // What was asked for meanwhile may be older than what the stream says.
        const told = () => {
            clearTimeout(firstEvent);
            asking.abort();
        };
        try {
            const response = await this.#open(signal);
            if (!response.ok || response.body === null) return;
            this.#isReopened = !this.#isOurs;
            this.#isOurs = false;
            const parser = new EventParser((event, data) => {
                told();
                this.#isStreaming = true;
                this.#unpushed = 0;
                if (event === "state") this.#take(JSON.parse(data));
                this.#isReopened = false;
            });
            await this.#read(response.body.getReader(), parser);
        } finally {
            told();
        }
    }

    /** The limit is for the stream to begin; then it stays open. */
    async #open(signal) {
        const opening = new AbortController();
        const limit = setTimeout(() => opening.abort(), ANSWER_LIMIT);
        const headers = { ...this.#link.headers, Accept: "text/event-stream" };
        const options = { headers, cache: "no-store", signal: anyOf(signal, opening.signal) };
        return fetch(this.#link.api(`/events${this.#query}`), options).finally(() => clearTimeout(limit));
    }

    /** What scans answers on the way may let the head through and hold the rest: then the state is asked for. */
    async #read(reader, parser) {
        const decoder = new TextDecoder();
        for (;;) {
            const silence = this.#isStreaming
                ? setTimeout(() => this.#turn.abort(), SILENCE_LIMIT)
                : setTimeout(() => reader.cancel(), ANSWER_LIMIT);
            const { done, value } = await reader.read().finally(() => clearTimeout(silence));
            if (done) return;
            parser.feed(decoder.decode(value, { stream: true }));
        }
    }

    #take(room) {
        if (typeof room?.state !== "string") return;
        // The server may have been updated since this page was loaded: pictures are not to be counted on then.
        const state = STATES.has(room.state) ? room.state : "paused";
        const viewers = Number.isSafeInteger(room.viewers) && room.viewers >= 0 ? room.viewers : null;
        const audio = AUDIO.has(room.audio) ? room.audio : null;
        const muted = Array.isArray(room.muted) ? room.muted.filter((kind) => SOUNDS.has(kind)) : [];
        const name = typeof room.name === "string" && room.name !== "" ? room.name : null;
        const isNarrow = room.path === "narrow";
        this.#tell({ state, name, viewers, audio, muted, isNarrow }, this.#isReopened);
    }
}

/** Cuts a text/event-stream into events (HTML § 9.2.6): `event` and `data` fields, everything else is skipped. */
class EventParser {
    #emit;
    #rest = "";
    #event = "message";
    #data = [];

    constructor(emit) {
        this.#emit = emit;
    }

    feed(text) {
        const lines = (this.#rest + text).split(/\r\n|\n|\r(?!$)/);
        this.#rest = lines.pop();
        if (this.#rest.length > LONGEST_EVENT) throw new RangeError("event too long");
        for (const line of lines) this.#line(line);
    }

    #line(line) {
        if (line === "") return this.#dispatch();
        const colon = line.indexOf(":");
        const name = colon < 0 ? line : line.slice(0, colon);
        const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
        if (name === "event") this.#event = value;
        if (name === "data" && this.#data.length < LONGEST_EVENT) this.#data.push(value);
        return undefined;
    }

    #dispatch() {
        const data = this.#data;
        const event = this.#event;
        this.#data = [];
        this.#event = "message";
        if (data.length > 0) this.#emit(event, data.join("\n"));
    }
}

function sleep(milliseconds, signal) {
    return new Promise((resolve) => {
        if (signal.aborted) return resolve();
        const timer = setTimeout(resolve, milliseconds);
        signal.addEventListener("abort", () => {
            clearTimeout(timer);
            resolve();
        }, { once: true });
        return undefined;
    });
}
