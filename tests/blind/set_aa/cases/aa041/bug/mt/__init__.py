from .model import Translator
from .vocab import BOS, EOS, PAD
