import Hummingbird

/// The conference page: two tiles, each joined by one offer and one answer.
enum Page {
    static var response: Response { text("text/html; charset=utf-8", html) }
    static var script: Response { text("text/javascript; charset=utf-8", javaScript) }

    private static func text(_ type: String, _ body: String) -> Response {
        Response(status: .ok, headers: [.contentType: type], body: .init(byteBuffer: .init(string: body)))
    }

    private static let html = """
        <!doctype html>
        <html lang="en">
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width">
        <link rel="icon" href="data:,">
        <title>Conference</title>
        <style>
        body { margin: 0; font: 16px system-ui, sans-serif; background: #16181d; color: #eceff4 }
        main { display: grid; grid-template-columns: repeat(auto-fit, minmax(18rem, 1fr)); gap: 1rem; padding: 1rem }
        figure { margin: 0; border-radius: .75rem; overflow: hidden; background: #000 }
        video { display: block; width: 100%; aspect-ratio: 16 / 9; object-fit: contain }
        figcaption { padding: .5rem .75rem; background: #22262e }
        </style>
        <main>
        <figure><video id="ada" autoplay muted playsinline></video><figcaption>Ada</figcaption></figure>
        <figure><video id="ben" autoplay muted playsinline></video><figcaption>Ben</figcaption></figure>
        </main>
        <script type="module" src="/conference.js"></script>
        </html>
        """

    private static let javaScript = """
        async function join(name) {
          const peer = new RTCPeerConnection();
          peer.addTransceiver("video", { direction: "recvonly" });
          peer.ontrack = ({ streams, track }) => {
            document.getElementById(name).srcObject = streams[0] ?? new MediaStream([track]);
          };
          await peer.setLocalDescription(await peer.createOffer());
          const response = await fetch(`/participants/${name}`, {
            method: "POST",
            headers: { "Content-Type": "application/sdp" },
            body: peer.localDescription.sdp,
          });
          if (!response.ok) throw new Error(await response.text());
          await peer.setRemoteDescription({ type: "answer", sdp: await response.text() });
          addEventListener("pagehide", () => {
            fetch(response.headers.get("Location"), { method: "DELETE", keepalive: true });
          });
        }
        for (const name of ["ada", "ben"]) join(name);
        """
}
