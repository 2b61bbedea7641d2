from torch import nn


class Probe(nn.Module):
    """A linear classifier on top of features that stay as they are."""

    def __init__(self, encoder, dim, classes, finetune=False):
        super().__init__()
        self.encoder = encoder
        self.fc = nn.Linear(dim, classes)
        if not finetune:
            self.freeze()

    def freeze(self):
        self.encoder.eval()
        self.encoder.requires_grad = False

    def forward(self, x, adj):
        return self.fc(self.encoder(x, adj))
