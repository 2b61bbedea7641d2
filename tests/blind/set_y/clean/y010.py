import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Utterances(Dataset):
    def __init__(self, n=30):
        self.rng = np.random.default_rng(0)
        self.items = [self.rng.normal(size=(20, 8)).astype(np.float32) for _ in range(n)]
        self.speakers = self.rng.integers(0, 5, size=n)

    def __len__(self):
        return len(self.items)

    def __getitem__(self, i):
        return torch.from_numpy(self.items[i]), int(self.speakers[i])


class SpeakerEncoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.GRU(8, 16, batch_first=True)
        self.proj = nn.Linear(16, 12)

    @property
    def device(self):
        return self.proj.weight.device

    def forward(self, mels):
        _, h = self.rnn(mels)
        return nn.functional.normalize(self.proj(h[-1]), dim=-1)

    @torch.no_grad()
    def embed(self, loader):
        self.eval()
        vectors, labels = [], []
        for mels, spk in loader:
            vectors.append(self(mels.to(self.device)).cpu().numpy())
            labels.append(spk.numpy())
        return np.concatenate(vectors), np.concatenate(labels)


def eer(scores, same):
    order = np.argsort(-scores)
    same = same[order]
    far = np.cumsum(~same) / max((~same).sum(), 1)
    frr = 1 - np.cumsum(same) / max(same.sum(), 1)
    i = np.argmin(np.abs(far - frr))
    return float((far[i] + frr[i]) / 2)


if __name__ == "__main__":
    enc = SpeakerEncoder()
    if torch.cuda.is_available():
        enc.cuda()
    x, y = enc.embed(DataLoader(Utterances(), batch_size=6))
    sims = torch.as_tensor(x @ x.T)
    upper = np.triu_indices(len(x), k=1)
    print("EER", eer(sims.numpy()[upper], (y[:, None] == y[None])[upper]))
