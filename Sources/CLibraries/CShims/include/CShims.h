#pragma once
#include "fingerprint.h"
#include "picture_detail.h"
#include "pixel_rows.h"
