import math

import torch
from torch import nn
from torch.optim.lr_scheduler import LambdaLR


class CharRNN(nn.Module):
    def __init__(self, vocab, dim=32):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim)
        self.rnn = nn.LSTM(dim, dim, batch_first=True)
        self.out = nn.Linear(dim, vocab)

    def forward(self, x):
        return self.out(self.rnn(self.emb(x))[0])


def warmup_cosine(optimizer, warmup, total):
    def factor(step):
        if step < warmup:
            return (step + 1) / warmup
        t = (step - warmup) / max(1, total - warmup)
        return 0.5 * (1 + math.cos(math.pi * min(1.0, t)))

    return LambdaLR(optimizer, factor)


def chunks(text, table, length, batch):
    ids = torch.tensor([table[c] for c in text])
    starts = torch.randint(0, len(ids) - length - 1, (batch,)).tolist()
    x = torch.stack([ids[s:s + length] for s in starts])
    y = torch.stack([ids[s + 1:s + length + 1] for s in starts])
    return x, y


def main(total=20):
    text = "the quick brown fox jumps over the lazy dog and runs away. " * 8
    table = {c: i for i, c in enumerate(sorted(set(text)))}
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = CharRNN(len(table)).to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    scheduler = warmup_cosine(optimizer, warmup=5, total=total)
    for step in range(total):
        x, y = (t.to(device) for t in chunks(text, table, 16, 8))
        logits = model(x)
        loss = nn.functional.cross_entropy(logits.flatten(0, 1), y.flatten())
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        scheduler.step()
        if step % 5 == 0:
            print(step, f"lr {scheduler.get_last_lr()[0]:.5f} loss {loss.item():.3f}")


if __name__ == "__main__":
    main()
