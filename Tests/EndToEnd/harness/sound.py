"""A sound server of the test's own, what is played on it, and what was heard."""

import subprocess
import wave

import numpy

from .paths import scratch_file
from .processes import Process, wait_until

RATE = 48_000


class SoundServer:
    """PulseAudio with a loudspeaker and a microphone that nobody hears: what is played into the cable is the microphone.

    It can be killed and started again at the same address.
    """

    MODULES = (
        "module-null-sink norewinds=1 sink_name=speaker sink_properties=device.description=Test-Speaker",
        "module-null-sink norewinds=1 sink_name=cable sink_properties=device.description=Test-Cable",
        "module-remap-source source_name=microphone master=cable.monitor "
        "source_properties=device.description=Test-Microphone",
    )

    def __init__(self, rewinds=False):
        """With `rewinds` the loudspeaker is a null sink as PulseAudio makes it: asleep for two seconds at first."""
        self.rewinds = rewinds
        self.home = scratch_file(".sound")
        self.home.mkdir()
        self.socket = self.home / "socket"
        # Unix sockets pass from one network namespace to another.
        self.env = {"PULSE_SERVER": f"unix:{self.socket}", "HOME": str(self.home), "XDG_RUNTIME_DIR": str(self.home)}
        self.process = None
        self.start()

    def start(self):
        command = ["pulseaudio", "-n", "--daemonize=no", "--exit-idle-time=-1", "--use-pid-file=no"]
        quiet = ["--realtime=no", "--high-priority=no", "--log-target=stderr"]
        modules = [f"-Lmodule-native-protocol-unix auth-anonymous=1 socket={self.socket}"]
        plain = [module.replace("norewinds=1 ", "") if self.rewinds else module for module in self.MODULES]
        modules += [f"-L{module}" for module in plain]
        self.process = Process([*command, *quiet, *modules], name="pulseaudio", env=self.env)
        wait_until(self.answers, 10, "a sound server")
        for verb, name in (("set-default-sink", "speaker"), ("set-default-source", "microphone")):
            self.control(verb, name)

    def control(self, *words):
        return subprocess.run(
            ["pactl", *words], env={"PATH": "/usr/bin:/bin", **self.env}, capture_output=True, text=True, timeout=10
        )

    def answers(self):
        return self.control("info").returncode == 0

    def play(self, path, device="speaker"):
        """Plays a WAV file, with little delay, until it ends or is killed."""
        command = ["paplay", "--latency-msec=20", f"--device={device}", path]
        return Process(command, name=f"paplay {device}", env=self.env)

    def kill(self):
        if self.process:
            self.process.kill()
            self.process = None


def tone(frequency, seconds, level=0.5):
    """A WAV file of a sine."""
    return write(level * numpy.sin(2 * numpy.pi * frequency * numpy.arange(int(RATE * seconds)) / RATE))


def clicks(seconds, period=1.0):
    """A WAV file of short bursts of 2 kHz, one each period."""
    samples = numpy.zeros(int(RATE * seconds))
    burst = 0.8 * numpy.sin(2 * numpy.pi * 2000 * numpy.arange(RATE // 100) / RATE)
    for start in range(0, len(samples) - len(burst), int(RATE * period)):
        samples[start : start + len(burst)] = burst
    return write(samples)


def write(samples):
    path = scratch_file(".wav")
    with wave.open(str(path), "wb") as file:
        file.setnchannels(2)
        file.setsampwidth(2)
        file.setframerate(RATE)
        file.writeframes(numpy.repeat(numpy.int16(samples * 32767), 2).tobytes())
    return path


def decode(path):
    """Any sound file's left channel at 48 kHz, as ffmpeg plays it."""
    command = ["ffmpeg", "-v", "error", "-i", path, "-f", "f32le", "-ac", "2", "-ar", str(RATE), "-"]
    found = subprocess.run(command, capture_output=True, check=True, stdin=subprocess.DEVNULL, timeout=60)
    return numpy.frombuffer(found.stdout, numpy.float32)[::2]


def levels(samples, frequency, window=0.1):
    """How loud a tone is in each window: the amplitude of that frequency alone."""
    length = int(RATE * window)
    wheel = numpy.exp(-2j * numpy.pi * frequency * numpy.arange(length) / RATE)
    whole = samples[: len(samples) // length * length].reshape(-1, length)
    return 2 * numpy.abs(whole @ wheel) / length


def is_heard(samples, frequency, level=0.5):
    """Whether a tone of about this level is there, for each tenth of a second."""
    return numpy.abs(levels(samples, frequency) - level) < 0.2 * level
