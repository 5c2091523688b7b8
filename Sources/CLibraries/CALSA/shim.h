#pragma once
#include <alsa/asoundlib.h>
#include <sys/timerfd.h>
