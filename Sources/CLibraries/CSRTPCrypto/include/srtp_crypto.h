#pragma once

// Has libsrtp use OpenSSL's AES and SHA-1, which it takes as plug-ins, in place of what it was built with: Debian builds it
// with NSS, which sets up a cipher anew for each packet. What a packet looks like, replay and keys remain libsrtp's own.
// After srtp_init() and before any session; libsrtp checks each plug-in against its own known answers, and keeps what it
// has where one fails. Returns how many of the three ciphers and codes it took.
int shim_srtp_use_openssl(void);
