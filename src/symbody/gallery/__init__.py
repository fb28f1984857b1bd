"""Models that come along, each built in one function; most of them also as a file in `symbody/models`.

from symbody.gallery import MODELS

model = MODELS["stewart"]()
"""

from collections.abc import Callable

from symbody.gallery.arm6 import arm6
from symbody.gallery.double_wishbone import double_wishbone
from symbody.gallery.four_bar import four_bar
from symbody.gallery.quarter_car import quarter_car
from symbody.gallery.slider_crank import slider_crank
from symbody.gallery.stewart import stewart
from symbody.model.model import Model

__all__ = ["MODELS", "about", "arm6", "double_wishbone", "four_bar", "quarter_car", "slider_crank", "stewart"]

MODELS: dict[str, Callable[[], Model]] = {  # by the names of their files
    "slider-crank": slider_crank,
    "four-bar": four_bar,
    "quarter-car": quarter_car,
    "double-wishbone": double_wishbone,
    "stewart": stewart,
    "arm6": arm6,
}


def about(name: str) -> str:
    """One line on a model of the register."""
    return (MODELS[name].__doc__ or "").partition("\n")[0]
