"""Meshes out of their bytes, as the page reads them."""

import base64
import zlib

import numpy as np


def unpacked(rows, geometry):
    """Vertices, normals and triangles of each mesh; asserts that nothing is left over."""
    data, at, found = zlib.decompress(base64.b64decode(geometry)), 0, []
    for count, faces, _, _, low, extent, painted in rows:
        steps = np.frombuffer(data, "<u2", 3 * count, at).reshape(3, count).T
        normals = np.frombuffer(data, "i1", 3 * count, at + 6 * count).reshape(3, count).T
        kind = np.dtype("<u2" if count < 65536 else "<u4")
        numbers = np.frombuffer(data, kind, 3 * faces, at + 9 * count).astype(np.int64)
        triangles = np.cumsum(numbers) % 2 ** (8 * kind.itemsize)
        at += 9 * count + 3 * faces * kind.itemsize + (4 * count if painted else 0)
        found.append((np.array(low) + np.array(extent) * steps / 65535, normals / 127, triangles.reshape(faces, 3)))
    assert at == len(data)
    return found
