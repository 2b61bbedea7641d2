import torch
from torch.utils.data import DataLoader

from autoencoder import AutoEncoder, objective

torch.manual_seed(7)
basis = torch.randn(3, 10)
data = torch.randn(120, 3) @ basis
loader = DataLoader(data, batch_size=30, shuffle=True)
model = AutoEncoder(10, 4)
optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)

for epoch in range(4):
    model.train()
    seen = 0.0
    for x in loader:
        loss, rec = objective(model, x)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        seen += rec.item() * len(x)
    model.eval()
    with torch.no_grad():
        held = objective(model, data[:20])[1].item()
    print(f"epoch {epoch}: {seen / len(data):.4f}, without noise {held:.4f}")
