import random
from typing import Iterator

import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence, pad_sequence
from torch.utils.data import DataLoader, Dataset, Sampler


class Sequences(Dataset):
    def __init__(self, n: int, seed: int = 0):
        rng = random.Random(seed)
        gen = torch.Generator().manual_seed(seed)
        self.items = []
        for _ in range(n):
            length = rng.randint(2, 15)
            x = torch.randn(length, 3, generator=gen)
            self.items.append((x, (x.sum(1) > 0).long()))
        self.lengths = [len(x) for x, _ in self.items]

    def __len__(self):
        return len(self.items)

    def __getitem__(self, idx):
        return self.items[idx]


class BucketSampler(Sampler):
    """Batches of similar length, shuffled each epoch."""

    def __init__(self, lengths, batch_size, generator=None):
        self.lengths = lengths
        self.batch_size = batch_size
        self.generator = generator

    def __iter__(self) -> Iterator[list]:
        order = sorted(range(len(self.lengths)), key=self.lengths.__getitem__)
        batches = [order[i:i + self.batch_size] for i in range(0, len(order), self.batch_size)]
        for j in torch.randperm(len(batches), generator=self.generator).tolist():
            yield batches[j]

    def __len__(self):
        return -(-len(self.lengths) // self.batch_size)


def collate(batch):
    xs, ys = zip(*batch)
    lengths = torch.tensor([len(x) for x in xs])
    return {
        "x": pad_sequence(xs, batch_first=True),
        "y": pad_sequence(ys, batch_first=True, padding_value=-100),
        "lengths": lengths,
    }


def to_device(batch, device, keep=("lengths",)):
    return {k: v if k in keep else v.to(device) for k, v in batch.items()}


class Tagger(nn.Module):
    def __init__(self, hidden=16):
        super().__init__()
        self.gru = nn.GRU(3, hidden, batch_first=True, bidirectional=True)
        self.out = nn.Linear(2 * hidden, 2)

    def forward(self, x, lengths):
        packed = pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
        hidden, _ = pad_packed_sequence(self.gru(packed)[0], batch_first=True, total_length=x.size(1))
        return self.out(hidden)


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    data = Sequences(60)
    gen = torch.Generator()
    gen.manual_seed(17)
    loader = DataLoader(data, batch_sampler=BucketSampler(data.lengths, 10, gen), collate_fn=collate)
    model = Tagger().to(device)
    opt = torch.optim.Adam(model.parameters(), lr=5e-3)
    ce = nn.CrossEntropyLoss(ignore_index=-100)
    for epoch in range(2):
        hits = total = 0
        for batch in loader:
            batch = to_device(batch, device)
            logits = model(batch["x"], batch["lengths"])
            loss = ce(logits.flatten(0, 1), batch["y"].flatten())
            opt.zero_grad()
            loss.backward()
            opt.step()
            valid = batch["y"] != -100
            hits += (logits.argmax(-1)[valid] == batch["y"][valid]).sum().item()
            total += int(batch["lengths"].sum())
        print(f"epoch {epoch} token accuracy {hits / total:.3f}")


if __name__ == "__main__":
    main()
