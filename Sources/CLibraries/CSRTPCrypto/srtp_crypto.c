#include "include/srtp_crypto.h"

#include "srtp_auth.h"
#include "srtp_cipher.h"

int shim_srtp_use_openssl(void) {
    int taken = 0;
    taken += srtp_replace_cipher_type(&shim_aes_counter_mode, SRTP_AES_ICM_128) == srtp_err_status_ok;
    taken += srtp_replace_cipher_type(&shim_aes_gcm, SRTP_AES_GCM_128) == srtp_err_status_ok;
    taken += srtp_replace_auth_type(&shim_hmac_sha1, SRTP_HMAC_SHA1) == srtp_err_status_ok;
    return taken;
}
