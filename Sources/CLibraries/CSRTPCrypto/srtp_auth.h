#pragma once
#include <srtp2/auth.h>

extern const srtp_auth_type_t shim_hmac_sha1;
