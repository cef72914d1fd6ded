"""JSON texts one after the other, as several programs print them."""

import json


def parse_all(text):
    decoder, text = json.JSONDecoder(), text.strip()
    while text:
        value, end = decoder.raw_decode(text)
        yield value
        text = text[end:].lstrip()


def objects_in(text):
    """The objects in kubectl's output: one after the other, or in a List."""
    for object_ in parse_all(text):
        yield from object_["items"] if object_["kind"] == "List" else [object_]
