"""Models that come along, each built in one function, and as a file in `symbody/models`.

from symbody.gallery import MODELS

model = MODELS["stewart"]()
"""

from collections.abc import Callable

from symbody.gallery.andrews import andrews
from symbody.gallery.arm6 import arm6
from symbody.gallery.attenuator import attenuator
from symbody.gallery.bricard import bricard
from symbody.gallery.car import car
from symbody.gallery.cart_pole import cart_pole
from symbody.gallery.crash import crash
from symbody.gallery.double_wishbone import double_wishbone
from symbody.gallery.flyball import flyball
from symbody.gallery.four_bar import four_bar
from symbody.gallery.n_four_bar import n_four_bar
from symbody.gallery.n_pendulum import n_pendulum
from symbody.gallery.pendulum import pendulum
from symbody.gallery.quarter_car import quarter_car
from symbody.gallery.slider_crank import slider_crank
from symbody.gallery.stewart import stewart
from symbody.model.model import Model

__all__ = [
    "MODELS", "about", "andrews", "arm6", "attenuator", "bricard", "car", "cart_pole", "crash", "double_wishbone",
    "flyball", "four_bar", "n_four_bar", "n_pendulum", "pendulum", "quarter_car", "slider_crank", "stewart",
]  # fmt: skip

MODELS: dict[str, Callable[[], Model]] = {  # by the names of their files
    "pendulum": pendulum,
    "n-pendulum": n_pendulum,
    "cart-pole": cart_pole,
    "slider-crank": slider_crank,
    "four-bar": four_bar,
    "n-four-bar": n_four_bar,
    "quarter-car": quarter_car,
    "double-wishbone": double_wishbone,
    "stewart": stewart,
    "arm6": arm6,
    "andrews": andrews,
    "bricard": bricard,
    "flyball": flyball,
    "car": car,
    "attenuator": attenuator,
    "crash": crash,
}


def about(name: str) -> str:
    """One line on a model of the register."""
    return (MODELS[name].__doc__ or "").partition("\n")[0]
