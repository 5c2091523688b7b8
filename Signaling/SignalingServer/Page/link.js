const LONGEST_TOKEN = 1024; // characters; far beyond any key the sharer makes
const ROOM = /^(?!\.{1,2}$)[A-Za-z0-9._~-]{1,64}$/; // as the server has it
const TOKEN = /^[\x21-\x7e]+$/; // what fits an Authorization header (RFC 6750 § 2.1)

/** The room in the address and the access key that came with the link. */
export class RoomLink {
    #room;
    #token = null;

    constructor() {
        this.#room = roomIn(location.pathname);
        this.#token = sessionToken(this.#storageKey);
        this.takeFragment();
    }

    /** The room's name, or null when the address names none. */
    get room() {
        return this.#room;
    }

    get hasToken() {
        return this.#token !== null;
    }

    /** `/v1/rooms/{room}` followed by `path`. */
    api(path = "") {
        return `/v1/rooms/${encodeURIComponent(this.#room)}${path}`;
    }

    /** Request headers that carry the access key, if there is one. */
    get headers() {
        return this.#token === null ? {} : { Authorization: `Bearer ${this.#token}` };
    }

    /** The address that lets somebody else in. */
    get shareable() {
        const page = location.origin + location.pathname;
        return this.#token === null ? page : `${page}#t=${encodeURIComponent(this.#token)}`;
    }

    /**
     * Moves the key from the fragment into this tab's storage, so that it shows up neither in the history nor on a
     * shared screen, and a reload still works. Tells whether there was one.
     */
    takeFragment() {
        const token = tokenIn(location.hash);
        if (location.hash !== "") history.replaceState(history.state, "", location.pathname + location.search);
        return token !== null && this.#keep(token);
    }

    /** Takes what a person pasted: a whole link or only the key. Tells whether it can be a key. */
    takeText(text) {
        const trimmed = text.trim();
        const hash = trimmed.indexOf("#");
        return this.#keep(hash < 0 ? trimmed : tokenIn(trimmed.slice(hash)) ?? "");
    }

    get #storageKey() {
        return `screenshare.token.${this.#room}`;
    }

    #keep(token) {
        if (token.length > LONGEST_TOKEN || !TOKEN.test(token)) return false;
        this.#token = token;
        try {
            sessionStorage.setItem(this.#storageKey, token);
        } catch {
            // Storage may be switched off; then the key lasts until the page is closed.
        }
        return true;
    }
}

function roomIn(path) {
    const name = decoded(/^\/r\/([^/]+)\/?$/.exec(path)?.[1]);
    return name !== null && ROOM.test(name) ? name : null;
}

function tokenIn(hash) {
    return decoded(/^#(?:.*&)?t=([^&]+)/.exec(hash)?.[1]);
}

function decoded(text) {
    try {
        return text === undefined ? null : decodeURIComponent(text);
    } catch {
        return null;
    }
}

function sessionToken(key) {
    try {
        return sessionStorage.getItem(key);
    } catch {
        return null;
    }
}
