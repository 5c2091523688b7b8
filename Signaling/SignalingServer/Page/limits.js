// How long the page waits for what; all in milliseconds.

/** Between two looks at the connection's figures. */
export const TICK = 1_000;
/** From the answer to the first picture. */
export const PICTURE_LIMIT = 10_000;
/** From an ICE restart to the next picture. */
export const RESTART_LIMIT = 6_000;
/** In which ICE may come back by itself. */
export const RECOVERY_GRACE = 1_000;
/** Without a packet; a still screen repeats its picture every second. */
export const STALL_LIMIT = 3_000;
/** The same where the room has to be asked first whether the sharer paused. */
export const UNTOLD_STALL_LIMIT = 5_000;
/** The same when the room has seen the sharer go, or the browser misses answers. */
export const DOUBTED_STALL_LIMIT = 2_500;
/** Of pictures, after which the next failure is a new one. */
export const STABLE_AFTER = 5_000;
/** Until a browser without H.264 is asked again. */
export const LACK_PAUSE = 3_000;
