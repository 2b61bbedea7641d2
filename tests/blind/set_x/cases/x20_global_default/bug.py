"""Character-level bigram model; everything is placed through the default device."""
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset, RandomSampler

TEXT = "the quick brown fox jumps over the lazy dog " * 4


def setup(seed=0):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    torch.manual_seed(seed)
    torch.set_default_device(device)
    return device


class Bigrams(Dataset):
    def __init__(self, text):
        self.alphabet = sorted(set(text))
        lookup = {c: i for i, c in enumerate(self.alphabet)}
        self.codes = torch.tensor([lookup[c] for c in text])

    def __len__(self):
        return len(self.codes) - 1

    def __getitem__(self, i):
        return self.codes[i], self.codes[i + 1]


def make_loader(dataset, batch_size, device):
    return DataLoader(dataset, batch_size=batch_size, sampler=RandomSampler(dataset))


class BigramModel(nn.Module):
    def __init__(self, size, dim=16):
        super().__init__()
        self.net = nn.Sequential(nn.Embedding(size, dim), nn.Tanh(), nn.Linear(dim, size))

    def forward(self, x, y=None):
        logits = self.net(x)
        loss = None if y is None else nn.functional.cross_entropy(logits, y)
        return logits, loss


def train(dataset, device, epochs=1):
    model = BigramModel(len(dataset.alphabet))
    opt = torch.optim.AdamW(model.parameters(), lr=1e-2)
    loader = make_loader(dataset, 64, device)
    for _ in range(epochs):
        for x, y in loader:
            _, loss = model(x, y)
            opt.zero_grad()
            loss.backward()
            opt.step()
    return model


if __name__ == "__main__":
    device = setup()
    train(Bigrams(TEXT), device)
