extension TrickleFragment {
    /// Reads a fragment. Lines and attributes that do not matter here are skipped; candidates beyond the limit too.
    package init(_ text: String) throws(SDPError) {
        var reader = try LineReader(text)
        var parser = FragmentParser()
        while let line = try reader.next() {
            do {
                try parser.take(line)
            } catch {
                throw SDPError(line: reader.number, error)
            }
        }
        self = parser.fragment
    }
}

/// What must be remembered between a fragment's lines.
private struct FragmentParser {
    private(set) var fragment = TrickleFragment()
    private var candidateCount = 0
    /// Half of the credentials, until the other half comes.
    private var usernameFragment: String?
    private var password: String?

    mutating func take(_ line: Line) throws(SDPError.Reason) {
        if line.type == "m" {
            guard let kind = line.value.fields(maxSplits: 1).first else { throw .malformedMedia }
            try beginSection(TrickleFragment.Section(kind: kind))
            (usernameFragment, password) = (nil, nil)
        } else if line.type == "a" {
            try take(Attribute(parsing: line.value))
        }
    }

    private mutating func take(_ attribute: Attribute) throws(SDPError.Reason) {
        let value = attribute.value?.trimmed ?? ""
        switch attribute.name {
        case "ice-lite": fragment.isLite = true
        case "ice-options": fragment.options = value.fields()
        case "group": takeGroup(value.fields())
        case "mid": try takeTag(value)
        case "ice-ufrag": try takeCredentials(value, password)
        case "ice-pwd": try takeCredentials(usernameFragment, value)
        case "candidate": try takeCandidate(value)
        case "end-of-candidates": takeEnd()
        default: return
        }
    }

    private mutating func takeGroup(_ fields: [String]) {
        if fields.first == "BUNDLE", fragment.bundle.isEmpty { fragment.bundle = Array(fields.dropFirst()) }
    }

    /// A tag without a pseudo `m=` line, as some clients write it, begins a section all the same.
    private mutating func takeTag(_ mid: String) throws(SDPError.Reason) {
        if fragment.sections.isEmpty || fragment.sections[lastIndex].mid != nil {
            try beginSection(TrickleFragment.Section())
        }
        fragment.sections[lastIndex].mid = mid
    }

    private mutating func takeCredentials(_ fragment: String?, _ password: String?) throws(SDPError.Reason) {
        (usernameFragment, self.password) = (fragment, password)
        guard let fragment, let password else { return }
        guard let credentials = ICECredentials(checking: fragment, password: password) else {
            throw .malformedCredentials
        }
        if self.fragment.sections.isEmpty {
            self.fragment.sessionCredentials = credentials
        } else {
            self.fragment.sections[lastIndex].credentials = credentials
        }
    }

    /// A candidate before any section belongs to one without a tag.
    private mutating func takeCandidate(_ value: String) throws(SDPError.Reason) {
        guard candidateCount < Limits.candidates, !value.isEmpty else { return }
        if RemoteTransport.mayBeChecked(value) { candidateCount += 1 }
        if fragment.sections.isEmpty { try beginSection(TrickleFragment.Section()) }
        fragment.sections[lastIndex].candidates.append(value)
    }

    private mutating func takeEnd() {
        if fragment.sections.isEmpty {
            fragment.isSessionComplete = true
        } else {
            fragment.sections[lastIndex].isComplete = true
        }
    }

    private mutating func beginSection(_ section: TrickleFragment.Section) throws(SDPError.Reason) {
        guard fragment.sections.count < Limits.mediaDescriptions else { throw .tooManyMediaDescriptions }
        fragment.sections.append(section)
    }

    private var lastIndex: Int { fragment.sections.count - 1 }
}
