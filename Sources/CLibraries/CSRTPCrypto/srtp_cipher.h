#pragma once
#include <openssl/evp.h>
#include <srtp2/cipher.h>

// What AES in counter mode and AES-GCM share: a context that lives as long as its key.
typedef struct {
    EVP_CIPHER_CTX *context;
    const EVP_CIPHER *cipher;
    // Of counter mode: where the counter starts, before a packet's own part (RFC 3711 § 4.1.1).
    uint8_t offset[16];
    // Of GCM.
    int tagLength;
    srtp_cipher_direction_t direction;
} CipherState;

srtp_err_status_t shim_cipher_alloc(
    srtp_cipher_pointer_t *made, const srtp_cipher_type_t *type, const EVP_CIPHER *cipher, int keyLength, int tagLength);
srtp_err_status_t shim_cipher_dealloc(srtp_cipher_pointer_t cipher);

extern const srtp_cipher_type_t shim_aes_counter_mode;
extern const srtp_cipher_type_t shim_aes_gcm;
