const FIRST_DELAY = 400; // ms; a sharer that restarted is back at once
const LONGEST_DELAY = 15_000; // ms; nobody waits longer than this after a cable is plugged in again
const RETRY_SPREAD = 500; // ms; keeps a room full of viewers from coming back in the same instant

/** One pending retry at a time: exponential back-off with jitter, never earlier than the server asked for. */
export class Retry {
    #delay = FIRST_DELAY;
    #timer = null;
    #dueAt = 0;

    /** Runs `action` later; `atLeast` are the milliseconds of a Retry-After. */
    schedule(action, atLeast = 0) {
        this.cancel();
        const backoff = this.#delay * (0.5 + Math.random() / 2);
        const wait = atLeast > backoff ? atLeast + Math.random() * RETRY_SPREAD : backoff;
        this.#delay = Math.min(this.#delay * 2, LONGEST_DELAY);
        this.#dueAt = performance.now() + wait;
        this.#timer = setTimeout(() => {
            this.#timer = null;
            action();
        }, wait);
    }

    cancel() {
        clearTimeout(this.#timer);
        this.#timer = null;
    }

    /** The next failure starts with a short delay again. */
    reset() {
        this.#delay = FIRST_DELAY;
    }

    get isPending() {
        return this.#timer !== null;
    }

    /** Whole seconds until the retry, for people; 0 when none is pending. */
    get secondsLeft() {
        return this.isPending ? Math.max(0, Math.ceil((this.#dueAt - performance.now()) / 1000)) : 0;
    }
}
