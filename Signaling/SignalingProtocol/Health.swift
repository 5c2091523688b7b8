/// `GET /healthz`.
package struct Health: Codable, Sendable {
    package var status = "ok"

    package init() {}
}
