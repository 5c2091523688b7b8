#pragma once

// libsamplerate. Nothing in it needs a shim: its API is plain functions and structures.

#include <samplerate.h>
