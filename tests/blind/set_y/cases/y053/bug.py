import torch
import torch.nn.functional as F
from torch import nn, optim
from torch.utils.data import DataLoader, TensorDataset


class ReIDNet(nn.Module):
    def __init__(self, dim=16, feat=12, ids=6):
        super().__init__()
        self.base = nn.Sequential(nn.Linear(dim, 32), nn.BatchNorm1d(32), nn.ReLU(), nn.Linear(32, feat))
        self.bottleneck = nn.BatchNorm1d(feat)
        self.classifier = nn.Linear(feat, ids, bias=False)

    def forward(self, x):
        feat = self.bottleneck(self.base(x))
        if not self.training:
            return F.normalize(feat, dim=1)
        return self.classifier(feat), feat


def extract_features(model, loader, device):
    model.eval()
    feats, pids = [], []
    for x, pid in loader:
        feats.append(model(x.to(device)))
        pids.append(pid)
    return torch.cat(feats), torch.cat(pids)


def rank1(query, q_pids, gallery, g_pids):
    best = (query @ gallery.t()).argmax(dim=1).cpu()
    return (g_pids[best] == q_pids).float().mean().item()


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
centers = 2 * torch.randn(6, 16)
labels = torch.randint(0, 6, (96,))
people = centers[labels] + torch.randn(96, 16)
train_loader = DataLoader(TensorDataset(people[:48], labels[:48]), batch_size=16, shuffle=True)
query_loader = DataLoader(TensorDataset(people[48:64], labels[48:64]), batch_size=16)
gallery_loader = DataLoader(TensorDataset(people[64:], labels[64:]), batch_size=16)

model = ReIDNet().to(device)
optimizer = optim.Adam(model.parameters(), lr=3e-3)
for epoch in range(3):
    model.train()
    for x, pid in train_loader:
        logits, _ = model(x.to(device))
        loss = F.cross_entropy(logits, pid.to(device))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    qf, q_pids = extract_features(model, query_loader, device)
    gf, g_pids = extract_features(model, gallery_loader, device)
    print(f"epoch {epoch} rank-1 {rank1(qf, q_pids, gf, g_pids):.2%}")
