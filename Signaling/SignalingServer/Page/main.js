import { RoomLink } from "./link.js";
import { Viewer } from "./viewer.js";

function findPage() {
    const element = (id) => document.getElementById(id);
    return Object.freeze({
        stage: element("stage"), video: element("video"), card: element("card"), room: element("room"),
        chip: element("chip"), viewers: element("viewers"), viewerCount: element("viewer-count"),
        muted: element("muted"), mutedSound: element("muted-sound"), narrow: element("narrow"),
        silent: element("silent"),
        soundTools: element("sound-tools"), volume: element("volume"),
        announcer: element("announcer"), notice: element("notice"), stats: element("stats"),
        closeStats: element("close-stats"), help: element("help"), shortcuts: element("shortcuts"),
        bars: [element("header"), element("toolbar"), element("stats")],
    });
}

function begin() {
    const viewer = new Viewer(findPage(), new RoomLink());
    Object.defineProperty(window, "screenshareViewer", {
        value: Object.freeze({
            get state() {
                return viewer.state;
            },
            get stats() {
                return viewer.stats;
            },
        }),
    });
    viewer.start();
}

// As soon as the document is whole: the style sheets may come later, and a script that is not `async` waits for them.
if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", begin, { once: true });
else begin();
