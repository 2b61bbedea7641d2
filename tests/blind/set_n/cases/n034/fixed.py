import torch
import torch.nn.functional as F
from torch import nn

# metric learning on made-up identities
torch.manual_seed(7)
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
siamese = nn.Sequential(nn.Linear(12, 32), nn.ReLU(), nn.Linear(32, 8)).to(device)
optimizer = torch.optim.SGD(siamese.parameters(), lr=0.05)


def hard_triplets(emb, labels, margin=0.3):
    dist = torch.cdist(emb, emb)
    terms = []
    for i in range(len(emb)):
        same = labels == labels[i]
        if same.sum() < 2 or same.all():
            continue
        positive = dist[i][same].max()
        negative = dist[i][~same].min()
        terms.append(F.relu(positive - negative + margin))
    if not terms:
        return emb.sum() * 0
    return torch.stack(terms).mean()


for step in range(4):
    x = torch.randn(12, 12, device=device)
    labels = torch.arange(12, device=device) % 4
    emb = F.normalize(siamese(x), dim=-1)
    loss = hard_triplets(emb, labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(step, loss.item())
