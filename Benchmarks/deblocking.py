"""What H.264's deblocking filter does to text: the bytes of known pages that look equally good without and with it.

    .venv/bin/python Benchmarks/deblocking.py [--size 1280x720] [--profile baseline] [--preset superfast] [--settings off,-2:-2]

x264 alone, with the share's own settings otherwise, encodes the four pages of Tests/Support/textsource as one keyframe, and
as a coarse keyframe and the same picture once more, finer each time, as the share sharpens a page. Quantisers are looked for
until the last picture just has a luma SSIM of 0.97 or 0.99; bytes are those of all pictures together, between the two
quantisers around it by their logarithms. Medians of the pages; in brackets the median of each page's bytes ÷ those of the
first setting. A minute on two cores.
"""

import argparse
import concurrent.futures
import math
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import encoded  # noqa: E402
import pages  # noqa: E402
from measure import median  # noqa: E402

TARGETS = (0.97, 0.99)
# How much coarser than the last each picture is.
WAYS = {"a keyframe": (0,), "a keyframe, a pass": (8, 0), "a keyframe, three passes": (15, 10, 5, 0)}
# Where the last one's quantiser is looked for; H.264 ends at 51.
FINEST, COARSEST, LIMIT = 14, 44, 51


class Curve:
    """Of one page, coded in one way, with one setting of the filter."""

    def __init__(self, folder, page, steps, settings):
        self.folder, self.page, self.steps, self.settings = folder, page, steps, settings
        self.points = {}
        self.spent = []

    def at(self, quantiser):
        """SSIM of the last picture, and the bytes of all."""
        if quantiser not in self.points:
            chain = [min(LIMIT, quantiser + step) for step in self.steps]
            made = encoded.encode(self.folder, self.page.name, chain, **self.settings)
            self.spent += [picture.seconds for picture in made]
            self.points[quantiser] = self.page.ssim(made[-1].luma), sum(picture.size for picture in made)
        return self.points[quantiser]

    def size(self, target):
        """Bytes at just this SSIM."""
        low, high = FINEST, COARSEST
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if self.at(middle)[0] >= target else (low, middle)
        (fine, large), (coarse, small) = self.at(low), self.at(high)
        if not coarse < target <= fine:
            raise RuntimeError(f"page {self.page.name}: SSIM {target} lies not between {coarse:.4f} and {fine:.4f}")
        share = (target - coarse) / (fine - coarse)
        return math.exp(share * math.log(large) + (1 - share) * math.log(small))


def measured(task):
    """Of one page: bytes by way, target and setting, and milliseconds of CPU for a picture by setting."""
    size, name, preset, profile, settings = task
    folder, _ = pages.drawn(size)
    page = pages.Page(folder, name, None)
    found, spent = {}, {setting: [] for setting in settings}
    for way, steps in WAYS.items():
        for setting in settings:
            options = {"preset": preset, "profile": profile, "deblocking": setting}
            curve = Curve(folder, page, steps, options)
            for target in TARGETS:
                found[way, target, setting] = curve.size(target)
            spent[setting] += curve.spent
    return found, {setting: 1000 * median(times) for setting, times in spent.items()}


def table(results, settings):
    lines = ["| luma SSIM | coded as | " + " | ".join(settings) + " |", "|---|---|" + "---|" * len(settings)]
    for target in TARGETS:
        for way in WAYS:
            cells = [cell([found for found, _ in results], way, target, setting, settings[0]) for setting in settings]
            lines.append(f"| {target} | {way} | " + " | ".join(cells) + " |")
    spent = [f"{median([times[setting] for _, times in results]):.1f} ms" for setting in settings]
    lines.append("| | CPU of a picture | " + " | ".join(spent) + " |")
    return "\n".join(lines)


def cell(results, way, target, setting, first):
    sizes = [found[way, target, setting] for found in results]
    shares = [found[way, target, setting] / found[way, target, first] for found in results]
    return f"{median(sizes) / 1000:.1f} kB ({median(shares):.3f})"


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", default="1920x1080")
    parser.add_argument("--preset", default="ultrafast")
    parser.add_argument("--profile", choices=("high", "baseline"), default="high")
    parser.add_argument("--settings", type=lambda text: text.split(","), default=["off", "0:0", "-3:-3"])
    parser.add_argument("--pages", type=list, default=pages.ORDER, help="some of ABCD")
    parser.add_argument("--processes", type=int, default=2)
    return parser.parse_args()


def main():
    arguments = parse()
    # Once, before several need them.
    encoded.program()
    pages.drawn(arguments.size)
    options = (arguments.preset, arguments.profile, arguments.settings)
    tasks = [(arguments.size, name, *options) for name in arguments.pages]
    with concurrent.futures.ProcessPoolExecutor(arguments.processes) as pool:
        results = list(pool.map(measured, tasks))
    print(table(results, arguments.settings))


if __name__ == "__main__":
    main()
