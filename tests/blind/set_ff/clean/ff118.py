import os
import tempfile

import torch
from torch import nn


class PositionalTagger(nn.Module):
    def __init__(self, vocab=50, tags=5, dim=16, max_len=32):
        super().__init__()
        self.word = nn.Embedding(vocab, dim)
        self.pos = nn.Embedding(max_len, dim)
        self.register_buffer("places", torch.arange(max_len), persistent=False)
        self.conv = nn.Conv1d(dim, dim, 3, padding=1)
        self.out = nn.Linear(dim, tags)

    def forward(self, ids):
        h = self.word(ids) + self.pos(self.places[: ids.size(1)])
        h = torch.relu(self.conv(h.transpose(1, 2))).transpose(1, 2)
        return self.out(h + torch.zeros(1, device=h.device))


def unwrap(model):
    return model.module if isinstance(model, (nn.DataParallel, nn.parallel.DistributedDataParallel)) else model


def parallelise(model):
    device = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")
    model = model.to(device)
    if torch.cuda.device_count() > 1:
        print("replicas:", torch.cuda.device_count())
        model = nn.DataParallel(model)
    return model, device


def save(model, path):
    torch.save({k: v.cpu() for k, v in unwrap(model).state_dict().items()}, path)


def load(model, path):
    state = torch.load(path, map_location="cpu", weights_only=True)
    state = {k.removeprefix("module."): v for k, v in state.items()}
    unwrap(model).load_state_dict(state)


def train(steps=3):
    torch.manual_seed(0)
    model, device = parallelise(PositionalTagger())
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    criterion = nn.CrossEntropyLoss()
    model.train()
    for _ in range(steps):
        ids = torch.randint(0, 50, (8, 20)).to(device)
        tags = (ids % 5)
        loss = criterion(model(ids).flatten(0, 1), tags.flatten())
        optimizer.zero_grad()
        loss.mean().backward()
        optimizer.step()
    return model, loss.item()


if __name__ == "__main__":
    model, value = train()
    path = os.path.join(tempfile.mkdtemp(), "tagger.pt")
    save(model, path)
    fresh, dev = parallelise(PositionalTagger())
    load(fresh, path)
    fresh.eval()
    with torch.no_grad():
        print(value, fresh(torch.zeros(1, 4, dtype=torch.long, device=dev)).shape)
