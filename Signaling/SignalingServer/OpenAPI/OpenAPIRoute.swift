import HTTPTypes
import Hummingbird
import NIOCore

/// `GET /openapi.json`: the document that describes the routes, itself among them.
enum OpenAPIRoute {
    static func adding(to routes: [Route]) -> [Route] {
        let described = Route.completed(routes + [route(serving: ByteBuffer())])
        // The document cannot fail to encode: it is strings, numbers, lists and objects.
        let document = (try? JSON.encode(OpenAPIDocument(routes: described).json)) ?? ByteBuffer()
        return Route.completed(routes + [route(serving: document)])
    }

    private static func route(serving document: ByteBuffer) -> Route {
        Route(
            .get, "/openapi.json", for: .everyone,
            Documentation(
                id: "openapi", summary: "This document.",
                successes: [.init(status: 200, description: "OpenAPI 3.1.", content: .json("OpenAPI"))])
        ) { _ in
            Response(
                status: .ok, headers: [.contentType: BodyType.json.rawValue],
                body: ResponseBody(byteBuffer: document))
        }
    }
}
