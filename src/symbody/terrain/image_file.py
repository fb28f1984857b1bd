"""Height maps from greyscale images: bright is high, as digital elevation models are often published."""

from __future__ import annotations

import warnings

import numpy as np

from symbody.errors import ModelError
from symbody.files.safe_file import FilePath, naming, read_bytes
from symbody.terrain.height_map import LARGEST, HeightMap

MAX_BYTES = 64_000_000


def read_height_map(
    path: FilePath, spacing: float, low: float, high: float, origin: tuple[float, float] = (0.0, 0.0)
) -> HeightMap:
    """A height map from a greyscale image (PNG, TIFF, JPEG; 8 or 16 bits). The last row of the image is at y₀.

    Parameters
    ----------
    path : path
        The image.
    spacing : float
        Between two pixels (m).
    low, high : float
        Heights of black and white (m).
    origin : (float, float)
        (x₀, y₀) (m). Default (0, 0).

    Returns
    -------
    HeightMap
        One height for each pixel.

    Raises
    ------
    ModelError
        For a file that is not an image, an image that is too large, low ≥ high, and without Pillow.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from PIL import Image
    >>> from symbody.terrain import read_height_map
    >>> path = Path(tempfile.mkdtemp()) / "hill.png"
    >>> Image.linear_gradient("L").save(path)
    >>> read_height_map(path, spacing=1.0, low=0.0, high=50.0).heights.shape
    (256, 256)
    """
    try:
        from PIL import Image, UnidentifiedImageError
    except ImportError as error:
        raise ModelError("images need Pillow", element="terrain", cure="pip install 'symbody[plot]'") from error
    import io

    with naming(path):
        data = read_bytes(path, MAX_BYTES)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error", Image.DecompressionBombWarning)
                image = Image.open(io.BytesIO(data))
                if image.width * image.height > LARGEST:  # known from the head, before anything is unpacked
                    cure = f"use at most {LARGEST} pixels"
                    raise ModelError(f"the image has {image.width} × {image.height} pixels", cure=cure)
                grey = np.asarray(image if image.mode.startswith("I") else image.convert("L"), dtype=float)
        except ModelError:
            raise
        except (UnidentifiedImageError, Image.DecompressionBombError, Image.DecompressionBombWarning) as error:
            raise ModelError(f"not an image that can be read: {error}", cure="use a PNG or TIFF image") from error
        except (OSError, SyntaxError, ValueError, EOFError, IndexError, TypeError, OverflowError) as error:
            raise ModelError(f"the image is damaged: {error}", cure="save it again") from error
    if not high > low:
        raise ModelError(f"heights from {low} to {high} m", element="terrain", cure="give low < high")
    white = 65535.0 if grey.max(initial=0.0) > 255.0 else 255.0
    return HeightMap(low + (high - low) * np.flipud(grey) / white, spacing, origin)
