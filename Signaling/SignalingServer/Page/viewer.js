import { StateCard } from "./card.js";
import { Connection } from "./connection.js";
import { Controls } from "./controls.js";
import { Limits } from "./limits.js";
import { missingSupport } from "./peer.js";
import { Retry } from "./retry.js";
import { RoomFeed } from "./room.js";
import { Signs } from "./signs.js";
import { Sound } from "./sound.js";
import { Stage } from "./stage.js";
import { StateMachine } from "./states.js";
import { StatsPanel } from "./stats.js";
import { Wake } from "./wake.js";

/** Brings room, connection, picture and person together. */
export class Viewer {
    #link;
    #stage;
    #card;
    #panel = new StatsPanel(document.getElementById("stats"));
    #sound;
    #controls;
    #signs;
    #wake = new Wake();
    #machine = new StateMachine((state, previous) => this.#entered(state, previous));
    #retry = new Retry();
    #feed;

    #room = null; // the last word of the room
    #reason = null; // refines the state for the card
    #isBlocked = false; // the browser wants a tap before it shows anything
    #connection = null; // what shows, or last showed, the picture
    #pending = null; // an attempt that has no answer yet
    #hasTried = false; // with a connection that this browser made
    #isRecovering = false;
    #hasLeft = false; // the room saw the sharer go since this connection was made
    #deadline = Infinity; // when the present attempt counts as failed
    #lastPacketAt = 0;
    #enteredAt = 0;
    #joinMs = null; // offer sent → first picture
    #stats = null;

    constructor(page, link) {
        this.#link = link;
        this.#stage = new Stage(page.stage, page.video, {
            picture: () => this.#pictureSeen(),
            silenced: () => this.#sound.silence(),
            blocked: () => this.#blocked(),
            played: () => this.#played(),
        });
        this.#sound = new Sound(page.video, { changed: () => this.#soundChanged() });
        this.#card = new StateCard(page.card, {
            action: (name) => this.#actedOn(name),
            key: (text) => link.takeText(text) && this.#startOver(),
        });
        this.#controls = new Controls(page, { stage: this.#stage, panel: this.#panel, sound: this.#sound, link });
        this.#signs = new Signs(page, { card: this.#card, sound: this.#sound, link, now: () => this.#now });
        this.#feed = new RoomFeed(link, (room, isReopened) => this.#roomTold(room, isReopened));
    }

    get state() {
        return this.#machine.state;
    }

    get stats() {
        return this.#stats;
    }

    start() {
        this.#reason = null;
        this.#render();
        const missing = missingSupport();
        if (this.#link.room === null) this.#fail("rejected", "noroom");
        else if (missing !== null) this.#fail("unservable", missing);
        else this.#begin();
        if (missing === "h264" && this.#link.room !== null) this.#lookAgain();
    }

    /** Firefox loads its H.264 after its start, and fetches it after its first one. */
    #lookAgain() {
        setTimeout(() => (missingSupport() === "h264" ? this.#lookAgain() : this.start()), Limits.LACK_PAUSE);
    }

    #begin() {
        setInterval(() => this.#tick(), Limits.TICK);
        window.addEventListener("online", () => this.#joinEarlier());
        window.addEventListener("pagehide", () => this.#leave());
        window.addEventListener("pageshow", (event) => event.persisted && this.#startOver());
        window.addEventListener("hashchange", () => this.#link.takeFragment() && this.#startOver());
        this.#join();
        this.#feed.start();
    }

    // Joining

    async #join() {
        this.#retry.cancel();
        this.#machine.dispatch("begin");
        this.#pending?.close();
        let attempt = null; // stays so where the browser makes none
        try {
            attempt = this.#pending = this.#makeConnection();
            await attempt.request(this.#link.api("/whep"), this.#link.headers);
            if (this.#pending !== attempt) return;
            this.#adopt(attempt);
            await attempt.accept();
        } catch (error) {
            const isPresent = attempt === null || this.#pending === attempt || this.#connection === attempt;
            if (isPresent) this.#joinFailed(attempt, error);
        }
    }

    #makeConnection() {
        const connection = new Connection({
            track: (stream) => this.#show(stream),
            up: () => this.#cameUp(),
            interrupted: () => connection === this.#connection && this.#doubted(connection),
            down: () => connection === this.#connection && this.#lost(),
        });
        this.#hasTried = true;
        return connection;
    }

    #show(stream) {
        this.#sound.follow(stream);
        this.#stage.show(stream);
    }

    #adopt(connection) {
        this.#pending = null;
        this.#connection?.close();
        this.#connection = connection;
        if (this.#room !== null) this.#room = { ...this.#room, isNarrow: false };
        this.#feed.listenAs(connection.session);
        this.#isRecovering = false;
        this.#hasLeft = false;
        this.#joinMs = null;
        this.#lastPacketAt = performance.now();
        this.#deadline = performance.now() + Limits.PICTURE_LIMIT;
    }

    #joinFailed(attempt, error) {
        attempt?.close();
        if (attempt === null || this.#pending === attempt) this.#pending = null; // or it is a later one
        // Chromium has 500 for a site's pages, and closed ones count until they are collected, which the want of more does
        // not bring about. A page loaded anew begins at none; it takes a server that is there.
        if (attempt === null && this.#hasTried && this.#feed.isFresh) return void location.reload();
        const kind = this.#kindOf(error);
        if (kind === "absent" || kind === "unreachable") this.#comeBackLater(kind, error.retryAfter ?? 0);
        else this.#fail(kind, kind === "denied" ? (this.#link.hasToken ? "key" : "nokey") : null);
    }

    /** What refuses a page that was served before, and is not its server, stands between the two for a while. */
    #kindOf({ kind = "unreachable" }) {
        if (kind !== "foreign") return kind;
        return this.state === "reconnecting" ? "unreachable" : "rejected";
    }

    /** Nobody shares, or nobody answers. The room's own word decides which when the two differ. */
    #comeBackLater(kind, retryAfter) {
        const isShared = this.#feed.isFresh && this.#isShared;
        const isBusy = kind === "absent" && isShared;
        this.#reason = isBusy ? "busy" : kind === "unreachable" ? "unreachable" : null;
        const wasLive = this.state === "reconnecting";
        this.#machine.dispatch(kind === "unreachable" || (isBusy && wasLive) ? "lost" : "absent");
        const willBeTold = kind === "absent" && !isShared && this.#feed.isFresh;
        if (!willBeTold) this.#joinLater(retryAfter);
    }

    #joinLater(atLeast) {
        this.#retry.schedule(() => this.#join(), atLeast);
        this.#card.countDown(this.#retry.secondsLeft);
    }

    #fail(event, reason) {
        this.#drop();
        this.#reason = reason;
        this.#machine.dispatch(event);
    }

    #joinEarlier() {
        if (this.#retry.isPending) this.#join();
    }

    /** A key or a page that came back: nothing of what was holds any more. */
    #startOver() {
        this.#drop();
        this.#retry.reset();
        this.#machine.dispatch("lost");
        this.#join();
        this.#feed.start();
        return true;
    }

    // What the room says

    get #isShared() {
        return this.#room?.state === "live" || this.#room?.state === "paused";
    }

    #roomTold(room, isReopened) {
        const wasShared = this.#isShared;
        this.#room = room;
        this.#signs.showRoom();
        if (room.state === "waiting") this.#vacated();
        if (room.state === "paused" && this.#connection?.isUp) this.#machine.dispatch("paused");
        const isNews = this.#isShared && (!wasShared || isReopened);
        const isIdle = this.state === "waiting" || this.state === "ended" || this.#retry.isPending;
        if (isNews && isIdle && this.#pending === null) this.#join();
    }

    /** Media may outlive the sharer's word with the server, so a picture that still runs goes on. */
    #vacated() {
        this.#hasLeft = true;
        // A connection that may still come back is waited for; it may outlive the sharer's word.
        const isTried = this.#isRecovering || this.#pending !== null || this.#connection?.isUp;
        const isOver = this.state === "reconnecting" && !isTried;
        if (isOver) this.#machine.dispatch("absent");
        if (this.state === "waiting" || this.state === "ended") this.#retry.cancel();
    }

    // What the connection says

    #cameUp() {
        if (this.#isPausedByRoom) this.#machine.dispatch("paused");
    }

    get #isPausedByRoom() {
        return this.#room?.state === "paused" && this.#feed.isFresh;
    }

    #pictureSeen() {
        if (this.#connection === null || !this.#connection.isUp) return;
        if (this.#isPausedByRoom) return void this.#feed.askNow(); // no picture leaves during a pause
        this.#joinMs ??= Math.round(this.#connection.age);
        if (this.state !== "live") this.#machine.dispatch("picture");
    }

    /** Firefox says so for a single answer that got lost, though pictures come all the time. */
    #doubted(connection) {
        const isShown = this.state === "live" && performance.now() - this.#lastPacketAt < 2 * Limits.TICK;
        if (!isShown) this.#interrupted(connection);
    }

    #interrupted(connection) {
        if (this.#isRecovering || connection.isClosed) return;
        this.#reason = null;
        this.#machine.dispatch("lost");
        if (this.#hasLeft) this.#lost();
        else this.#recover(connection);
    }

    /** The session may still exist: first a moment for ICE to come back by itself, then an ICE restart. */
    async #recover(connection) {
        this.#isRecovering = true;
        await new Promise((resolve) => setTimeout(resolve, Limits.RECOVERY_GRACE));
        const isOver = () => connection !== this.#connection || connection.isClosed || !this.#isRecovering;
        if (isOver()) return;
        this.#deadline = performance.now() + Limits.RESTART_LIMIT;
        await connection.restart().catch(() => isOver() || this.#lost());
    }

    /** The connection is beyond repair: a new session, unless the room knows that nobody shares any more. */
    #lost() {
        this.#deadline = Infinity;
        this.#isRecovering = false;
        this.#machine.dispatch("lost");
        // With `host` as its own server the feed ends along with the share.
        const isVacant = (this.#feed.isFresh || this.#hasLeft) && this.#room?.state === "waiting";
        if (isVacant) this.#machine.dispatch("absent");
        else if (this.#pending === null && !this.#retry.isPending) this.#joinLater(0);
    }

    #leave() {
        this.#retry.cancel();
        this.#feed.stop();
        this.#drop();
    }

    #drop() {
        this.#retry.cancel();
        this.#pending?.close();
        this.#connection?.close();
        this.#pending = null;
        this.#connection = null;
        this.#deadline = Infinity;
    }

    // Every second

    async #tick() {
        this.#card.countDown(this.#retry.secondsLeft);
        const connection = this.#connection;
        const figures = await connection?.sample();
        if (connection !== this.#connection) return;
        if (figures) this.#measured(figures);
        this.#checkLimits();
    }

    #measured(figures) {
        this.#stats = Object.freeze({ ...figures, joinMs: this.#joinMs });
        this.#panel.show(this.#stats);
        if (figures.packetsPerSecond > 0) this.#lastPacketAt = performance.now();
        // Nobody is shown them, but they come.
        if (figures.framesPerSecond > 0 && document.hidden && !this.#stage.video.paused) this.#pictureSeen();
    }

    #checkLimits() {
        const now = performance.now();
        if (this.state === "live") {
            if (now - this.#enteredAt > Limits.STABLE_AFTER) this.#retry.reset();
            const silence = now - this.#lastPacketAt;
            if (silence > Limits.STALL_LIMIT) this.#feed.askNow();
            if (silence > this.#stallLimit) this.#interrupted(this.#connection);
        } else if (now > this.#deadline) {
            this.#reason = "unreachable";
            this.#lost();
        }
    }

    /** Most often a share that falls silent was paused, and nothing is broken: the room may only not have said so yet. */
    get #stallLimit() {
        if (this.#hasLeft || !this.#connection.isUp) return Limits.DOUBTED_STALL_LIMIT;
        return this.#feed.isFresh && !this.#feed.isPushed ? Limits.UNTOLD_STALL_LIMIT : Limits.STALL_LIMIT;
    }

    // What the person sees

    #entered(state, previous) {
        this.#enteredAt = performance.now();
        if (state === "live" || state === "paused") this.#settled();
        if (state === "ended" || state === "waiting") this.#drop();
        this.#wake.follow(state);
        const isWithout = ["waiting", "ended", "refused", "unsupported"].includes(state);
        if (isWithout) this.#emptied();
        if (state !== previous && isWithout === false && state !== "reconnecting") this.#reason = null;
        this.#render();
    }

    #settled() {
        this.#reason = null;
        this.#deadline = Infinity;
        this.#isRecovering = false;
        this.#lastPacketAt = performance.now();
        this.#retry.cancel();
        this.#pending?.close();
        this.#pending = null;
    }

    #emptied() {
        this.#stage.clear();
        this.#sound.follow(null);
        this.#isBlocked = false;
        this.#stats = null;
        this.#panel.show(null);
    }

    #render() {
        this.#signs.show();
        this.#card.countDown(this.#retry.secondsLeft);
        this.#controls.follow();
    }

    get #now() {
        return { state: this.state, reason: this.#isBlocked ? "blocked" : this.#reason, room: this.#room };
    }

    #soundChanged() {
        this.#controls?.showSound();
        this.#signs.showTrouble();
    }

    #blocked() {
        this.#deadline = Infinity;
        this.#isBlocked = true;
        this.#render();
    }

    #played() {
        if (!this.#isBlocked) return;
        this.#isBlocked = false;
        const isAwaited = this.state === "connecting" || this.state === "reconnecting";
        if (isAwaited) this.#deadline = performance.now() + Limits.PICTURE_LIMIT;
        this.#render();
    }

    #actedOn(action) {
        if (action === "play") {
            this.#stage.play();
        } else {
            this.#retry.reset();
            this.#join();
        }
    }
}
