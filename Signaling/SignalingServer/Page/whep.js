// WHEP (draft-ietf-wish-whep): offer and answer by POST, ICE by PATCH, goodbye by DELETE.

const SDP = "application/sdp";
const SDP_FRAGMENT = "application/trickle-ice-sdpfrag"; // RFC 8840 § 4.4
const ANSWER_TIMEOUT = 12_000; // ms; the server itself gives the sharer 10 s
const PATCH_TIMEOUT = 5_000; // ms
const SERVERS_TIMEOUT = 2_000; // ms; whoever needs no relay goes without
const LONGEST_RETRY_AFTER = 60_000; // ms; somebody looks at this page

const KINDS = new Map([[406, "unservable"], [408, "unreachable"], [409, "absent"]]);
// A proxy in front of the server says these as well, and knows nothing of rooms and keys: the problem in the answer
// (RFC 9457) tells whose word it is.
const KINDS_BY_SPEAKER = new Map([
    [401, { server: "denied", proxy: "foreign" }],
    [403, { server: "denied", proxy: "foreign" }],
    [404, { server: "rejected", proxy: "unreachable" }],
    [410, { server: "rejected", proxy: "unreachable" }],
    [429, { server: "absent", proxy: "unreachable" }],
    [503, { server: "absent", proxy: "unreachable" }],
]);
const OTHER_KINDS = { server: "rejected", proxy: "foreign" };
const OWN_PROBLEM = "urn:screenshare:problem:";

/**
 * Why a session didn't come about: denied, unservable, absent, unreachable, rejected, or foreign, where somebody else than
 * the server refused, such as a proxy, or a network that wants a login first.
 */
export class WhepError extends Error {
    constructor(kind, status = 0, retryAfter = 0) {
        super(`${kind} (${status})`);
        this.name = "WhepError";
        this.kind = kind;
        this.status = status;
        this.retryAfter = retryAfter;
    }

    static async from(response) {
        return new WhepError(await kindOf(response), response.status, retryAfterOf(response));
    }
}

/** The STUN and TURN servers that the endpoint names by now. */
export async function iceServersOf(endpoint, headers, signal) {
    const response = await request(endpoint, { method: "HEAD", headers, signal }, SERVERS_TIMEOUT).catch(() => null);
    return response === null ? [] : iceServersIn(response);
}

/** Those of a response's Link fields (RFC 9725 § 4.6), as WebRTC takes them. */
function iceServersIn(response) {
    const found = [];
    for (const [, urls, rest] of (response.headers.get("Link") ?? "").matchAll(LINK)) {
        const parameters = new Map();
        for (const [, name, quoted, plain] of rest.matchAll(LINK_PARAMETER)) {
            parameters.set(name.toLowerCase(), quoted?.replace(/\\(.)/g, "$1") ?? plain);
        }
        if (parameters.get("rel") !== "ice-server") continue;
        const [username, credential] = [parameters.get("username"), parameters.get("credential")];
        found.push(username === undefined ? { urls } : { urls, username, credential });
    }
    return found;
}

// RFC 8288 § 3: <address>; name="value"; name=value
const LINK = /<([^>]*)>((?:\s*;\s*[\w-]+(?:=(?:"(?:[^"\\]|\\.)*"|[^\s",;]*))?)*)/g;
const LINK_PARAMETER = /;\s*([\w-]+)=(?:"((?:[^"\\]|\\.)*)"|([^\s",;]*))/g;

/** One WHEP session: the address the server gave it, and the tag of its present ICE session. */
export class WhepSession {
    #url;
    #tag;
    #headers;

    constructor(url, tag, headers) {
        this.#url = url;
        this.#tag = tag;
        this.#headers = headers;
    }

    /** Sends the offer; returns the session, the sharer's answer, and servers to gather candidates from. */
    static async create(endpoint, offer, headers, signal) {
        const response = await request(endpoint, {
            method: "POST", body: offer, headers: { ...headers, "Content-Type": SDP, Accept: SDP }, signal,
        }, ANSWER_TIMEOUT);
        if (response.status === 406) abandon(response, headers);
        if (response.status !== 201) throw await WhepError.from(response);
        const url = sessionAddress(response);
        const session = new WhepSession(url, response.headers.get("ETag"), headers);
        const answer = await response.text().catch((error) => {
            // Nobody else knows that there is one, and it holds a place.
            session.leave();
            throw error;
        });
        return { session, answer, iceServers: iceServersIn(response) };
    }

    /** Its name at the server. */
    get id() {
        return new URL(this.#url).pathname.split("/").pop();
    }

    /** A server that gave no entity tag wants no candidates (draft § Trickle ICE). */
    get takesCandidates() {
        return this.#tag !== null;
    }

    /** Adds candidates to the present ICE session. */
    async trickle(fragment) {
        await this.#patch(fragment, this.#tag);
    }

    /** Restarts ICE (If-Match is `*` then); returns the sharer's fragment. */
    async restart(fragment) {
        const response = await this.#patch(fragment, "*");
        if (response.status !== 200) throw await WhepError.from(response);
        this.#tag = response.headers.get("ETag");
        return response.text();
    }

    /** Says goodbye. Works while the page is being closed, and nobody waits for it. */
    leave() {
        fetch(this.#url, { method: "DELETE", headers: this.#headers, keepalive: true }).catch(() => {});
    }

    async #patch(body, tag) {
        const headers = { ...this.#headers, "Content-Type": SDP_FRAGMENT, "If-Match": tag };
        const response = await request(this.#url, { method: "PATCH", body, headers }, PATCH_TIMEOUT);
        if (!response.ok) throw await WhepError.from(response);
        return response;
    }
}

/** An ICE description as an SDP fragment: the bundle's first m-line only (RFC 8840 § 4.4). */
export function fragmentOf(sdp, candidates, isComplete) {
    const lines = linesOf(sdp);
    const firstOf = (prefix) => lines.find((line) => line.startsWith(prefix));
    const head = ["a=ice-options:", "a=group:BUNDLE", "m=", "a=mid:", "a=ice-ufrag:", "a=ice-pwd:"];
    const ends = isComplete ? ["a=end-of-candidates"] : [];
    const body = [...head.map(firstOf), ...candidates.map((candidate) => `a=${candidate}`), ...ends];
    return textOf(body.filter((line) => line !== undefined));
}

/** The candidates a description already carries, without the `a=`. */
export function candidatesIn(sdp) {
    return linesOf(sdp).filter(isCandidate).map((line) => line.slice(2));
}

/** The earlier answer with the ICE part of a restart in place of its own. */
export function answerAfterRestart(answer, fragment) {
    const lines = linesOf(fragment);
    const fresh = (prefix, old) => lines.find((line) => line.startsWith(prefix)) ?? old;
    const kept = linesOf(answer)
        .filter((line) => !isCandidate(line) && line !== "a=end-of-candidates")
        .map((line) => ["a=ice-ufrag:", "a=ice-pwd:"].reduce(
            (result, prefix) => (line.startsWith(prefix) ? fresh(prefix, line) : result), line));
    const firstMedia = kept.findIndex((line) => line.startsWith("m="));
    const nextMedia = kept.findIndex((line, index) => index > firstMedia && line.startsWith("m="));
    kept.splice(nextMedia < 0 ? kept.length : nextMedia, 0, ...lines.filter(isCandidate));
    return textOf(kept);
}

function isCandidate(line) {
    return line.startsWith("a=candidate:");
}

function linesOf(sdp) {
    return sdp.split(/\r?\n/).filter((line) => line !== "");
}

function textOf(lines) {
    return lines.map((line) => `${line}\r\n`).join("");
}

/** Unknown codes fall back to their class (draft § HTTP Usage). */
async function kindOf(response) {
    const { status } = response;
    if (KINDS.has(status)) return KINDS.get(status);
    const kinds = KINDS_BY_SPEAKER.get(status) ?? OTHER_KINDS;
    if (kinds === OTHER_KINDS && status >= 500) return "unreachable";
    const type = await problemTypeOf(response);
    // A page that may not ask here, behind a proxy that changes Host for one: no key helps.
    if (type === `${OWN_PROBLEM}origin-not-allowed`) return "rejected";
    return type.startsWith(OWN_PROBLEM) ? kinds.server : kinds.proxy;
}

async function problemTypeOf(response) {
    const problem = await response.json().catch(() => null);
    return String(problem?.type ?? "");
}

/** A counter-offer, which browsers are never in need of: its session holds a place until it is given back. */
function abandon(response, headers) {
    try {
        fetch(sessionAddress(response), { method: "DELETE", headers, keepalive: true }).catch(() => {});
    } catch { /* Without an address there is no session. */ }
}

/** A session elsewhere would be handed this page's key: only the server that served the page may name one. */
function sessionAddress(response) {
    const url = new URL(response.headers.get("Location") ?? "", response.url);
    if (url.origin !== location.origin || url.href === response.url) throw new WhepError("rejected", 201);
    return url.href;
}

async function request(url, options, timeout) {
    const limit = after(timeout);
    const signal = options.signal === undefined ? limit : anyOf(options.signal, limit);
    try {
        return await fetch(url, { ...options, signal, cache: "no-store" });
    } catch {
        throw new WhepError("unreachable");
    }
}

/** Safari 15 has no AbortSignal.timeout. */
export function after(milliseconds) {
    if (AbortSignal.timeout) return AbortSignal.timeout(milliseconds);
    const controller = new AbortController();
    setTimeout(() => controller.abort(), milliseconds);
    return controller.signal;
}

export function anyOf(...signals) {
    if (AbortSignal.any) return AbortSignal.any(signals);
    const controller = new AbortController();
    for (const signal of signals) signal.addEventListener("abort", () => controller.abort(), { once: true });
    return controller.signal;
}

/** Retry-After in milliseconds: seconds or a date (RFC 9110 § 10.2.3). */
export function retryAfterOf(response) {
    const value = response.headers.get("Retry-After");
    if (value === null) return 0;
    const wait = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now();
    return Number.isFinite(wait) ? Math.min(Math.max(wait, 0), LONGEST_RETRY_AFTER) : 0;
}
