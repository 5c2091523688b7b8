// What each state says to a person. A reason refines a state: "refused/key" before "refused".

const BLOCKED = Object.freeze({
    chip: "Ready", title: "Ready to play", text: "Your browser wants a tap before it shows the picture.", action: "play",
});

const WORDS = Object.freeze({
    connecting: { chip: "Connecting", title: "Connecting", text: "Joining the room." },
    "connecting/unreachable": {
        chip: "Connecting", title: "No answer yet", text: "The server or the sharer can’t be reached.", action: "now",
    },
    "connecting/blocked": BLOCKED,
    "live/blocked": BLOCKED,
    "paused/blocked": BLOCKED,
    "reconnecting/blocked": BLOCKED,
    waiting: {
        chip: "Waiting", title: "Waiting for the sharer",
        text: "Nobody is sharing in this room yet. The picture appears here by itself.",
    },
    "waiting/busy": {
        chip: "Waiting", title: "The sharer is busy",
        text: "Somebody is sharing, but doesn’t answer or has no free place.", action: "now",
    },
    live: { chip: "Live" },
    paused: {
        chip: "Paused", icon: "pause", title: "Sharing is paused",
        text: "The picture returns by itself when the sharer goes on.",
    },
    reconnecting: {
        chip: "Reconnecting", title: "Reconnecting", text: "The connection was interrupted.", action: "now",
    },
    ended: {
        chip: "Ended", icon: "ended", title: "Sharing has ended",
        text: "The sharer has left. If they share again, the picture appears here by itself.",
    },
    refused: {
        chip: "Refused", icon: "warning", title: "This room can’t be opened",
        text: "The server refused this address.", action: "again",
    },
    "refused/noroom": {
        chip: "Refused", icon: "warning", title: "This address names no room",
        text: "Open the full link you were given.",
    },
    "refused/nokey": {
        chip: "Key needed", icon: "key", title: "This room needs a key",
        text: "Open the full link you were given, or paste the link or its key here.", form: true,
    },
    "refused/key": {
        chip: "Key needed", icon: "key", title: "The key wasn’t accepted",
        text: "It may have changed. Ask the sharer for a new link, and paste it here.", form: true,
    },
    unsupported: {
        chip: "Not supported", icon: "warning", title: "No common video format",
        text: "The sharer can’t serve this browser. Another browser may work.", action: "again",
    },
    "unsupported/webrtc": {
        chip: "Not supported", icon: "warning", title: "This browser can’t show the picture",
        text: "It lacks WebRTC. Recent Chrome, Edge, Firefox and Safari have it.",
    },
    "unsupported/h264": {
        chip: "Not supported", icon: "warning", title: "This browser can’t show the picture",
        text:
            "It lacks H.264 video. Recent Chrome, Edge and Safari have it; Firefox fetches it after its first start " +
            "(Add-ons, Plugins: OpenH264), and the picture appears then.",
    },
});

const ACTIONS = Object.freeze({ now: "Try now", again: "Try again", play: "Show the picture" });

/** The words for a state and its reason. */
export function wordsFor(state, reason) {
    return WORDS[`${state}/${reason}`] ?? WORDS[state];
}

const MUTED = Object.freeze({
    microphone: { chip: "Microphone muted", title: "The sharer’s microphone is muted" },
    system: { chip: "Screen sound muted", title: "The sound of the screen is muted" },
    all: { chip: "Sound muted", title: "The sharer’s sound is muted" },
});

/** What the sharer has muted; null where nothing. Older sharers don't say of which kinds. */
export function mutedWordsFor({ audio, muted }) {
    if (muted.length === 1) return MUTED[muted[0]];
    return audio === "muted" || muted.length > 1 ? MUTED.all : null;
}

/**
 * The card in the middle of the stage: what is happening, and what a person can do about it.
 *
 * `on.action(name)` is one of now, again, play; `on.key(text)` is what was pasted, and returns whether it can be a key.
 */
export class StateCard {
    #parts;
    #action = null;

    constructor(root, on) {
        const part = (name) => root.querySelector(`[data-card="${name}"]`);
        this.#parts = {
            root, title: part("title"), text: part("text"), countdown: part("countdown"), action: part("action"),
            form: part("form"), key: part("key"), error: part("error"), icon: part("icon"),
        };
        this.#parts.action.addEventListener("click", () => on.action(this.#action));
        this.#parts.form.addEventListener("submit", (event) => this.#submitted(event, on.key));
    }

    show(state, reason) {
        const { root, title, text, action, form, icon } = this.#parts;
        const words = wordsFor(state, reason);
        const focused = root.contains(document.activeElement) ? document.activeElement : null;
        root.hidden = words.title === undefined;
        title.textContent = words.title ?? "";
        text.textContent = words.text ?? "";
        icon.setAttribute("href", `#i-${words.icon ?? "screen"}`);
        this.#action = words.action ?? null;
        action.hidden = this.#action === null;
        action.textContent = ACTIONS[this.#action] ?? "";
        form.hidden = words.form !== true;
        this.countDown(0);
        this.#complain("");
        if (focused?.closest("[hidden]")) root.focus(); // browsers take it from what is hidden only some time later
    }

    /** "Trying again in 3 s", or nothing for 0. Changes every second, so it is not announced. */
    countDown(seconds) {
        this.#parts.countdown.textContent = seconds > 0 ? `Trying again in ${seconds} s` : "";
    }

    #submitted(event, take) {
        event.preventDefault();
        const { key } = this.#parts;
        const isTaken = take(key.value);
        this.#complain(isTaken ? "" : "That is neither a link with a key nor a key.");
        if (isTaken) key.value = "";
        else key.focus();
    }

    #complain(message) {
        const { key, error } = this.#parts;
        error.textContent = message;
        key.setAttribute("aria-invalid", String(message !== ""));
    }
}
