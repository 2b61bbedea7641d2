import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset


class PairedModalities(Dataset):
    def __init__(self, n=64):
        latent = torch.randn(n, 4)
        self.sensor = latent @ torch.randn(4, 12) + 0.1 * torch.randn(n, 12)
        self.text = (latent @ torch.randn(4, 6)).argsort(1)
        self.group = (latent[:, 0] > 0).long()

    def __len__(self):
        return len(self.group)

    def __getitem__(self, i):
        return dict(sensor=self.sensor[i], text=self.text[i], group=self.group[i], index=i)


class TextTower(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.emb = nn.Embedding(6, dim)
        self.pos = nn.Parameter(torch.randn(6, dim) * 0.1)
        self.mix = nn.Linear(dim, dim)

    def forward(self, ids):
        return self.mix((self.emb(ids) * self.pos).mean(1))


class CLIP(nn.Module):
    def __init__(self, dim=16):
        super().__init__()
        self.sensor = nn.Sequential(nn.Linear(12, 32), nn.GELU(), nn.Linear(32, dim))
        self.text = TextTower(dim)
        self.logit_scale = nn.Parameter(torch.tensor(2.0))

    def forward(self, sensor, text, **_):
        a = F.normalize(self.sensor(sensor), dim=-1)
        b = F.normalize(self.text(text), dim=-1)
        return a, b, self.logit_scale.exp()

    @torch.no_grad()
    def clamp_scale(self):
        self.logit_scale.clamp_(0, 4.6)


class MemoryBank:
    """Host-side copy of all embeddings; rows are refreshed as they are seen."""

    def __init__(self, n, dim):
        self.rows = torch.zeros(n, dim)

    def write(self, index, z):
        self.rows[index] = z.detach().cpu()

    def neighbours(self, z, k):
        return (z.detach().cpu() @ self.rows.t()).topk(k).indices


def contrastive(a, b, scale):
    logits = scale * a @ b.t()
    target = torch.arange(len(a), device=a.device)
    return (F.cross_entropy(logits, target) + F.cross_entropy(logits.t(), target)) / 2


def main():
    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    data = PairedModalities()
    loader = DataLoader(data, batch_size=16, shuffle=True)
    model = CLIP().to(device)
    bank = MemoryBank(len(data), 16)
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3)
    for epoch in range(2):
        for batch in loader:
            index = batch.pop("index")
            batch = {k: v.to(device) for k, v in batch.items()}
            a, b, scale = model(**batch)
            loss = contrastive(a, b, scale)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            model.clamp_scale()
            bank.write(index, b)
        same = data.group[bank.neighbours(a, 3)] == batch["group"].cpu()[:, None]
        print(epoch, loss.item(), same.float().mean().item())


if __name__ == "__main__":
    main()
