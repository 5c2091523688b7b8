// What the page tells about itself, as one table.
//
//   connecting ──picture──► live ◄──picture/paused──► paused
//     │    ▲                 │                          │
//   absent begin            lost ─────────┐   ┌────── lost
//     ▼    │                              ▼   ▼
//   waiting       ended ◄──absent──── reconnecting ──picture──► live
//                   └──begin──► connecting
//
//   refused and unsupported are left only by a person's action (begin).
//
// Events:
//   begin       an attempt to join starts
//   picture     a picture of the shared screen is on this page
//   paused      connected, and the room says that the sharer paused
//   absent      nobody shares in the room
//   lost        the server or the sharer can't be reached
//   denied      the server wants a (better) access key
//   rejected    the server refuses for another reason
//   unservable  this browser and the sharer have no video format in common

const FAILURES = Object.freeze({ denied: "refused", rejected: "refused", unservable: "unsupported" });

const TRANSITIONS = Object.freeze({
    connecting: { picture: "live", paused: "paused", absent: "waiting", lost: "connecting", ...FAILURES },
    waiting: { begin: "connecting", absent: "waiting", ...FAILURES },
    live: { paused: "paused", lost: "reconnecting", absent: "ended" },
    paused: { picture: "live", lost: "reconnecting", absent: "ended" },
    reconnecting: {
        picture: "live", paused: "paused", lost: "reconnecting", absent: "ended", ...FAILURES,
    },
    ended: { begin: "connecting", absent: "ended", ...FAILURES },
    refused: { begin: "connecting" },
    unsupported: { begin: "connecting" },
});

/** Holds the page's state and follows the table; events the table doesn't name change nothing. */
export class StateMachine {
    #state = "connecting";
    #entered;

    /** @param {(state: string, previous: string) => void} entered called after every step, also onto itself */
    constructor(entered) {
        this.#entered = entered;
    }

    get state() {
        return this.#state;
    }

    /** Takes one step; tells whether the table had one. */
    dispatch(event) {
        const next = TRANSITIONS[this.#state][event];
        if (next === undefined) return false;
        const previous = this.#state;
        this.#state = next;
        this.#entered(next, previous);
        return true;
    }
}
