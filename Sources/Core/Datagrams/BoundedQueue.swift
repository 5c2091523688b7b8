import DequeModule

/// A queue that never grows past its capacity; whoever appends decides what to do when it is full.
package struct BoundedQueue<Element> {
    private var elements: Deque<Element> = []
    package let capacity: Int

    package init(capacity: Int) {
        self.capacity = capacity
    }

    package var count: Int { elements.count }
    package var isEmpty: Bool { elements.isEmpty }
    package var isFull: Bool { elements.count >= capacity }
    package var first: Element? { elements.first }

    /// False, with nothing changed, where the queue is full.
    package mutating func append(_ element: Element) -> Bool {
        if isFull { return false }
        elements.append(element)
        return true
    }

    package mutating func popFirst() -> Element? { elements.popFirst() }

    package mutating func removeAll() { elements.removeAll(keepingCapacity: true) }
}

extension BoundedQueue: Sendable where Element: Sendable {}
