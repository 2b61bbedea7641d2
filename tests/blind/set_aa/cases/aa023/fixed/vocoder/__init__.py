from .discriminators import MultiScale
from .generator import Upsampler
