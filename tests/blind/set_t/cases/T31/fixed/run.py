import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader
from dataset import Sessions


class SessionModel(nn.Module):
    def __init__(self, items=30, dim=24):
        super().__init__()
        self.emb = nn.Embedding(items, dim, padding_idx=0)
        self.gru = nn.GRU(dim + 1, dim, batch_first=True)

    def forward(self, items, dwell, last):
        x = torch.cat([self.emb(items), dwell.unsqueeze(-1)], -1)
        h, _ = self.gru(x)
        h = h[torch.arange(len(h), device=h.device), last]
        return h @ self.emb.weight.t()


class Recommender:
    def __init__(self, device):
        self.device = device
        self.model = SessionModel().to(device)
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=5e-3)

    def fit(self, loader, epochs):
        for epoch in range(epochs):
            self.model.train()
            for batch in loader:
                batch = {k: v.to(self.device) for k, v in batch.items()}
                target = batch.pop("next")
                loss = F.cross_entropy(self.model(**batch), target)
                self.optimizer.zero_grad()
                loss.backward()
                self.optimizer.step()
            print(epoch, loss.item())
        return self

    @torch.no_grad()
    def mrr(self, loader):
        self.model.eval()
        total = n = 0
        for batch in loader:
            batch = {k: v.to(self.device) for k, v in batch.items()}
            target = batch.pop("next")
            scores = self.model(**batch)
            rank = (scores > scores.gather(1, target[:, None])).sum(1) + 1
            total += (1.0 / rank).sum().item()
            n += len(rank)
        return total / n


if __name__ == "__main__":
    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    rec = Recommender(device).fit(DataLoader(Sessions(), batch_size=20, shuffle=True), 2)
    print("MRR", rec.mrr(DataLoader(Sessions(seed=1), batch_size=20)))
