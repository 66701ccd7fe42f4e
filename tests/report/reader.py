"""What a browser reads of a page."""

import re
from html.parser import HTMLParser


class Reader(HTMLParser):
    """Collects the elements of a page, with their attributes, and its text; none may act."""

    def __init__(self, page):
        super().__init__()
        self.elements, self.texts, self.open = [], [], []
        self.feed(page)
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.handle_startendtag(tag, attrs)
        if tag not in ("meta", "line", "circle"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_startendtag(self, tag, attrs):
        assert tag not in ("script", "img", "b", "i", "a", "iframe", "object", "link", "form")
        assert not [name for name, _ in attrs if name.startswith("on") or name in ("src", "href")]
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data):
        if "style" not in self.open:
            self.texts.append(data)

    @property
    def text(self):
        return re.sub(r"\s+", " ", "".join(self.texts))

    def named(self, tag):
        return [attrs for name, attrs in self.elements if name == tag]
