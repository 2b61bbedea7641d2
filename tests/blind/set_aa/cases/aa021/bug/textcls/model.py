import torch.nn as nn


class BagClassifier(nn.Module):
    def __init__(self, vocab, classes, dim=16):
        super().__init__()
        self.bag = nn.EmbeddingBag(vocab, dim)
        self.fc = nn.Linear(dim, classes)

    def forward(self, ids, offsets):
        return self.fc(self.bag(ids, offsets))
