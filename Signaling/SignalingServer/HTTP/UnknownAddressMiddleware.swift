import Hummingbird
import SignalingProtocol

/// Gives the router's own "not found" the form all our problems have.
struct UnknownAddressMiddleware<Context: RequestContext>: RouterMiddleware {
    func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch let error as HTTPError where error.status == .notFound {
            let isKnown = SignalingRoutes.methods.contains(request.method)
            var response = ProblemError(isKnown ? .notFound : .methodUnknown).response
            response.addCommonHeaders()
            return request.method == .head ? response.createHeadResponse() : response
        }
    }
}
