const KEY_STEP = 80; // CSS pixels a key press moves the picture
const RESUME_MS = 1000; // between two times that a paused picture is played on

/**
 * The picture and the room around it: fitted, or one picture pixel on one screen pixel with panning.
 *
 * `on.picture()` for every picture shown, `on.silenced()` when the browser wants a tap before it plays sound,
 * `on.blocked()` when it wants one before it plays anything, and `on.played()` when it plays.
 */
export class Stage {
    #root;
    #video;
    #on;
    #isActual = false;
    #resumedAt = -Infinity;

    constructor(root, video, on) {
        this.#root = root;
        this.#video = video;
        this.#on = on;
        video.addEventListener("resize", () => this.#layOut());
        video.addEventListener("webkitendfullscreen", () => this.play()); // a phone's own player pauses on the way out
        for (const event of ["pause", "leavepictureinpicture"]) video.addEventListener(event, () => this.#resume());
        document.addEventListener("visibilitychange", () => this.#resume());
        window.addEventListener("resize", () => this.#layOut());
        root.addEventListener("pointerdown", (event) => this.#startPanning(event));
        root.addEventListener("keydown", (event) => this.#panByKey(event));
        this.#watchPictures();
        this.#watchScale();
    }

    show(stream) {
        if (this.#video.srcObject !== stream) this.#video.srcObject = stream;
        this.play();
    }

    play() {
        this.#video.play().then(() => this.#on.played(), (error) => {
            if (error.name !== "NotAllowedError") return;
            if (this.#video.muted) return this.#on.blocked();
            this.#on.silenced();
            this.play();
        });
    }

    /** There is nothing to see behind a pause of a live screen: who paused it was the browser, or a media key. */
    #resume() {
        const video = this.#video;
        const isInPicture = document.pictureInPictureElement === video; // has a button of its own for it
        if (!video.paused || video.ended || !video.srcObject || document.hidden || isInPicture) return;
        const early = RESUME_MS - (performance.now() - this.#resumedAt); // two pages may pause each other
        if (early > 0) return void setTimeout(() => this.#resume(), early);
        this.#resumedAt = performance.now();
        // Without a tap a browser may refuse; who heard sound is not to be without for that. A
        // refusal that `play` has met by muting meanwhile is none.
        const isRefused = (error) => error.name === "NotAllowedError" && video.paused;
        video.play().then(() => this.#on.played(), (error) => isRefused(error) && this.#on.blocked());
    }

    /** Takes the last picture away. */
    clear() {
        this.#video.srcObject = null;
    }

    get hasPicture() {
        return this.#video.srcObject !== null && this.#video.videoWidth > 0;
    }

    get video() {
        return this.#video;
    }

    get isActual() {
        return this.#isActual;
    }

    set isActual(actual) {
        this.#isActual = actual;
        document.body.dataset.scale = actual ? "actual" : "fit";
        if (actual) this.#root.setAttribute("tabindex", "0");
        else this.#root.removeAttribute("tabindex");
        this.#layOut();
        this.#root.scrollTo((this.#root.scrollWidth - this.#root.clientWidth) / 2,
            (this.#root.scrollHeight - this.#root.clientHeight) / 2);
    }

    /** Actual size counts screen pixels, so that text is as sharp as on the sharer's screen. */
    #layOut() {
        const { style, videoWidth, videoHeight } = this.#video;
        const isSized = this.#isActual && videoWidth > 0;
        style.width = isSized ? `${videoWidth / window.devicePixelRatio}px` : "";
        style.height = isSized ? `${videoHeight / window.devicePixelRatio}px` : "";
    }

    /** A window that moves to a display of another scale may stay as large in CSS pixels, and Safari says nothing then. */
    #watchScale() {
        matchMedia(`(resolution: ${window.devicePixelRatio}dppx)`).addEventListener("change", () => {
            this.#layOut();
            this.#watchScale();
        }, { once: true });
    }

    /** A paused player shows one picture and then nothing, which is no picture of a live screen. */
    #watchPictures() {
        const video = this.#video;
        const seen = () => video.paused || this.#on.picture();
        const next = () => video.requestVideoFrameCallback(() => {
            seen();
            next();
        });
        if ("requestVideoFrameCallback" in video) next();
        else video.addEventListener("timeupdate", seen);
    }

    /** Fingers scroll by themselves; a mouse drags. */
    #startPanning(event) {
        if (!this.#isActual || event.pointerType !== "mouse" || event.button !== 0) return;
        const root = this.#root;
        const start = { x: event.clientX + root.scrollLeft, y: event.clientY + root.scrollTop };
        const move = (moved) => root.scrollTo(start.x - moved.clientX, start.y - moved.clientY);
        const stop = () => {
            root.removeEventListener("pointermove", move);
            delete root.dataset.panning;
        };
        root.setPointerCapture(event.pointerId);
        root.dataset.panning = "";
        root.addEventListener("pointermove", move);
        root.addEventListener("lostpointercapture", stop, { once: true });
        event.preventDefault();
        root.focus({ preventScroll: true });
    }

    #panByKey(event) {
        const steps = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
        const step = steps[event.key];
        if (!this.#isActual || step === undefined || event.target !== this.#root) return;
        this.#root.scrollBy(step[0] * KEY_STEP, step[1] * KEY_STEP);
        event.preventDefault();
    }
}
