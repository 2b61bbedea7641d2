# SimCLR-style pretraining on cached images, converted from a notebook
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

SEED, EPOCHS, BATCH = 13, 2, 16
np.random.seed(SEED)
torch.manual_seed(SEED)
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

# the whole set fits on the card, so keep it there
images = torch.from_numpy(np.random.rand(64, 3, 12, 12).astype("float32")).to(device)
labels = torch.from_numpy(np.random.randint(0, 4, 64)).to(device)


def augment(x):
    flip = torch.rand(len(x), device=x.device) < 0.5
    x = torch.where(flip[:, None, None, None], x.flip(-1), x)
    shift = np.random.randint(-2, 3)
    x = torch.roll(x, shifts=shift, dims=-1)
    return x * (0.8 + 0.4 * torch.rand(len(x), 1, 1, 1, device=x.device))


encoder = nn.Sequential(
    nn.Conv2d(3, 16, 3, stride=2, padding=1), nn.ReLU(),
    nn.Conv2d(16, 32, 3, stride=2, padding=1), nn.ReLU(),
    nn.AdaptiveAvgPool2d(1), nn.Flatten()).to(device)
projector = nn.Sequential(nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, 16)).to(device)
optimizer = torch.optim.Adam([*encoder.parameters(), *projector.parameters()], lr=1e-3)
temperature = torch.tensor(0.2)


def nt_xent(z1, z2):
    z = F.normalize(torch.cat([z1, z2]), dim=1)
    sim = z @ z.t() / temperature
    n = len(z1)
    sim = sim.masked_fill(torch.eye(2 * n, dtype=torch.bool, device=sim.device), float("-inf"))
    target = torch.arange(2 * n, device=sim.device).roll(n)
    return F.cross_entropy(sim, target)


for epoch in range(EPOCHS):
    order = torch.randperm(len(images))
    total = 0.0
    for start in range(0, len(images), BATCH):
        rows = order[start:start + BATCH]
        x = images[rows]
        z1, z2 = (projector(encoder(augment(x))) for _ in range(2))
        loss = nt_xent(z1, z2)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item()
    print(f"epoch {epoch} contrastive {total * BATCH / len(images):.3f}")

# nearest-neighbour check with a held-out split chosen on the host
held = torch.zeros(64, dtype=torch.bool)
held[np.random.choice(64, 16, replace=False)] = True
with torch.no_grad():
    feats = F.normalize(encoder(images), dim=1)
    nearest = (feats[held] @ feats[~held].t()).argmax(1)
    acc = (labels[~held][nearest] == labels[held]).float().mean().item()
print("knn accuracy", round(acc, 3))
