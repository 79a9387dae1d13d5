"""Channels: arrays computed from each sample, for the windows of a manifold forest to lie on."""

from silvan.channels.base import Channel
from silvan.channels.convolutions import Convolutions
from silvan.channels.fitted import FittedChannels
from silvan.channels.fitting import fit_channels
from silvan.channels.function import Function
from silvan.channels.gradients import Gradients
from silvan.channels.layout import ChannelLayout
from silvan.channels.plane import Plane
from silvan.channels.spectra import Spectrum
from silvan.channels.values import Difference, LocalContrast, Raw

__all__ = [
    "Channel",
    "ChannelLayout",
    "Convolutions",
    "Difference",
    "FittedChannels",
    "Function",
    "Gradients",
    "LocalContrast",
    "Plane",
    "Raw",
    "Spectrum",
    "fit_channels",
]
