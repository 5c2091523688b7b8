const IDLE_AFTER = 3_000; // ms without a sign of the person until the controls leave the picture alone
const NOTICE_TIME = 2_500; // ms
const SHORTCUTS_KEY = "screenshare.shortcuts"; // single keys can be switched off (WCAG 2.1.4)

/** Buttons, keys, and when they are in the way. */
export class Controls {
    #page;
    #stage;
    #panel;
    #sound;
    #link;
    #idleTimer = null;
    #noticeTimer = null;
    #lastPointer = "mouse";

    constructor(page, { stage, panel, sound, link }) {
        this.#page = page;
        this.#stage = stage;
        this.#panel = panel;
        this.#sound = sound;
        this.#link = link;
        this.#wireButtons();
        this.#wireSound();
        this.#wireKeys();
        this.#wireIdle();
        this.#wireFullscreen();
        this.#wirePictureInPicture();
    }

    /** Follows the state: what needs a picture is off without one, and only a live picture sends the controls away. */
    follow() {
        const isWithout = !this.#stage.hasPicture;
        const ofPicture = document.fullscreenEnabled ? ["scale", "pip"] : ["scale", "pip", "fullscreen"];
        for (const name of ofPicture) this.#button(name).setAttribute("aria-disabled", String(isWithout));
        this.#wake();
    }

    /** A short word at the bottom that also is read aloud. */
    notify(text) {
        const { notice } = this.#page;
        clearTimeout(this.#noticeTimer);
        notice.textContent = text;
        notice.dataset.shown = "";
        this.#noticeTimer = setTimeout(() => delete notice.dataset.shown, NOTICE_TIME);
    }

    #button(name) {
        return document.querySelector(`button[data-do="${name}"]`);
    }

    #commands = {
        scale: () => this.#toggleScale(),
        fullscreen: () => this.#toggleFullscreen(),
        pip: () => this.#togglePictureInPicture(),
        sound: () => this.#sound.toggle(),
        stats: () => this.#toggleStats(),
        copy: () => this.#copyLink(),
        help: () => this.#page.help.showModal(),
    };

    #run(name) {
        const button = this.#button(name);
        if (button.hidden || button.getAttribute("aria-disabled") === "true") return;
        this.#commands[name]();
    }

    #wireButtons() {
        for (const button of document.querySelectorAll("button[data-do]")) {
            button.addEventListener("click", () => this.#run(button.dataset.do));
        }
        const { stage, help, closeStats } = this.#page;
        closeStats.addEventListener("click", () => this.#toggleStats());
        stage.addEventListener("dblclick", () => this.#run("fullscreen"));
        help.addEventListener("click", (event) => {
            if (event.target === help) help.close();
        });
    }

    #wireKeys() {
        const { shortcuts, help } = this.#page;
        shortcuts.checked = localSetting(SHORTCUTS_KEY) !== "off";
        shortcuts.addEventListener("change", () => keepSetting(SHORTCUTS_KEY, shortcuts.checked ? "on" : "off"));
        const keys = { f: "fullscreen", 1: "scale", s: "stats", p: "pip", m: "sound", c: "copy", "?": "help" };
        document.addEventListener("keydown", (event) => {
            this.#wake();
            if (event.key === "Escape" && !help.open && this.#panel.isOpen) this.#toggleStats();
            const isTyping = event.target.closest?.("input:not([type=checkbox], [type=range])") !== null;
            const isPlain = !event.ctrlKey && !event.altKey && !event.metaKey && !event.repeat;
            const name = keys[event.key.toLowerCase()];
            if (name === undefined || !isPlain || isTyping || help.open || !shortcuts.checked) return;
            event.preventDefault();
            this.#run(name);
        });
    }

    #wireSound() {
        const { volume } = this.#page;
        volume.addEventListener("input", () => {
            this.#sound.volume = Number(volume.value) / 100;
        });
        this.showSound();
    }

    /** Shows whether there is sound, whether it is heard, and that a click brings it. */
    showSound() {
        const { soundTools, volume } = this.#page;
        const { isThere, isHeard, isBlocked, hasVolume } = this.#sound;
        const button = this.#button("sound");
        soundTools.hidden = !isThere;
        volume.hidden = !hasVolume;
        button.hidden = !isThere;
        press(button, !isHeard); // of "Mute", which stays its name: the tip alone says what a click does
        button.dataset.tip = isBlocked ? "Click for sound" : isHeard ? "Mute · M" : "Unmute · M";
        button.toggleAttribute("data-blocked", isBlocked);
        volume.value = String(Math.round((isHeard ? this.#sound.volume : 0) * 100));
    }

    #wireIdle() {
        const { stage, bars } = this.#page;
        for (const event of ["pointerdown", "pointermove", "focusin", "wheel"]) {
            document.addEventListener(event, (happened) => this.#noticed(happened), { passive: true });
        }
        stage.addEventListener("click", () => this.#tapped());
        document.documentElement.addEventListener("pointerleave", (event) => {
            if (event.pointerType === "mouse") this.#rest(); // a finger leaves with every tap
        });
        for (const bar of bars) bar.addEventListener("focusout", () => this.#wake());
    }

    /** A finger is answered when its tap is over, by `#tapped`. */
    #noticed(event) {
        if (event.pointerType) this.#lastPointer = event.pointerType;
        if (this.#lastPointer !== "touch") this.#wake();
    }

    /** A finger on the picture brings the controls, and sends them away again. */
    #tapped() {
        if (this.#lastPointer !== "touch" || document.body.dataset.idle === "true") this.#wake();
        else this.#rest();
    }

    #wake() {
        document.body.dataset.idle = "false";
        clearTimeout(this.#idleTimer);
        this.#idleTimer = setTimeout(() => this.#rest(), IDLE_AFTER);
    }

    #rest() {
        const { bars, help } = this.#page;
        const isOver = (bar) => this.#lastPointer !== "touch" && bar.matches(":hover"); // a tap leaves :hover behind
        const isUsed = bars.some((bar) => isOver(bar) || bar.querySelector(":focus-visible") !== null);
        if (document.body.dataset.state !== "live" || isUsed || help.open) return;
        document.body.dataset.idle = "true";
    }

    #toggleScale() {
        this.#stage.isActual = !this.#stage.isActual;
        press(this.#button("scale"), this.#stage.isActual);
    }

    #toggleStats() {
        const wasInside = this.#page.stats.contains(document.activeElement);
        this.#panel.isOpen = !this.#panel.isOpen;
        this.#button("stats").setAttribute("aria-expanded", String(this.#panel.isOpen));
        if (wasInside) this.#button("stats").focus();
    }

    #wireFullscreen() {
        const canFill = document.fullscreenEnabled || "webkitEnterFullscreen" in this.#stage.video;
        this.#button("fullscreen").hidden = !canFill;
        document.addEventListener("fullscreenchange", () => {
            press(this.#button("fullscreen"), document.fullscreenElement !== null);
        });
    }

    /** The whole page, so that the state stays visible; a phone that can't fills the screen with the picture alone. */
    #toggleFullscreen() {
        if (document.fullscreenElement) return document.exitFullscreen();
        if (!document.fullscreenEnabled) return this.#stage.video.webkitEnterFullscreen();
        return document.documentElement.requestFullscreen({ navigationUI: "hide" })
            .catch(() => this.notify("Fullscreen isn’t possible here"));
    }

    #wirePictureInPicture() {
        const button = this.#button("pip");
        const { video } = this.#stage;
        button.hidden = !document.pictureInPictureEnabled;
        video.addEventListener("enterpictureinpicture", () => press(button, true));
        video.addEventListener("leavepictureinpicture", () => press(button, false));
    }

    #togglePictureInPicture() {
        const isOut = document.pictureInPictureElement !== null;
        const change = isOut ? document.exitPictureInPicture() : this.#stage.video.requestPictureInPicture();
        change.catch(() => this.notify("Picture-in-picture isn’t possible here"));
    }

    async #copyLink() {
        const isCopied = await copy(this.#link.shareable);
        const word = this.#link.hasToken ? "Link copied, with its key" : "Link copied";
        this.notify(isCopied ? word : "The link couldn’t be copied");
    }
}

function press(button, isPressed) {
    button.setAttribute("aria-pressed", String(isPressed));
}

/** Pages from a plain http address have no clipboard API; there the old way still works. */
async function copy(text) {
    if (navigator.clipboard !== undefined) {
        return navigator.clipboard.writeText(text).then(() => true, () => copyBySelection(text));
    }
    return copyBySelection(text);
}

function copyBySelection(text) {
    const focused = document.activeElement;
    const field = document.createElement("textarea");
    field.value = text;
    field.className = "visually-hidden";
    document.body.append(field);
    field.select();
    const isCopied = document.execCommand("copy");
    field.remove();
    focused?.focus?.();
    return isCopied;
}

function localSetting(key) {
    try {
        return localStorage.getItem(key);
    } catch {
        return null;
    }
}

function keepSetting(key, value) {
    try {
        localStorage.setItem(key, value);
    } catch {
        // Storage may be switched off; then the setting lasts until the page is closed.
    }
}
