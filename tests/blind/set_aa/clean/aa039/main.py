import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

from robust.attacks import PGD, NoAttack
from robust.evaluate import accuracy, evaluating
from robust.nets import small_cnn


def quadrants(n):
    y = torch.randint(0, 4, (n,))
    x = 0.3 * torch.rand(n, 1, 8, 8)
    for i, k in enumerate(y.tolist()):
        r, c = divmod(k, 2)
        x[i, 0, 4 * r:4 * r + 4, 4 * c:4 * c + 4] += 0.6
    return TensorDataset(x, y)


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = small_cnn().to(device)
attack = PGD(model)
opt = torch.optim.Adam(model.parameters(), lr=3e-3)
model.train()
for epoch in range(2):
    for x, y in DataLoader(quadrants(48), batch_size=16, shuffle=True):
        x, y = x.to(device), y.to(device)
        with evaluating(model):
            adv = attack.perturb(x, y)
        loss = F.cross_entropy(model(adv), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
test = DataLoader(quadrants(32), batch_size=16)
for name, a in {"clean": NoAttack(), "pgd": attack}.items():
    print(name, accuracy(model, test, a, device))
