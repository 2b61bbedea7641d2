import torch
from torch import nn


class DurationPredictor(nn.Module):
    def __init__(self, vocab=20, dim=8):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim)
        self.conv = nn.Conv1d(dim, dim, 3, padding=1)
        self.out = nn.Linear(dim, 1)

    def forward(self, ids, mask):
        h = torch.relu(self.conv(self.emb(ids).transpose(1, 2))).transpose(1, 2)
        return self.out(h).squeeze(-1) * mask


def masked_mse(pred, target, mask):
    loss = nn.functional.mse_loss(pred, target, reduction="none") * mask
    return (loss.sum(dim=1) / mask.sum(dim=1)).mean()


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = DurationPredictor().to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3, betas=(0.9, 0.98))
    for step in range(3):
        lengths = torch.randint(2, 7, (4,))
        mask = (torch.arange(6)[None] < lengths[:, None]).float().to(device)
        ids = torch.randint(0, 20, (4, 6), device=device)
        target = torch.rand(4, 6, device=device).log1p()
        loss = masked_mse(model(ids, mask), target, mask)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(step, loss.detach().cpu())


if __name__ == "__main__":
    main()
