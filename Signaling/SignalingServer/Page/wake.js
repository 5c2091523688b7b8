const WATCHED = new Set(["live", "paused"]);

/**
 * Keeps the screen on while a share is watched: what a browser does by itself for a video may depend on its sound being
 * heard (WebKit). Pages of a plain http address have nothing to do it with.
 */
export class Wake {
    #isWatched = false;
    #lock;

    constructor() {
        document.addEventListener("visibilitychange", () => this.#ask()); // a hidden page loses it
        // Some browsers grant the first one only after a click.
        for (const name of ["pointerup", "keydown"]) document.addEventListener(name, () => this.#ask());
    }

    follow(state) {
        this.#isWatched = WATCHED.has(state);
        if (this.#isWatched) this.#ask();
        else this.#lock?.release();
    }

    get #isHeld() {
        return this.#lock?.released === false;
    }

    async #ask() {
        if (!this.#isWatched || this.#isHeld || document.hidden) return;
        const lock = await navigator.wakeLock?.request("screen").catch(() => undefined);
        if (this.#isWatched && !this.#isHeld) this.#lock = lock;
        else lock?.release(); // the share ended meanwhile, or another one was quicker
    }
}
