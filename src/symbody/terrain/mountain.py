"""A synthetic mountain with a piste: a slope with ridges of all sizes, smooth where people ski.

The ridges are noise with a power spectrum k^(−ROUGHNESS) and random phases (spectral synthesis). Near the piste a part
of the long waves remains. The drop is that of the track in Houda 2020, section 6.2.3: 1853 to 1200 m.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.spatial import cKDTree

from symbody.terrain.height_map import Array, HeightMap
from symbody.terrain.piste import Piste

TOP, BOTTOM = 1853.0, 1200.0  # m
LENGTH, WIDTH = 2400.0, 1800.0  # m along the fall line (−y) and across; the perimeter is 8.4 km
MARGIN = 120.0  # m between the ends of the piste and the border
ROUGHNESS = 3.6  # exponent of the power spectrum
RIDGES = 18.0  # m, standard deviation of the noise
SMOOTH = 260.0  # m: shorter waves are removed on the piste
GENTLE = 0.2  # share of the long waves on the piste: it never becomes too flat to ski
EDGE = 60.0  # m from the groomed to the natural ground
BENDS = ((900.0, 80.0), (430.0, 25.0), (260.0, 8.0))  # wavelength and amplitude (m) of the bends of the piste


@dataclass(frozen=True, eq=False)
class Mountain:
    """Ground with a piste and trees.

    Parameters
    ----------
    ground : HeightMap
        The heights.
    piste : Piste
        From top to bottom.
    trees : array, shape (n, 3)
        Where each stands (m).
    """

    ground: HeightMap
    piste: Piste
    trees: Array

    def beside_piste(self, distance: float) -> Array:
        """Points (n, 3) on the ground at a distance (m) to the left of each point of the piste's middle line."""
        line = self.piste.line[:, :2]
        ahead = np.gradient(line, axis=0)
        left = np.column_stack([-ahead[:, 1], ahead[:, 0]]) / np.linalg.norm(ahead, axis=1, keepdims=True)
        place = line + distance * left
        return np.column_stack([place, self.ground.height(*place.T)])


def mountain(seed: int = 0, spacing: float = 8.0, trees: int = 4000) -> Mountain:
    """A mountain that falls towards −y, with a piste from top to bottom.

    Parameters
    ----------
    seed : int
        The same seed gives the same mountain. Default 0.
    spacing : float
        Of the height map (m). Default 8.
    trees : int
        Their number. Default 4000.

    Returns
    -------
    Mountain
        Ground, piste and trees.

    Examples
    --------
    >>> from symbody.terrain import Mountain, mountain
    >>> scene: Mountain = mountain(seed=0, trees=10)
    >>> scene.trees.shape[1]
    3
    """
    rng = np.random.default_rng(seed)
    x = np.arange(-0.5 * WIDTH, 0.5 * WIDTH + 0.5 * spacing, spacing)
    y = np.arange(0.0, LENGTH + 0.5 * spacing, spacing)
    line = _line(rng, y[0] + MARGIN, y[-1] - MARGIN)
    fall = BOTTOM + (TOP - BOTTOM) * (y / LENGTH) ** 1.08  # a little steeper near the top
    rough, long = _noise(rng, (len(y), len(x)), spacing)
    away = _distance(x, y, line)
    natural = np.clip((away - Piste.WIDTH) / EDGE, 0.0, 1.0)
    natural = natural**2 * (3.0 - 2.0 * natural)
    heights = fall[:, None] + (GENTLE + (1.0 - GENTLE) * natural) * long + natural * rough
    ground = HeightMap(heights, spacing, (float(x[0]), float(y[0])))
    piste = Piste(np.column_stack([line, ground.height(*line.T)]))
    return Mountain(ground, piste, _trees(rng, ground, line, trees))


def _line(rng: np.random.Generator, low: float, high: float) -> Array:
    """The middle of the piste (n, 2), from the top downwards."""
    y = np.arange(high, low, -2.0)
    x = 0.0 * y
    for wavelength, amplitude in BENDS:
        x += amplitude * rng.uniform(0.8, 1.2) * np.sin(2.0 * np.pi * y / wavelength + rng.uniform(0.0, 2.0 * np.pi))
    return np.column_stack([x, y])


def _noise(rng: np.random.Generator, shape: tuple[int, int], spacing: float) -> tuple[Array, Array]:
    """Short and long waves (m), with a power spectrum k^(−ROUGHNESS)."""
    ky, kx = np.meshgrid(np.fft.fftfreq(shape[0], spacing), np.fft.rfftfreq(shape[1], spacing), indexing="ij")
    k = np.hypot(kx, ky)
    k[0, 0] = np.inf
    amplitude = k ** (-0.5 * ROUGHNESS) * np.exp(-((6.0 * spacing * k) ** 2))  # nothing near the grid's own frequency
    waves = amplitude * np.exp(2j * np.pi * rng.uniform(size=k.shape)) * rng.rayleigh(size=k.shape)
    scale = RIDGES / np.fft.irfft2(waves, shape).std()
    kept = np.exp(-((SMOOTH * k) ** 2))
    return scale * np.fft.irfft2(waves * (1.0 - kept), shape), scale * np.fft.irfft2(waves * kept, shape)


def _distance(x: Array, y: Array, line: Array) -> Array:
    """Distance of each grid point from the piste (ny, nx) (m)."""
    X, Y = np.meshgrid(x, y)
    return np.asarray(cKDTree(line).query(np.column_stack([X.ravel(), Y.ravel()]))[0]).reshape(X.shape)


def _trees(rng: np.random.Generator, ground: HeightMap, line: Array, count: int) -> Array:
    """Places of trees (m, 3): dense along the piste, so that its course can be seen, and scattered elsewhere."""
    near = line[rng.integers(len(line), size=count)] + rng.normal(size=(count, 2)) * 90.0
    far = np.column_stack([rng.uniform(low, high, count) for low, high in (ground.x[[0, -1]], ground.y[[0, -1]])])
    places = np.concatenate([near, far])
    clear = cKDTree(line).query(places)[0] > Piste.WIDTH + 4.0
    places = places[clear & ground.contains(*places.T)][:count]
    return np.column_stack([places, ground.height(*places.T)])
