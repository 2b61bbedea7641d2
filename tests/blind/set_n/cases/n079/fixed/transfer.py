import torch
from torch import nn
from models import Encoder, Transfer

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
encoder = Encoder(6, 12)
model = Transfer(encoder, 12, 3).to(device)
initial = model.encoder.inp.weight.detach().clone()
optimizer = torch.optim.SGD((p for p in model.parameters() if p.requires_grad), lr=0.1)
for step in range(5):
    x = torch.randn(10, 6, device=device)
    y = torch.randint(0, 3, (10,), device=device)
    loss = nn.functional.cross_entropy(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print("trained", sum(p.numel() for p in model.parameters() if p.requires_grad))
