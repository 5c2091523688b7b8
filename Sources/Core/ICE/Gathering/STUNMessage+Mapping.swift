import Datagrams

extension STUNMessage {
    /// XOR-MAPPED-ADDRESS, or MAPPED-ADDRESS where that comes alone, if it can be one host's address. It hardly comes so from
    /// servers of RFC 3489: their SOURCE-ADDRESS and CHANGED-ADDRESS must be understood as well, and are not.
    func usableMapping(for base: TransportAddress) -> TransportAddress? {
        guard unknownRequired.isEmpty, let address = xorMappedAddress ?? mappedAddress,
            AddressFilter.allowsObserved(address), address.ip.isIPv6 == base.ip.isIPv6
        else { return nil }
        return address
    }
}
