from .model import Decoder
