import torch
import torch.nn as nn


class Embedder(nn.Module):
    def __init__(self, vocab, d):
        super().__init__()
        self.tok = nn.Embedding(vocab, d)
        self.register_buffer("pos", torch.arange(64).float().unsqueeze(1) / 64, persistent=True)
        self.proj = nn.Linear(d + 1, d)

    def forward(self, ids):
        p = self.pos[:ids.size(1)].unsqueeze(0).expand(len(ids), -1, -1)
        return self.proj(torch.cat([self.tok(ids), p], -1))


class Classifier(nn.Module):
    def __init__(self, vocab=20, d=12, classes=3):
        super().__init__()
        self.embed = Embedder(vocab, d)
        self.head = nn.Linear(d, classes)
        self.temperature = nn.Parameter(torch.ones(()))

    def forward(self, ids):
        return self.head(self.embed(ids).mean(1)) / self.temperature


def load_sharded(factory, shards, device):
    """Builds the skeleton without storage, then fills it shard by shard."""
    with torch.device("meta"):
        model = factory()
    model = model.to_empty(device=device)
    missing = set(model.state_dict())
    for path in shards:
        part = torch.load(path, map_location="cpu", mmap=True)
        model.load_state_dict(part, strict=False)
        missing -= part.keys()
    if missing:
        raise KeyError(f"not in any shard: {sorted(missing)}")
    return model


def save_sharded(model, n):
    items = sorted(model.state_dict().items())
    paths = []
    for i in range(n):
        path = f"shard{i}.pt"
        torch.save({k: v.cpu() for k, v in items[i::n]}, path)
        paths.append(path)
    return paths


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    source = Classifier()
    paths = save_sharded(source, 3)
    model = load_sharded(Classifier, paths, device)
    ids = torch.randint(20, (4, 9))
    model.eval()
    source.eval()
    with torch.no_grad():
        print(torch.allclose(model(ids.to(device)).cpu(), source(ids), atol=1e-5))
    opt = torch.optim.Adam(model.parameters(), lr=1e-2)
    model.train()
    for _ in range(4):
        loss = nn.functional.cross_entropy(model(ids.to(device)), torch.tensor([0, 1, 2, 0], device=device))
        opt.zero_grad()
        loss.backward()
        opt.step()
    print(loss.item())


if __name__ == "__main__":
    main()
