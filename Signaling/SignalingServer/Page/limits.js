// How long the page waits for what; all in milliseconds.
export const Limits = Object.freeze({
    /** Between two looks at the connection's figures. */
    TICK: 1_000,
    /** From the answer to the first picture. */
    PICTURE_LIMIT: 10_000,
    /** From an ICE restart to the next picture. */
    RESTART_LIMIT: 6_000,
    /** In which ICE may come back by itself. */
    RECOVERY_GRACE: 1_000,
    /** Without a packet; a still screen repeats its picture every second. */
    STALL_LIMIT: 3_000,
    /** The same where the room has to be asked first whether the sharer paused. */
    UNTOLD_STALL_LIMIT: 5_000,
    /** The same when the room has seen the sharer go, or the browser misses answers. */
    DOUBTED_STALL_LIMIT: 2_500,
    /** Of pictures, after which the next failure is a new one. */
    STABLE_AFTER: 5_000,
    /** Until a browser without H.264 is asked again. */
    LACK_PAUSE: 3_000,
});
