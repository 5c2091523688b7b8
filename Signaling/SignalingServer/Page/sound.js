const VOLUME_KEY = "screenshare.volume"; // 0…1
const MUTED_KEY = "screenshare.muted"; // "on" once the person has switched the sound off

/**
 * What is heard of the share: switched on as soon as the browser allows it, which may take a click anywhere. Only trying
 * tells: a person may have allowed it for this site, and a screen in a meeting room has nobody who clicks.
 *
 * `on.changed()` after every change of what the controls show.
 */
export class Sound {
    #video;
    #on;
    #isWanted = setting(MUTED_KEY) !== "on";
    #hasTrack = false;
    #hasVolume = false;
    #isMuted; // as far as this page had it done

    constructor(video, on) {
        this.#video = video;
        this.#on = on;
        this.#isMuted = video.muted;
        video.volume = Math.min(1, Math.max(0, Number(setting(VOLUME_KEY) ?? 1) || 0));
        video.addEventListener("volumechange", () => this.#changed());
        for (const name of ["pointerup", "keydown"]) document.addEventListener(name, (event) => this.#touched(event));
        this.#tryVolume();
    }

    /** Follows the stream that is shown: sound may come and go with it. */
    follow(stream) {
        this.#hasTrack = (stream?.getAudioTracks().length ?? 0) > 0;
        this.#tryAloud();
        this.#on.changed();
    }

    /** The browser plays sound only after a click. */
    silence() {
        this.#mute(true);
    }

    get isThere() {
        return this.#hasTrack;
    }

    get isHeard() {
        return this.#hasTrack && !this.#video.muted && this.#video.volume > 0;
    }

    /** Wanted, but the browser waits for a click. */
    get isBlocked() {
        return this.#hasTrack && this.#isWanted && this.#video.muted;
    }

    toggle() {
        this.#isWanted = !this.isHeard;
        keep(MUTED_KEY, this.#isWanted ? "off" : "on");
        if (this.#isWanted && this.#video.volume === 0) {
            this.#video.volume = 1;
            keep(VOLUME_KEY, "1");
        }
        this.#mute(!this.#isWanted);
    }

    /** Whether a page can set it. */
    get hasVolume() {
        return this.#hasVolume;
    }

    get volume() {
        return this.#video.volume;
    }

    set volume(volume) {
        this.#video.volume = volume;
        keep(VOLUME_KEY, String(volume));
        this.#isWanted = volume > 0;
        keep(MUTED_KEY, this.#isWanted ? "off" : "on");
        this.#mute(!this.#isWanted);
    }

    /** A click or a key anywhere will do, but for those that mean the sound itself, or that are none to the browser. */
    #touched(event) {
        const isOwn = event.key?.toLowerCase() === "m" || event.target.closest?.("#sound-tools");
        if (!isOwn && navigator.userActivation?.hasBeenActive !== false) this.#tryAloud();
    }

    /** Before a click some browsers refuse by pausing the picture: `silence` is called then. */
    #tryAloud() {
        if (this.isBlocked) this.#mute(false);
    }

    /** On iPhones and iPads the volume belongs to their keys, and what a page sets is taken back a moment later. */
    #tryVolume() {
        const probe = document.createElement("video");
        probe.volume = 0.5;
        setTimeout(() => {
            this.#hasVolume = probe.volume === 0.5;
            this.#on.changed();
        });
    }

    #mute(isMuted) {
        this.#isMuted = isMuted;
        this.#video.muted = isMuted;
    }

    /** Browsers have a button of their own for it, as beside a picture in picture: who uses that means it as well. */
    #changed() {
        if (this.#video.muted !== this.#isMuted) {
            this.#isMuted = this.#video.muted;
            this.#isWanted = !this.#isMuted;
        }
        this.#on.changed();
    }
}

function setting(key) {
    try {
        return localStorage.getItem(key);
    } catch {
        return null;
    }
}

function keep(key, value) {
    try {
        localStorage.setItem(key, value);
    } catch {
        // Storage may be switched off; then the setting lasts until the page is closed.
    }
}
