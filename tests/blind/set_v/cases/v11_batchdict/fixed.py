import argparse

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Questions(Dataset):
    def __init__(self, n=24, length=10, vocab=60):
        self.ids = torch.randint(1, vocab, (n, length))
        self.start = torch.randint(0, length, (n,))

    def __len__(self):
        return len(self.ids)

    def __getitem__(self, i):
        return {"input_ids": self.ids[i], "start": self.start[i], "key": f"q{i}"}


class SpanModel(nn.Module):
    def __init__(self, vocab=60, dim=16):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim)
        self.mix = nn.TransformerEncoderLayer(dim, 2, 32, batch_first=True)
        self.out = nn.Linear(dim, 1)

    def forward(self, input_ids, start=None):
        h = self.mix(self.emb(input_ids))
        logits = self.out(h).squeeze(-1)
        loss = nn.functional.cross_entropy(logits, start) if start is not None else None
        return logits, loss


def place(batch, device):
    for name, value in batch.items():
        if isinstance(value, torch.Tensor):
            batch[name] = value.to(device, non_blocking=True)
    return batch


def main(args):
    model = SpanModel().to(args.device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr)
    for batch in DataLoader(Questions(), batch_size=8, shuffle=True):
        batch = place(batch, args.device)
        keys = batch.pop("key")
        _, loss = model(**batch)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(keys[0], loss.item())


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--lr", type=float, default=1e-3)
    parser.add_argument("--device", type=str, default="cuda" if torch.cuda.is_available() else "cpu")
    main(parser.parse_args())
