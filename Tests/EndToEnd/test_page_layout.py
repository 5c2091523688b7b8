"""The page alone, by what a screen allows: every tool in reach, zooming, and fullscreen."""

import json

import pytest

# Where the toolbar is and each tool on it, all shown: the page hides some again at its next word.
TOOLS = """() => {
  document.querySelectorAll("#toolbar [hidden]").forEach(tool => { tool.hidden = false; });
  return ["#toolbar", "#toolbar button"].flatMap(tools => [...document.querySelectorAll(tools)])
    .map(tool => tool.getBoundingClientRect().toJSON());
}"""
# Whether a page can fill the screen; on iPhones the picture alone can.
FILLS = "canFill => Object.defineProperty(document, 'fullscreenEnabled', { value: canFill })"


@pytest.mark.parametrize("width", [320, 370, 371])
def test_on_a_narrow_screen_every_tool_is_on_it(scripted, width):
    scripted.page.set_viewport_size({"width": width, "height": 568})
    scripted.open()
    scripted.wait_until(lambda: scripted.state == "waiting", "the page")
    toolbar, *tools = scripted.page.evaluate(TOOLS)
    assert len(tools) == 7 and toolbar["x"] >= 0 and toolbar["x"] + toolbar["width"] <= width
    assert all(tool["x"] >= 0 and tool["x"] + tool["width"] <= width and tool["width"] >= 36 for tool in tools)


@pytest.mark.parametrize("scale", ["fit", "actual"])
def test_two_fingers_zoom_at_every_size(scripted, scale):
    scripted.open()
    scripted.page.evaluate("scale => { document.body.dataset.scale = scale; }", scale)
    touch_action = scripted.page.evaluate("getComputedStyle(document.getElementById('stage')).touchAction")
    assert touch_action in ("manipulation", "pan-x pan-y pinch-zoom")


@pytest.mark.parametrize("can_fill", [True, False], ids=["of the page", "of the picture alone"])
def test_without_a_picture_fullscreen_is_off_where_it_is_the_pictures_alone(scripted, can_fill):
    scripted.page.add_init_script(f"({FILLS})({json.dumps(can_fill)})")
    scripted.open()
    scripted.wait_until(lambda: scripted.state == "waiting", "the page")
    is_off = scripted.page.get_attribute('[data-do="fullscreen"]', "aria-disabled") == "true"
    assert is_off == (not can_fill)
