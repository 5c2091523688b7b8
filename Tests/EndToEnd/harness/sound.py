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

    NAME = "pulseaudio"
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
        self.socket = self.home / "pulse" / "native"
        # Unix sockets pass from one network namespace to another.
        self.env = {"PULSE_SERVER": f"unix:{self.socket}", "HOME": str(self.home), "XDG_RUNTIME_DIR": str(self.home)}
        self.process = None
        self.start()

    def start(self):
        self.process = Process(self.command(), name=self.NAME, env=self.env)
        wait_until(self.answers, 10, "a sound server")
        self.configure()
        for verb, name in (("set-default-sink", "speaker"), ("set-default-source", "microphone")):
            self.control(verb, name)

    def command(self):
        command = ["pulseaudio", "-n", "--daemonize=no", "--exit-idle-time=-1", "--use-pid-file=no"]
        quiet = ["--realtime=no", "--high-priority=no", "--log-target=stderr"]
        modules = [f"-Lmodule-native-protocol-unix auth-anonymous=1 socket={self.socket}"]
        plain = [module.replace("norewinds=1 ", "") if self.rewinds else module for module in self.MODULES]
        return [*command, *quiet, *modules, *(f"-L{module}" for module in plain)]

    def configure(self):
        """What the command does not say."""

    def control(self, *words):
        return subprocess.run(
            ["pactl", *words], env={"PATH": "/usr/bin:/bin", **self.env}, capture_output=True, text=True, timeout=10
        )

    def answers(self):
        return self.control("info").returncode == 0

    def play(self, path, device="speaker", latency=400):
        """Plays a WAV file until it ends or is killed; there is silence where the player is woken later than after `latency`
        in milliseconds."""
        command = ["paplay", f"--latency-msec={latency}", f"--device={device}", path]
        return Process(command, name=f"paplay {device}", env=self.env)

    def kill(self):
        if self.process:
            self.process.kill()
            self.process = None


class PipeWire(SoundServer):
    """PipeWire in PulseAudio's place, with the same devices."""

    NAME = "pipewire"
    # One after the other: each looks for the one before when it starts.
    SCRIPT = """
        pipewire &
        until [ -S "$XDG_RUNTIME_DIR/pipewire-0" ]; do sleep 0.05; done
        wireplumber &
        exec pipewire-pulse
    """

    def command(self):
        return ["dbus-run-session", "--", "sh", "-c", self.SCRIPT]

    def configure(self):
        for module in self.MODULES:
            loaded = self.control("load-module", *module.replace("norewinds=1 ", "").split())
            assert loaded.returncode == 0, loaded.stderr


def sine(frequency, seconds, level=0.5):
    return level * numpy.sin(2 * numpy.pi * frequency * numpy.arange(int(RATE * seconds)) / RATE)


def tone(frequency, seconds, level=0.5):
    """A WAV file of a sine."""
    return write(sine(frequency, seconds, level))


def apart(left, right, seconds, level=0.5):
    """A WAV file of two sines, one on each side."""
    return write(numpy.stack([sine(left, seconds, level), sine(right, seconds, level)], axis=1))


CLICK = 2000


def clicks(seconds, period=0.5, level=0.3):
    """A WAV file of bursts of 2 kHz that last 10 ms, one each period."""
    samples = numpy.zeros(int(RATE * seconds))
    burst = sine(CLICK, 0.01, level)
    for start in range(0, len(samples) - len(burst), int(RATE * period)):
        samples[start : start + len(burst)] = burst
    return write(samples)


# Far below the clicks, so that each can be told from the other.
VOICE = (100, 900)


def speech(seconds, level=0.3):
    """A WAV file of noise in syllables, as loud by turns as somebody who speaks, and never the same twice."""
    random = numpy.random.default_rng(4)
    loudness, at = numpy.zeros(int(RATE * seconds)), 0
    while True:
        syllable, pause = int(RATE * random.uniform(0.08, 0.3)), int(RATE * random.uniform(0.03, 0.25))
        if at + syllable > len(loudness):
            break
        loudness[at : at + syllable] = random.uniform(0.3, 1) * numpy.hanning(syllable)
        at += syllable + pause
    noise = loudness * band(random.standard_normal(len(loudness)), *VOICE)
    return write(level * noise / numpy.abs(noise).max())


def write(samples):
    """Both sides get them, or a column each."""
    both = samples if samples.ndim == 2 else numpy.stack([samples, samples], axis=1)
    path = scratch_file(".wav")
    with wave.open(str(path), "wb") as file:
        file.setnchannels(2)
        file.setsampwidth(2)
        file.setframerate(RATE)
        file.writeframes(numpy.int16(both * 32767).tobytes())
    return path


def sides(path):
    """Any sound file's left and right at 48 kHz, as ffmpeg plays it."""
    command = ["ffmpeg", "-v", "error", "-i", path, "-f", "f32le", "-ac", "2", "-ar", str(RATE), "-"]
    found = subprocess.run(command, capture_output=True, check=True, stdin=subprocess.DEVNULL, timeout=60)
    return numpy.frombuffer(found.stdout, numpy.float32).reshape(-1, 2).T


def decode(path):
    """Its left alone."""
    return sides(path)[0]


def levels(samples, frequency, window=0.1):
    """How loud a tone is in each window: the amplitude of that frequency alone."""
    length = int(RATE * window)
    wheel = numpy.exp(-2j * numpy.pi * frequency * numpy.arange(length) / RATE)
    whole = samples[: len(samples) // length * length].reshape(-1, length)
    return 2 * numpy.abs(whole @ wheel) / length


def is_heard(samples, frequency, level=0.5):
    """Whether a tone of about this level is there, for each tenth of a second."""
    return numpy.abs(levels(samples, frequency) - level) < 0.2 * level


def band(samples, lowest, highest):
    """What lies between two frequencies."""
    spectrum, frequencies = numpy.fft.rfft(samples), numpy.fft.rfftfreq(len(samples), 1 / RATE)
    spectrum[(frequencies < lowest) | (frequencies > highest)] = 0
    return numpy.fft.irfft(spectrum, len(samples))


def when_it_clicks(samples, level=0.3):
    """When each of `clicks` begins, whatever lower sound there is beside them."""
    length = RATE // 100
    sums = numpy.cumsum(samples * numpy.exp(-2j * numpy.pi * CLICK * numpy.arange(len(samples)) / RATE))
    heard = 2 * numpy.abs(sums[length:] - sums[:-length]) / length
    loud = numpy.flatnonzero(heard > level / 2)
    # It is loudest where the window has all of the burst.
    begins = loud[numpy.diff(loud, prepend=-RATE) > RATE // 10]
    return numpy.array([begin + heard[begin : begin + length].argmax() for begin in begins]) / RATE


def loudness_of_voice(samples, window=0.01):
    """How loud `speech` is in each window, whatever higher sound there is beside it."""
    length = int(RATE * window)
    kept = band(samples, *VOICE)[: len(samples) // length * length]
    return numpy.sqrt((kept.reshape(-1, length) ** 2).mean(axis=1))


def likeness(part, whole):
    """How alike a part is to that stretch of a whole that is most like it: 1 is the same."""
    stretches = numpy.lib.stride_tricks.sliding_window_view(whole, len(part))
    return max(numpy.corrcoef(part, stretch)[0, 1] for stretch in stretches)
