#include <stdlib.h>

#include "srtp_cipher.h"

srtp_err_status_t shim_cipher_alloc(
    srtp_cipher_pointer_t *made, const srtp_cipher_type_t *type, const EVP_CIPHER *cipher, int keyLength, int tagLength) {
    srtp_cipher_t *outer = calloc(1, sizeof *outer);
    CipherState *state = calloc(1, sizeof *state);
    EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
    if (!outer || !state || !context) {
        free(outer);
        free(state);
        EVP_CIPHER_CTX_free(context);
        return srtp_err_status_alloc_fail;
    }
    *state = (CipherState){.context = context, .cipher = cipher, .tagLength = tagLength};
    *outer = (srtp_cipher_t){.type = type, .state = state, .key_len = keyLength, .algorithm = (int)type->id};
    *made = outer;
    return srtp_err_status_ok;
}

srtp_err_status_t shim_cipher_dealloc(srtp_cipher_pointer_t cipher) {
    CipherState *state = cipher->state;
    EVP_CIPHER_CTX_free(state->context);  // and wipes its key
    OPENSSL_cleanse(state, sizeof *state);
    free(state);
    free(cipher);
    return srtp_err_status_ok;
}
