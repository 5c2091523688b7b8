#pragma once
#include "fingerprint.h"
#include "picture_detail.h"
#include "picture_likeness.h"
#include "pixel_rows.h"
