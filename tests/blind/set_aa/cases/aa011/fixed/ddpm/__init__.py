from .diffusion import Diffusion
from .unet import MLPNoise
