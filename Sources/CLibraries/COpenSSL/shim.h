#pragma once

// OpenSSL 3, and inline functions for what Swift cannot call: macros that cast, and variadic functions.

#include <sys/time.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <openssl/ssl.h>
#include <openssl/srtp.h>
#include <openssl/x509.h>

// EVP_EC_gen is a macro over a variadic function.
static inline EVP_PKEY *shim_generate_p256_key(void) {
    return EVP_EC_gen("P-256");
}

// The following wrap SSL_ctrl and SSL_CTX_ctrl.
static inline int shim_ctx_use_dtls12_only(SSL_CTX *ctx) {
    return SSL_CTX_set_min_proto_version(ctx, DTLS1_2_VERSION) && SSL_CTX_set_max_proto_version(ctx, DTLS1_2_VERSION);
}

static inline int shim_ctx_set_groups(SSL_CTX *ctx, const char *names) {
    return (int)SSL_CTX_set1_groups_list(ctx, names);
}

static inline int shim_ctx_set_signature_algorithms(SSL_CTX *ctx, const char *names) {
    return (int)SSL_CTX_set1_sigalgs_list(ctx, names);
}

static inline void shim_ctx_disable_session_cache(SSL_CTX *ctx) {
    SSL_CTX_set_session_cache_mode(ctx, SSL_SESS_CACHE_OFF);
}

static inline void shim_ctx_limit_certificate_message(SSL_CTX *ctx, long bytes) {
    SSL_CTX_set_max_cert_list(ctx, bytes);
}

// The bits are macros with a cast. No renegotiation, no resumption, no asking the BIO for the path's MTU.
static inline void shim_ctx_set_dtls_options(SSL_CTX *ctx) {
    SSL_CTX_set_options(ctx, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_TICKET | SSL_OP_NO_COMPRESSION | SSL_OP_NO_QUERY_MTU |
                                 SSL_OP_CIPHER_SERVER_PREFERENCE);
}

static inline void shim_ctx_release_buffers(SSL_CTX *ctx) {
    SSL_CTX_set_mode(ctx, SSL_MODE_RELEASE_BUFFERS);
}

static inline void shim_set_datagram_size(SSL *ssl, long bytes) {
    SSL_set_mtu(ssl, bytes);
}

// Microseconds until the retransmission timer fires; -1 when none runs.
static inline long long shim_timeout_microseconds(SSL *ssl) {
    struct timeval left;
    if (!DTLSv1_get_timeout(ssl, &left)) return -1;
    return (long long)left.tv_sec * 1000000 + left.tv_usec;
}

static inline int shim_handle_timeout(SSL *ssl) {
    return (int)DTLSv1_handle_timeout(ssl);
}

static inline void shim_bio_clear_retry(BIO *bio) {
    BIO_clear_retry_flags(bio);
}

static inline void shim_bio_retry_read(BIO *bio) {
    BIO_set_retry_read(bio);
}

// A parameter list points to its names and values, which Swift's temporary strings would not outlive.
static inline int shim_mac_use_digest(EVP_MAC_CTX *ctx, const char *name) {
    OSSL_PARAM parameters[] = {
        OSSL_PARAM_construct_utf8_string("digest", (char *)name, 0),
        OSSL_PARAM_construct_end(),
    };
    return EVP_MAC_CTX_set_params(ctx, parameters);
}
