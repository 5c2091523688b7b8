/// One of something for each kind of sound.
package struct PerKind<Value> {
    package var system: Value
    package var microphone: Value

    package init(system: Value, microphone: Value) {
        self.system = system
        self.microphone = microphone
    }

    package subscript(kind: AudioKind) -> Value {
        get {
            switch kind {
            case .system: system
            case .microphone: microphone
            }
        }
        // In place: buffers of samples are not copied.
        _modify {
            switch kind {
            case .system: yield &system
            case .microphone: yield &microphone
            }
        }
    }
}

extension PerKind: Sendable where Value: Sendable {}
