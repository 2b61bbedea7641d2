import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset


class SpeakerCrops(Dataset):
    """Two random crops of the same utterance plus the speaker id."""

    def __init__(self, speakers=6, per_speaker=8, length=60, feats=16):
        self.ids = torch.arange(speakers).repeat_interleave(per_speaker)
        base = torch.randn(speakers, 1, feats)
        self.frames = base[self.ids] + 0.5 * torch.randn(len(self.ids), length, feats)

    def __len__(self):
        return len(self.ids)

    def crop(self, x, n=30):
        s = int(torch.randint(0, x.size(0) - n + 1, ()))
        return x[s : s + n]

    def __getitem__(self, i):
        x = self.frames[i]
        return torch.stack([self.crop(x), self.crop(x)]), self.ids[i]


class Encoder(nn.Module):
    def __init__(self, feats=16, dim=24):
        super().__init__()
        self.conv = nn.Sequential(nn.Conv1d(feats, 32, 5, padding=2), nn.ReLU(), nn.Conv1d(32, 32, 3, padding=1), nn.ReLU())
        self.out = nn.Linear(64, dim)

    def forward(self, x):
        h = self.conv(x.transpose(1, 2))
        stats = torch.cat([h.mean(-1), h.std(-1)], 1)
        return F.normalize(self.out(stats), dim=1)


class SupCon(nn.Module):
    def __init__(self, temperature=0.1):
        super().__init__()
        self.temperature = temperature

    def forward(self, z, labels):
        n = z.size(0)
        logits = z @ z.t() / self.temperature
        self_mask = torch.eye(n, dtype=torch.bool, device=z.device)
        same = (labels[:, None] == labels[None, :]).to(z.dtype)
        logits = logits.masked_fill(self_mask, -1e9)
        logp = logits - logits.logsumexp(1, keepdim=True)
        positive = same * ~self_mask
        return -((logp * positive).sum(1) / positive.sum(1).clamp(min=1)).mean()


class Experiment:
    def __init__(self, lr=1e-3):
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.encoder = Encoder().to(self.device)
        self.criterion = SupCon().to(self.device)
        self.optimizer = torch.optim.Adam(self.encoder.parameters(), lr=lr)
        self.loader = DataLoader(SpeakerCrops(), batch_size=16, shuffle=True, drop_last=True)

    def step(self, crops, speaker):
        crops = crops.to(self.device)
        views = crops.flatten(0, 1)
        labels = speaker.repeat_interleave(crops.size(1))
        loss = self.criterion(self.encoder(views), labels)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        return loss.item()

    def run(self, epochs=2):
        for e in range(epochs):
            losses = [self.step(*batch) for batch in self.loader]
            print(e, sum(losses) / len(losses))


if __name__ == "__main__":
    torch.manual_seed(0)
    Experiment().run()
