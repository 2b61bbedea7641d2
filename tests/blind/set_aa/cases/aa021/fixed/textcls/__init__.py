from .model import BagClassifier
from .tokenizer import WordTokenizer
