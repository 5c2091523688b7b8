#include <string.h>

#include "srtp_cipher.h"

// AES in counter mode as SRTP has it (RFC 3711 § 4.1.1): the key is followed by a salt of 14 bytes, which is where the
// counter starts; a packet's SSRC and index are added to it without carry.
enum { KEY = 16, SALT = 14 };

static srtp_err_status_t counter_alloc(srtp_cipher_pointer_t *made, int keyLength, int tagLength) {
    if (keyLength != KEY + SALT) return srtp_err_status_bad_param;
    return shim_cipher_alloc(made, &shim_aes_counter_mode, EVP_aes_128_ctr(), keyLength, tagLength);
}

static srtp_err_status_t counter_init(void *opaque, const uint8_t *key) {
    CipherState *state = opaque;
    memset(state->offset, 0, sizeof state->offset);
    memcpy(state->offset, key + KEY, SALT);
    return EVP_EncryptInit_ex(state->context, state->cipher, NULL, key, NULL) == 1 ? srtp_err_status_ok
                                                                                   : srtp_err_status_init_fail;
}

static srtp_err_status_t counter_set_iv(void *opaque, uint8_t *iv, srtp_cipher_direction_t direction) {
    (void)direction;  // both are the same
    CipherState *state = opaque;
    uint8_t counter[sizeof state->offset];
    for (size_t i = 0; i < sizeof counter; i++) counter[i] = state->offset[i] ^ iv[i];
    return EVP_EncryptInit_ex(state->context, NULL, NULL, NULL, counter) == 1 ? srtp_err_status_ok
                                                                              : srtp_err_status_cipher_fail;
}

static srtp_err_status_t counter_crypt(void *opaque, uint8_t *buffer, unsigned int *count) {
    CipherState *state = opaque;
    int written = 0;
    if (EVP_EncryptUpdate(state->context, buffer, &written, buffer, (int)*count) != 1) return srtp_err_status_cipher_fail;
    *count = (unsigned int)written;
    return srtp_err_status_ok;
}

// RFC 3711 § B.2.
static const uint8_t test_key[KEY + SALT] = {
    0x2B, 0x7E, 0x15, 0x16, 0x28, 0xAE, 0xD2, 0xA6, 0xAB, 0xF7, 0x15, 0x88, 0x09, 0xCF, 0x4F, 0x3C,
    0xF0, 0xF1, 0xF2, 0xF3, 0xF4, 0xF5, 0xF6, 0xF7, 0xF8, 0xF9, 0xFA, 0xFB, 0xFC, 0xFD,
};
static uint8_t test_index[16];
static const uint8_t test_plain[32];
static const uint8_t test_stream[32] = {
    0xE0, 0x3E, 0xAD, 0x09, 0x35, 0xC9, 0x5E, 0x80, 0xE1, 0x66, 0xB1, 0x6D, 0xD9, 0x2B, 0x4E, 0xB4,
    0xD2, 0x35, 0x13, 0x16, 0x2B, 0x02, 0xD0, 0xF7, 0x2A, 0x43, 0xA2, 0xFE, 0x4A, 0x5F, 0x97, 0xAB,
};
static const srtp_cipher_test_case_t test_case = {
    .key_length_octets = sizeof test_key, .key = test_key, .idx = test_index,
    .plaintext_length_octets = sizeof test_plain, .plaintext = test_plain,
    .ciphertext_length_octets = sizeof test_stream, .ciphertext = test_stream,
};

const srtp_cipher_type_t shim_aes_counter_mode = {
    .alloc = counter_alloc, .dealloc = shim_cipher_dealloc, .init = counter_init, .encrypt = counter_crypt,
    .decrypt = counter_crypt, .set_iv = counter_set_iv, .description = "AES-128 counter mode, by OpenSSL",
    .test_data = &test_case, .id = SRTP_AES_ICM_128,
};
