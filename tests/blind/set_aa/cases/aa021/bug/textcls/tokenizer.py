import re
from collections import Counter

import torch


class WordTokenizer:
    def __init__(self, stoi):
        self.stoi = stoi

    @classmethod
    def train(cls, texts, size=100):
        counts = Counter(w for t in texts for w in cls.words(t))
        return cls({"<unk>": 0, **{w: i + 1 for i, (w, _) in enumerate(counts.most_common(size - 1))}})

    @staticmethod
    def words(text):
        return re.findall(r"\w+", text.lower())

    def batch(self, texts):
        ids, offsets = [], []
        for t in texts:
            offsets.append(len(ids))
            ids += [self.stoi.get(w, 0) for w in self.words(t)]
        return torch.tensor(ids), torch.tensor(offsets)
