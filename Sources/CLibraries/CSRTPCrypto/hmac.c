#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <stdlib.h>
#include <string.h>

#include "srtp_auth.h"

// HMAC-SHA1 (RFC 2104), the authentication of RFC 3711 § 4.2.1: one context for all packets of a key.
enum { DIGEST = 20 };

static srtp_err_status_t hmac_alloc(srtp_auth_pointer_t *made, int keyLength, int tagLength) {
    if (keyLength < 1 || keyLength > DIGEST || tagLength < 1 || tagLength > DIGEST) return srtp_err_status_bad_param;
    srtp_auth_t *outer = calloc(1, sizeof *outer);
    EVP_MAC *mac = EVP_MAC_fetch(NULL, OSSL_MAC_NAME_HMAC, NULL);
    EVP_MAC_CTX *context = mac ? EVP_MAC_CTX_new(mac) : NULL;
    EVP_MAC_free(mac);  // the context holds it
    if (!outer || !context) {
        free(outer);
        EVP_MAC_CTX_free(context);
        return srtp_err_status_alloc_fail;
    }
    *outer = (srtp_auth_t){.type = &shim_hmac_sha1, .state = context, .out_len = tagLength, .key_len = keyLength};
    *made = outer;
    return srtp_err_status_ok;
}

static srtp_err_status_t hmac_dealloc(srtp_auth_pointer_t auth) {
    EVP_MAC_CTX_free(auth->state);
    free(auth);
    return srtp_err_status_ok;
}

static srtp_err_status_t hmac_init(void *context, const uint8_t *key, int keyLength) {
    char digest[] = "SHA1";
    OSSL_PARAM parameters[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, digest, 0), OSSL_PARAM_construct_end()};
    return EVP_MAC_init(context, key, (size_t)keyLength, parameters) == 1 ? srtp_err_status_ok : srtp_err_status_auth_fail;
}

// Begins the next message with the same key.
static srtp_err_status_t hmac_start(void *context) {
    return EVP_MAC_init(context, NULL, 0, NULL) == 1 ? srtp_err_status_ok : srtp_err_status_auth_fail;
}

static srtp_err_status_t hmac_update(void *context, const uint8_t *message, int count) {
    return EVP_MAC_update(context, message, (size_t)count) == 1 ? srtp_err_status_ok : srtp_err_status_auth_fail;
}

static srtp_err_status_t hmac_compute(void *context, const uint8_t *message, int count, int tagLength, uint8_t *tag) {
    uint8_t digest[DIGEST];
    size_t length = 0;
    if (tagLength > DIGEST) return srtp_err_status_bad_param;
    if (EVP_MAC_update(context, message, (size_t)count) != 1) return srtp_err_status_auth_fail;
    if (EVP_MAC_final(context, digest, &length, sizeof digest) != 1 || length != DIGEST) return srtp_err_status_auth_fail;
    memcpy(tag, digest, (size_t)tagLength);
    return srtp_err_status_ok;
}

// RFC 2202, the first of its cases.
static const uint8_t test_key[DIGEST] = {
    0x0b, 0x0b, 0x0b, 0x0b, 0x0b, 0x0b, 0x0b, 0x0b, 0x0b, 0x0b, 0x0b, 0x0b, 0x0b, 0x0b, 0x0b, 0x0b, 0x0b, 0x0b, 0x0b, 0x0b,
};
static const uint8_t test_message[8] = {'H', 'i', ' ', 'T', 'h', 'e', 'r', 'e'};
static const uint8_t test_digest[DIGEST] = {
    0xb6, 0x17, 0x31, 0x86, 0x55, 0x05, 0x72, 0x64, 0xe2, 0x8b, 0xc0, 0xb6, 0xfb, 0x37, 0x8c, 0x8e, 0xf1, 0x46, 0xbe, 0x00,
};
static const srtp_auth_test_case_t test_case = {
    .key_length_octets = DIGEST, .key = test_key, .data_length_octets = sizeof test_message, .data = test_message,
    .tag_length_octets = DIGEST, .tag = test_digest,
};

const srtp_auth_type_t shim_hmac_sha1 = {
    .alloc = hmac_alloc, .dealloc = hmac_dealloc, .init = hmac_init, .compute = hmac_compute, .update = hmac_update,
    .start = hmac_start, .description = "HMAC-SHA1, by OpenSSL", .test_data = &test_case, .id = SRTP_HMAC_SHA1,
};
