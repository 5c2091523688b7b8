"""Known colours on a display: plain rectangles and windows, drawn by the test itself."""

from Xlib import X, Xatom
from Xlib import display as xdisplay

BARS = {
    "white": (255, 255, 255),
    "yellow": (255, 255, 0),
    "cyan": (0, 255, 255),
    "green": (0, 255, 0),
    "magenta": (255, 0, 255),
    "red": (255, 0, 0),
    "blue": (0, 0, 255),
    "black": (0, 0, 0),
}


def packed(rgb):
    return rgb[0] << 16 | rgb[1] << 8 | rgb[2]


class Window:
    """One window of one colour, unmanaged unless asked, so that it stands where it is told to."""

    def __init__(self, painter, title, x, y, width, height, rgb):
        self.painter, self.display = painter, painter.display
        root = self.display.screen().root
        self.window = root.create_window(
            x, y, width, height, 0, X.CopyFromParent, background_pixel=packed(rgb), override_redirect=False
        )
        self.window.set_wm_name(title)
        self.window.change_property(
            self.display.intern_atom("_NET_WM_NAME"), self.display.intern_atom("UTF8_STRING"), 8, title.encode()
        )
        # What a window manager sets on each window it manages; a list of windows goes by it.
        self.window.change_property(
            self.display.intern_atom("WM_STATE"), self.display.intern_atom("WM_STATE"), 32, [1, 0]
        )
        painter.listed.append(self.window.id)
        painter.publish()
        self.show()

    @property
    def id(self):
        return self.window.id

    def show(self):
        self.window.map()
        self.display.sync()

    def hide(self):
        self.window.unmap()
        self.display.sync()

    def fill(self, x, y, width, height, rgb):
        context = self.window.create_gc(foreground=packed(rgb))
        self.window.fill_rectangle(context, x, y, width, height)
        context.free()
        self.display.sync()

    def move(self, x, y):
        self.window.configure(x=x, y=y)
        self.display.sync()

    def resize(self, width, height):
        self.window.configure(width=width, height=height)
        self.display.sync()

    def lift(self):
        self.window.configure(stack_mode=X.Above)
        self.display.sync()

    def destroy(self):
        self.painter.listed.remove(self.window.id)
        self.painter.publish()
        self.window.destroy()
        self.display.sync()


class Painter:
    """A connection to a display that paints its background and opens windows."""

    def __init__(self, name):
        self.display = xdisplay.Display(name)
        self.screen = self.display.screen()
        self.root = self.screen.root
        self.listed = []

    def window(self, title, x, y, width, height, rgb):
        return Window(self, title, x, y, width, height, rgb)

    def publish(self):
        """The list that a window manager keeps at the root."""
        self.root.change_property(self.display.intern_atom("_NET_CLIENT_LIST"), Xatom.WINDOW, 32, list(self.listed))

    def fill(self, x, y, width, height, rgb):
        """Straight onto the root, so that it stays where nothing covers it."""
        context = self.root.create_gc(foreground=packed(rgb), subwindow_mode=X.IncludeInferiors)
        self.root.fill_rectangle(context, x, y, width, height)
        context.free()
        self.display.sync()

    def fill_pixel(self, x, y, width, height, pixel):
        """By the pixel value itself, whatever its depth."""
        context = self.root.create_gc(foreground=pixel)
        self.root.fill_rectangle(context, x, y, width, height)
        context.free()
        self.display.sync()

    def bars(self, width, height):
        """Eight bars from left to right; gives the middle of each as a fraction of the picture, and its colour."""
        middles = {}
        for index, (name, rgb) in enumerate(BARS.items()):
            left, right = width * index // 8, width * (index + 1) // 8
            self.fill(left, 0, right - left, height, rgb)
            middles[name] = ((index + 0.5) / 8, 0.5, rgb)
        return middles

    def close(self):
        self.display.close()
