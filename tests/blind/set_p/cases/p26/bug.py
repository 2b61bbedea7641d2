import torch
import torch.nn as nn
import torch.nn.functional as F


class AutoEncoder(nn.Module):
    def __init__(self, dim=16, latent=3):
        super().__init__()
        self.enc = nn.Sequential(nn.Linear(dim, 12), nn.ReLU(), nn.Linear(12, latent))
        self.dec = nn.Sequential(nn.Linear(latent, 12), nn.ReLU(), nn.Linear(12, dim))

    def forward(self, x):
        z = self.enc(x)
        return self.dec(z), z


class Trainer:
    def __init__(self, model, lr, l1, device):
        self.device = device
        self.model = model.to(device)
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=lr)
        self.l1 = l1
        self.log = []

    def compute_gradients(self, x):
        recon, z = self.model(x)
        loss = F.mse_loss(recon, x) + self.l1 * z.abs().mean()
        loss.backward()
        return loss.detach()

    def apply_gradients(self):
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self.optimizer.step()

    def step(self, x):
        loss = self.compute_gradients(x.to(self.device))
        self.optimizer.zero_grad()
        self.apply_gradients()
        self.log.append(loss)

    def fit(self, data, epochs):
        for epoch in range(epochs):
            for x in data.split(20):
                self.step(x)
            print(epoch, torch.stack(self.log[-5:]).mean().item())


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
trainer = Trainer(AutoEncoder(), lr=1e-2, l1=1e-3, device=device)
initial = [p.detach().clone() for p in trainer.model.parameters()]
trainer.fit(torch.randn(100, 16), epochs=3)
