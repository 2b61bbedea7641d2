import argparse

import torch
from torch import nn
from torch.utils.data import DataLoader

from data import CaptionDataset, collate
from engine import Engine


class Captioner(nn.Module):
    def __init__(self, vocab, dim=16):
        super().__init__()
        self.embed = nn.Embedding(vocab, dim, padding_idx=0)
        self.rnn = nn.GRU(dim, dim, batch_first=True)
        self.out = nn.Linear(dim, vocab)

    def forward(self, feat, tokens):
        h, _ = self.rnn(self.embed(tokens), feat.unsqueeze(0))
        return self.out(h)


def main(argv=None):
    ap = argparse.ArgumentParser()
    ap.add_argument("--epochs", type=int, default=1)
    ap.add_argument("--device", default=None)
    args = ap.parse_args(argv)
    device = torch.device(args.device or ("cuda" if torch.cuda.is_available() else "cpu"))
    model = Captioner(30)
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    engine = Engine(model, optimizer, device)
    loader = DataLoader(CaptionDataset(), batch_size=4, collate_fn=collate)
    for _ in range(args.epochs):
        engine.train_epoch(loader)


if __name__ == "__main__":
    main()
