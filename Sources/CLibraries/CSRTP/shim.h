#pragma once

// libsrtp 2. Nothing in it needs a shim: its API is plain functions and structures.

#include <srtp2/srtp.h>
