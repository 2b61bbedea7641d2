import torch
import torch.nn.functional as F

from vq.autoencoder import VQAE

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = VQAE().to(device)
opt = torch.optim.Adam(model.parameters(), lr=2e-3)
centers = torch.randn(5, 10)
usage = torch.zeros(12, dtype=torch.long)
for it in range(6):
    x = centers[torch.randint(0, 5, (32,))] + 0.1 * torch.randn(32, 10)
    x = x.to(device)
    rec, commit, ids = model(x)
    loss = F.mse_loss(rec, x) + 0.25 * commit
    opt.zero_grad()
    loss.backward()
    opt.step()
    usage += ids.bincount(minlength=12).cpu()
    print(it, loss.item())
print("codes in use", int((usage > 0).sum()))
