import torch.nn as nn


class TextBackbone(nn.Module):
    def __init__(self, vocab=200, dim=16):
        super().__init__()
        self.embed = nn.Embedding(vocab, dim)
        self.layers = nn.ModuleList(nn.Linear(dim, dim) for _ in range(3))
        self.norm = nn.LayerNorm(dim)

    def forward(self, ids):
        h = self.embed(ids)
        for layer in self.layers:
            h = h + layer(h).tanh()
        return self.norm(h.mean(1))


def set_trainable(module, flag):
    for p in module.parameters():
        p.requires_grad = flag
    return module
