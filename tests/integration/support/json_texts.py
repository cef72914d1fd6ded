"""JSON texts one after the other, as several programs print them."""

import json


def parse_all(text):
    decoder, text = json.JSONDecoder(), text.strip()
    while text:
        value, end = decoder.raw_decode(text)
        yield value
        text = text[end:].lstrip()
