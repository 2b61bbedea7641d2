import torch
from torch import nn
import torch.nn.functional as F
from evaluation import Evaluator


class Reverser(nn.Module):
    """Sequence to sequence with attention: say the phonemes backwards."""

    def __init__(self, symbols=16, dim=24):
        super().__init__()
        self.emb = nn.Embedding(symbols, dim)
        self.enc = nn.GRU(dim, dim, batch_first=True)
        self.query = nn.Parameter(torch.randn(1, 8, dim))
        self.attend = nn.MultiheadAttention(dim, 2, batch_first=True)
        self.out = nn.Linear(dim, symbols)

    def forward(self, x):
        h, _ = self.enc(self.emb(x))
        q = self.query.expand(len(x), -1, -1) + h[:, -1:]
        return self.out(self.attend(q, h, h, need_weights=False)[0])


def batch(n=16, t=8, symbols=16):
    x = torch.randint(symbols, (n, t))
    return x, x.flip(1)


def main(epochs=3, per_epoch=5):
    torch.manual_seed(0)
    model = Reverser()
    evaluator = Evaluator([batch() for _ in range(3)])
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, patience=0)
    for epoch in range(epochs):
        model.train()
        for _ in range(per_epoch):
            x, y = batch()
            loss = F.cross_entropy(model(x).transpose(1, 2), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        rate = evaluator.run(model)
        scheduler.step(rate)
        print(f"epoch {epoch}: loss {loss.item():.3f} error rate {rate:.3f}")


if __name__ == "__main__":
    main()
