import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader

from batch import Batch


class TripletNet(nn.Module):
    def __init__(self, d=10, out=6):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(d, 24), nn.ReLU(), nn.Linear(24, out))

    def forward(self, batch):
        return Batch(**{k: F.normalize(self.body(getattr(batch, k)), dim=1) for k in ("a", "p", "n")})


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    rows = [dict(zip("apn", torch.randn(3, 10))) for _ in range(40)]
    loader = DataLoader(rows, batch_size=10, shuffle=True, collate_fn=Batch.collate)
    model = TripletNet()
    criterion = nn.TripletMarginLoss(margin=0.5)
    model.to(device)
    opt = torch.optim.Adam(model.parameters(), lr=1e-2)
    bank = []
    for epoch in range(2):
        bank.clear()
        for batch in loader:
            batch.to(device)
            emb = model(batch)
            loss = criterion(emb.a, emb.p, emb.n)
            opt.zero_grad()
            loss.backward()
            opt.step()
            emb.detach()
            emb.to("cpu")
            bank.append(emb.a)
        print(epoch, loss.item(), torch.cat(bank).numpy().mean())


if __name__ == "__main__":
    main()
