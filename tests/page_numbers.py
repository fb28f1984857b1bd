"""Many numbers from a page as one text: the driver of the browser takes a second for some thousand items of a list."""

import base64

import numpy as np

# a function of JavaScript: the bytes of a typed array that begins with its buffer
PACKED = """((array) => {
  let text = "";
  for (const byte of new Uint8Array(array.buffer)) text += String.fromCharCode(byte);
  return btoa(text);
})"""


def unpacked(text, kind):
    """The numbers of `PACKED`, of a kind of NumPy ("u1", "f4")."""
    return np.frombuffer(base64.b64decode(text), kind)
