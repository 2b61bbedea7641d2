from .attention import GatedAttention
from .registry import LAYERS, build_layer
