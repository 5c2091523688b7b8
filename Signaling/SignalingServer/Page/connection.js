import { Peer } from "./peer.js";
import { StatsSampler } from "./stats.js";
import { answerAfterRestart, candidatesIn, fragmentOf, iceServersOf, WhepError, WhepSession } from "./whep.js";

const GATHERING_PAUSE = 30; // ms; candidates come in bursts, and a burst is one PATCH

/**
 * One attempt to watch: a WHEP session and the media connection it carries.
 *
 * `on.track(stream)`, `on.up()`, `on.interrupted()` (may come back) and `on.down()` (won't).
 */
export class Connection {
    #on;
    #peer;
    #endpoint = null;
    #headers = null;
    #session = null;
    #answer = null;
    #abort = new AbortController();
    #sampler = new StatsSampler();
    #trickleTimer = null;
    #isTrickling = false;
    #isRestarting = false;
    #askedAt = 0;

    constructor(on) {
        this.#on = on;
        this.#peer = new Peer({
            track: (stream) => this.#tell("track", stream),
            candidates: () => this.#trickleSoon(),
            state: (state) => this.#stateChanged(state),
        });
    }

    /** Asks for a session; throws a WhepError. */
    async request(endpoint, headers) {
        this.#endpoint = endpoint;
        this.#headers = headers;
        const offer = await this.#peer.offer();
        this.#askedAt = performance.now();
        const { session, answer, iceServers } = await WhepSession.create(endpoint, offer, headers, this.#abort.signal);
        this.#session = session;
        this.#answer = answer;
        if (this.isClosed) session.leave();
        else this.#peer.use(iceServers);
    }

    /** Takes the answer that `request` got; throws a WhepError if it has no picture for us. */
    async accept() {
        const isPicture = await this.#peer.accept(this.#answer).catch(() => false);
        if (this.isClosed) return;
        if (!isPicture) throw new WhepError("unservable", 201);
        this.#trickleSoon();
    }

    /** Restarts ICE within the session; throws a WhepError when the session is gone or the server is. */
    async restart() {
        this.#isRestarting = true;
        try {
            // Passwords for relays lapse after some hours, and a page may watch for longer.
            this.#peer.use(await iceServersOf(this.#endpoint, this.#headers, this.#abort.signal));
            const offer = await this.#peer.restart();
            const fragment = fragmentOf(offer, candidatesIn(offer), false);
            const answer = answerAfterRestart(this.#peer.remoteDescription, await this.#session.restart(fragment));
            await this.#peer.acceptRestart(answer);
        } catch (error) {
            await this.#peer.abandonRestart().catch(() => {});
            throw error;
        } finally {
            this.#isRestarting = false;
        }
        this.#trickleSoon();
    }

    get isUp() {
        return !this.isClosed && this.#peer.isConnected;
    }

    /** The WHEP session's name; null before the answer. */
    get session() {
        return this.#session?.id ?? null;
    }

    get isClosed() {
        return this.#abort.signal.aborted;
    }

    /** Milliseconds since the offer was sent. */
    get age() {
        return performance.now() - this.#askedAt;
    }

    /** The figures of the last second, or null. */
    async sample() {
        if (this.isClosed) return null;
        return this.#sampler.take(await this.#peer.stats());
    }

    /** Leaves the session and frees everything; nothing is told afterwards. */
    close() {
        if (this.isClosed) return;
        this.#abort.abort();
        clearTimeout(this.#trickleTimer);
        this.#peer.close();
        this.#session?.leave();
    }

    #tell(event, ...values) {
        if (!this.isClosed) this.#on[event](...values);
    }

    #stateChanged(state) {
        const events = { connected: "up", disconnected: "interrupted", failed: "down" };
        this.#tell(events[state]);
    }

    #trickleSoon() {
        clearTimeout(this.#trickleTimer);
        if (this.isClosed) return;
        this.#trickleTimer = setTimeout(() => this.#trickle(), GATHERING_PAUSE);
    }

    /** Sends what was gathered since, one request at a time. Connecting doesn't depend on it. */
    async #trickle() {
        if (!this.#session?.takesCandidates || this.#isTrickling || this.#isRestarting) return;
        const { candidates, isComplete } = this.#peer.takeCandidates();
        if (candidates.length === 0) return;
        this.#isTrickling = true;
        await this.#session.trickle(fragmentOf(this.#peer.description, candidates, isComplete)).catch(() => {});
        this.#isTrickling = false;
        this.#trickleSoon();
    }
}
