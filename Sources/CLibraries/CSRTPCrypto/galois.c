#include "srtp_cipher.h"

// AES-GCM (RFC 7714). libsrtp makes a packet's IV from the salt that follows the key, and hands it over.
enum { KEY = 16, SALT = 12, TAG = 16, SHORT_TAG = 8 };

// The short tag is of a draft; libsrtp's known answers have it.
static srtp_err_status_t galois_alloc(srtp_cipher_pointer_t *made, int keyLength, int tagLength) {
    if (keyLength != KEY + SALT || (tagLength != TAG && tagLength != SHORT_TAG)) return srtp_err_status_bad_param;
    return shim_cipher_alloc(made, &shim_aes_gcm, EVP_aes_128_gcm(), keyLength, tagLength);
}

static srtp_err_status_t galois_init(void *opaque, const uint8_t *key) {
    CipherState *state = opaque;
    // Its standard length of an IV is the 12 bytes of RFC 7714 § 8.1.
    state->direction = srtp_direction_any;
    return EVP_CipherInit_ex(state->context, state->cipher, NULL, key, NULL, 1) == 1 ? srtp_err_status_ok
                                                                                     : srtp_err_status_init_fail;
}

static srtp_err_status_t galois_set_iv(void *opaque, uint8_t *iv, srtp_cipher_direction_t direction) {
    CipherState *state = opaque;
    if (direction != srtp_direction_encrypt && direction != srtp_direction_decrypt) return srtp_err_status_bad_param;
    state->direction = direction;
    int encrypts = direction == srtp_direction_encrypt;
    return EVP_CipherInit_ex(state->context, NULL, NULL, NULL, iv, encrypts) == 1 ? srtp_err_status_ok
                                                                                  : srtp_err_status_cipher_fail;
}

static srtp_err_status_t galois_set_aad(void *opaque, const uint8_t *aad, uint32_t count) {
    CipherState *state = opaque;
    int written = 0;
    return EVP_CipherUpdate(state->context, NULL, &written, aad, (int)count) == 1 ? srtp_err_status_ok
                                                                                  : srtp_err_status_algo_fail;
}

static srtp_err_status_t galois_encrypt(void *opaque, uint8_t *buffer, unsigned int *count) {
    CipherState *state = opaque;
    int written = 0;
    if (state->direction != srtp_direction_encrypt) return srtp_err_status_bad_param;
    if (EVP_CipherUpdate(state->context, buffer, &written, buffer, (int)*count) != 1) return srtp_err_status_cipher_fail;
    return srtp_err_status_ok;
}

static srtp_err_status_t galois_get_tag(void *opaque, uint8_t *tag, uint32_t *count) {
    CipherState *state = opaque;
    int written = 0;
    if (EVP_CipherFinal_ex(state->context, tag, &written) != 1) return srtp_err_status_algo_fail;
    if (EVP_CIPHER_CTX_ctrl(state->context, EVP_CTRL_AEAD_GET_TAG, state->tagLength, tag) != 1) {
        return srtp_err_status_algo_fail;
    }
    *count = (uint32_t)state->tagLength;
    return srtp_err_status_ok;
}

// What comes ends with its tag.
static srtp_err_status_t galois_decrypt(void *opaque, uint8_t *buffer, unsigned int *count) {
    CipherState *state = opaque;
    int written = 0;
    if (state->direction != srtp_direction_decrypt) return srtp_err_status_bad_param;
    if (*count < (unsigned int)state->tagLength) return srtp_err_status_bad_param;
    int length = (int)*count - state->tagLength;
    if (EVP_CIPHER_CTX_ctrl(state->context, EVP_CTRL_AEAD_SET_TAG, state->tagLength, buffer + length) != 1) {
        return srtp_err_status_algo_fail;
    }
    if (EVP_CipherUpdate(state->context, buffer, &written, buffer, length) != 1) return srtp_err_status_cipher_fail;
    if (EVP_CipherFinal_ex(state->context, buffer + length, &written) != 1) return srtp_err_status_auth_fail;
    *count = (unsigned int)length;
    return srtp_err_status_ok;
}

// RFC 7714 § 16.1.1.
static const uint8_t test_key[KEY + SALT] = {
    0x00, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x0e, 0x0f,
    0x51, 0x75, 0x69, 0x64, 0x20, 0x70, 0x72, 0x6f, 0x20, 0x71, 0x75, 0x6f,
};
static uint8_t test_iv[12] = {0x51, 0x75, 0x3c, 0x65, 0x80, 0xc2, 0x72, 0x6f, 0x20, 0x71, 0x84, 0x14};
static const uint8_t test_aad[12] = {0x80, 0x40, 0xf1, 0x7b, 0x80, 0x41, 0xf8, 0xd3, 0x55, 0x01, 0xa0, 0xb2};
static const uint8_t test_plain[38] = {
    0x47, 0x61, 0x6c, 0x6c, 0x69, 0x61, 0x20, 0x65, 0x73, 0x74, 0x20, 0x6f, 0x6d, 0x6e, 0x69, 0x73, 0x20, 0x64, 0x69,
    0x76, 0x69, 0x73, 0x61, 0x20, 0x69, 0x6e, 0x20, 0x70, 0x61, 0x72, 0x74, 0x65, 0x73, 0x20, 0x74, 0x72, 0x65, 0x73,
};
static const uint8_t test_sealed[38 + TAG] = {
    0xf2, 0x4d, 0xe3, 0xa3, 0xfb, 0x34, 0xde, 0x6c, 0xac, 0xba, 0x86, 0x1c, 0x9d, 0x7e, 0x4b, 0xca, 0xbe, 0x63,
    0x3b, 0xd5, 0x0d, 0x29, 0x4e, 0x6f, 0x42, 0xa5, 0xf4, 0x7a, 0x51, 0xc7, 0xd1, 0x9b, 0x36, 0xde, 0x3a, 0xdf,
    0x88, 0x33, 0x89, 0x9d, 0x7f, 0x27, 0xbe, 0xb1, 0x6a, 0x91, 0x52, 0xcf, 0x76, 0x5e, 0xe4, 0x39, 0x0c, 0xce,
};
static const srtp_cipher_test_case_t test_case = {
    .key_length_octets = sizeof test_key, .key = test_key, .idx = test_iv,
    .plaintext_length_octets = sizeof test_plain, .plaintext = test_plain,
    .ciphertext_length_octets = sizeof test_sealed, .ciphertext = test_sealed,
    .aad_length_octets = sizeof test_aad, .aad = test_aad, .tag_length_octets = TAG,
};

const srtp_cipher_type_t shim_aes_gcm = {
    .alloc = galois_alloc, .dealloc = shim_cipher_dealloc, .init = galois_init, .set_aad = galois_set_aad,
    .encrypt = galois_encrypt, .decrypt = galois_decrypt, .set_iv = galois_set_iv, .get_tag = galois_get_tag,
    .description = "AES-128 GCM, by OpenSSL", .test_data = &test_case, .id = SRTP_AES_GCM_128,
};
