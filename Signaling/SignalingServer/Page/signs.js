import { mutedWordsFor, wordsFor } from "./card.js";

/** What the page says of the share: its name, how it stands, who watches, and what is wrong. */
export class Signs {
    #page;
    #card;
    #sound;
    #link;
    #now;

    /** @param now returns what there is to say: {state, reason, room} */
    constructor(page, { card, sound, link, now }) {
        this.#page = page;
        this.#card = card;
        this.#sound = sound;
        this.#link = link;
        this.#now = now;
    }

    /** After every change of the state or its reason. */
    show() {
        const { state, reason } = this.#now();
        const { chip, title } = wordsFor(state, reason);
        document.body.dataset.state = state;
        this.#page.chip.textContent = chip;
        say(this.#page.announcer, title ?? "The shared screen is live");
        this.#card.show(state, reason);
        this.showRoom();
    }

    /** After every word of the room. */
    showRoom() {
        this.#showName();
        this.#showViewers();
        this.showTrouble();
    }

    /** What the sharer calls it, or else the room's own name. */
    #showName() {
        const { state, reason, room } = this.#now();
        const name = room?.name ?? this.#link.room ?? "";
        say(this.#page.room, name);
        const { chip } = wordsFor(state, reason);
        document.title = [name, chip].filter(Boolean).join(" · ");
    }

    #showViewers() {
        const { state, room } = this.#now();
        const count = room?.viewers ?? null;
        this.#page.viewers.hidden = count === null || !isOn(state);
        this.#page.viewerCount.textContent = String(count ?? "");
    }

    /**
     * Silence of the sharer's own making is no fault of the viewer's, and a browser's waits for a click; pictures that come
     * one by one are the path's.
     */
    showTrouble() {
        const { state, room } = this.#now();
        const muted = isOn(state) && room !== null ? mutedWordsFor(room) : null;
        this.#page.muted.hidden = muted === null;
        this.#page.muted.title = muted?.title ?? "";
        this.#page.mutedSound.textContent = muted?.chip ?? "";
        this.#page.narrow.hidden = !(isOn(state) && room?.isNarrow);
        this.#page.silent.hidden = !(isOn(state) && this.#sound.isBlocked);
        document.body.dataset.trouble = String(!this.#page.narrow.hidden || !this.#page.silent.hidden);
    }
}

function isOn(state) {
    return ["live", "paused", "reconnecting"].includes(state);
}

/** The same once more would be read aloud again. */
function say(element, text) {
    if (element.textContent !== text) element.textContent = text;
}
