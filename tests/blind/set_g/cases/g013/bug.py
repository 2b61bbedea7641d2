import torch
import torch.nn as nn
import torch.nn.functional as F


def move_to(batch, device):
    """Moves a (possibly nested) batch of the collate function below."""
    if torch.is_tensor(batch):
        return batch.to(device)
    if isinstance(batch, dict):
        return {k: move_to(v, device) for k, v in batch.items()}
    if isinstance(batch, list):
        return [move_to(v, device) for v in batch]
    return batch


def collate(samples):
    views = tuple(torch.stack([s["views"][i] for s in samples]) for i in range(2))
    return {"views": views, "label": torch.tensor([s["label"] for s in samples])}


class Siamese(nn.Module):
    def __init__(self, dim=20, emb=8):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(dim, 32), nn.ReLU(), nn.Linear(32, emb))

    def forward(self, a, b):
        za, zb = self.encoder(a), self.encoder(b)
        return F.cosine_similarity(za, zb)


class Runner:
    def __init__(self):
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.model = Siamese().to(self.device)
        self.opt = torch.optim.Adam(self.model.parameters(), lr=1e-3)

    def step(self, batch):
        batch = move_to(batch, self.device)
        score = self.model(*batch["views"])
        loss = F.binary_cross_entropy_with_logits(score * 5, batch["label"].float())
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        return loss.item()


def main():
    data = [{"views": (torch.randn(20), torch.randn(20)), "label": i % 2} for i in range(24)]
    loader = torch.utils.data.DataLoader(data, batch_size=6, collate_fn=collate, shuffle=True)
    runner = Runner()
    for epoch in range(2):
        total = sum(runner.step(b) for b in loader)
        print(epoch, total / len(loader))


if __name__ == "__main__":
    main()
