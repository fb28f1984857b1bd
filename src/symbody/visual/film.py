"""Animations as GIF and MP4: rendered frames with the time written on them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from tqdm import tqdm

from symbody.errors import ModelError
from symbody.visual.motion import BodyMotion, Camera
from symbody.visual.render import pictures
from symbody.visual.scene import Scene

Array = np.ndarray

COLOURS = 255
SAMPLES = 4  # frames that determine the palette of a GIF
FASTEST_GIF = 50  # frames per second; browsers slow down faster ones
SMALLEST, LARGEST = 32, 4096  # pixels


def write_film(
    path: Path,
    scene: Scene,
    moved: BodyMotion,
    camera: Camera,
    fps: float,
    title: str,
    size: tuple[int, int] = (720, 540),
    progress: bool = False,
) -> None:
    """Draw all frames and write them to .gif or .mp4."""
    width, height = (int(n) // 2 * 2 for n in size)  # video encoders need even numbers
    if not (SMALLEST <= width <= LARGEST and SMALLEST <= height <= LARGEST):
        raise ModelError(f"a size of {size[0]} by {size[1]} pixels", cure=f"give {SMALLEST} to {LARGEST} for each")
    Image, _, _ = _pillow()
    drawn = pictures(scene, moved, camera, width, height)
    with tqdm(total=len(moved.t), unit="frame", desc=f"drawing {title}", disable=not progress) as bar:
        images = _captioned(drawn, title, moved.t, bar)
        if path.suffix.lower() == ".mp4":
            _write_mp4(path, images, fps)
        else:
            some = moved.at(np.linspace(0, len(moved.t) - 1, SAMPLES).astype(int))
            sample = np.vstack(list(pictures(scene, some, camera, width // 2, height // 2)))
            _write_gif(path, images, Image.fromarray(sample).quantize(COLOURS), durations(len(moved.t), fps))


def _captioned(drawn: Iterator[Array], title: str, times: Array, bar: Any) -> Iterator[Any]:
    """The frames with title and time written on them."""
    Image, ImageDraw, ImageFont = _pillow()
    digits = 3 if times[-1] - times[0] < 2 else 2
    for picture, t in zip(drawn, times, strict=True):
        image = Image.fromarray(picture)
        pen = ImageDraw.Draw(image)
        height = max(11, image.height // 30)
        font = ImageFont.load_default(size=height)
        pen.text((height * 0.8, height * 0.6), title, fill=(30, 37, 44), font=font)
        clock = f"{t:.{digits}f} s"
        pen.text((image.width - height * 0.8, height * 0.6), clock, fill=(102, 113, 124), font=font, anchor="ra")
        yield image
        bar.update(1)


def durations(count: int, fps: float) -> list[int]:
    """Milliseconds of each frame of a GIF: whole hundredths of a second with the right sum."""
    if fps > FASTEST_GIF:
        raise ModelError(f"a GIF with {fps:g} frames per second", cure=f"give fps up to {FASTEST_GIF}, or write .mp4")
    return [int(n) for n in 10 * np.diff(np.round(np.arange(count + 1) * 100 / fps))]


def _write_gif(path: Path, images: Iterator[Any], palette: Any, lasting: list[int]) -> None:
    painted = (image.quantize(palette=palette, dither=0) for image in images)
    next(painted).save(path, format="GIF", save_all=True, append_images=painted, duration=lasting, loop=0)


def _write_mp4(path: Path, images: Iterator[Any], fps: float) -> None:
    try:
        import imageio_ffmpeg
    except ImportError as error:
        cure = "pip install 'symbody[video]', or write .html or .gif"
        raise ModelError("MP4 needs imageio-ffmpeg, which is not installed", cure=cure) from error
    first = next(images)
    options = {"fps": fps, "quality": 7, "macro_block_size": 2, "ffmpeg_log_level": "error"}
    film = imageio_ffmpeg.write_frames(str(path), first.size, **options)
    film.send(None)
    try:
        film.send(first.tobytes())
        for image in images:
            film.send(image.tobytes())
    except OSError as error:
        raise ModelError(f"ffmpeg failed: {error}", cure="write .html or .gif") from error
    finally:
        film.close()


def _pillow() -> tuple[Any, Any, Any]:
    try:
        from PIL import Image, ImageDraw, ImageFont
    except ImportError as error:
        cure = "pip install 'symbody[plot]', or write .html"
        raise ModelError("pictures need Pillow, which is not installed", cure=cure) from error
    return Image, ImageDraw, ImageFont
