extension Array where Element: Sendable {
    /// What becomes of each, in their order; none waits for another.
    func mapAtOnce<Output: Sendable>(_ transform: @escaping @Sendable (Element) async -> Output) async -> [Output] {
        await withTaskGroup(of: (Int, Output).self) { group in
            for (index, element) in self.enumerated() {
                group.addTask { (index, await transform(element)) }
            }
            var outputs = [Output?](repeating: nil, count: self.count)
            for await (index, output) in group { outputs[index] = output }
            return outputs.compactMap { $0 }
        }
    }
}
