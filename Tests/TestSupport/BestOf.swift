/// Measures until a measure is right, so many times at most, and gives the last. Whatever takes the machine for a moment
/// spoils one of them; what is wrong in the product is wrong in each.
package func bestOf<Measure>(
    _ times: Int, _ measure: () throws -> Measure, isRight: (Measure) -> Bool
) rethrows -> Measure {
    for _ in 1..<times {
        let measured = try measure()
        if isRight(measured) { return measured }
    }
    return try measure()
}
