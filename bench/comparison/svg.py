# SPDX-License-Identifier: Apache-2.0
"""Makes a drawing of matplotlib's part of a page: small, themed, named, and without ids of others."""

import re
from typing import Dict, List
from xml.etree import ElementTree

from . import colours

SVG = "{http://www.w3.org/2000/svg}"
HREF = "{http://www.w3.org/1999/xlink}href"
ElementTree.register_namespace("", SVG[1:-1])


def themed(style: str) -> str:
    """Colours become variables, and fonts the page's."""
    style = re.sub(r"#[0-9a-f]{6}", lambda found: f"var({colours.variable(found.group())})", style)
    style = re.sub(r"font: [^;]*?([\d.]+px)[^;]*", r"font-size: \1", style)
    return style.replace(": ", ":").replace("; ", ";")


def rounded(numbers: str) -> str:
    return re.sub(r"-?\d+\.\d+", lambda found: f"{float(found.group()):.2f}".rstrip("0").rstrip("."),
                  numbers)


def make_own(element: ElementTree.Element, prefix: str) -> None:
    for key, value in list(element.attrib.items()):
        if key == "style":
            element.set(key, themed(value))
        elif key == "id":
            element.set(key, prefix + value)
        elif key == HREF:
            del element.attrib[key]
            element.set("href", "#" + prefix + value[1:])
        elif value.startswith("url(#"):
            element.set(key, f"url(#{prefix}{value[5:]}")
        elif key in ("d", "x", "y"):
            element.set(key, rounded(value))


def drop(parent: ElementTree.Element, tag: str) -> None:
    for element in list(parent):
        if element.tag == SVG + tag:
            parent.remove(element)
        else:
            drop(element, tag)


def add_tips(root: ElementTree.Element, tips: Dict[str, List[str]]) -> None:
    """What each marker stands for, shown where a pointer rests on it."""
    for group in root.iter(SVG + "g"):
        texts = tips.get(group.get("id", ""), [])
        marks = list(group.iter(SVG + "use")) if texts else []
        assert len(marks) == len(texts), "a marker was dropped or one drawn twice"
        for mark, text in zip(marks, texts):
            ElementTree.SubElement(mark, SVG + "title").text = text


def inline(drawing: str, prefix: str, css_class: str, title: str, tips: Dict[str, List[str]]) -> str:
    root = ElementTree.fromstring(drawing)
    drop(root, "metadata")
    drop(root, "style")  # It would hold for the whole page.
    add_tips(root, tips)
    for element in root.iter():
        make_own(element, prefix)
        element.tail = None
        element.text = element.text if (element.text or "").strip() else None
    for key in ("width", "height", "version"):
        root.attrib.pop(key, None)
    root.set("class", css_class)
    root.set("role", "img")
    root.set("aria-label", title)
    return ElementTree.tostring(root, encoding="unicode")
