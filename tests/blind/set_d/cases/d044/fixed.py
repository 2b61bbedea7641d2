import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
encoder = nn.Linear(5, 4).to(device).eval()
head = nn.Linear(4, 2).to(device)
opt = torch.optim.SGD(head.parameters(), lr=0.1)
for _ in range(2):
    x, y = torch.randn(6, 5, device=device), torch.randint(2, (6,), device=device)
    with torch.no_grad():
        z = encoder(x)
    loss = nn.functional.cross_entropy(head(z), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
