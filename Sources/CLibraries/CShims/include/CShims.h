#pragma once
#include "picture_detail.h"
#include "pixel_rows.h"
