import torch
from torch import nn
from schedule import cosine_with_warmup

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 1)).to(device)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
epochs, per_epoch = 4, 3
scheduler = cosine_with_warmup(optimizer, warmup=1, total=epochs)

for epoch in range(epochs):
    if epoch > 0:
        scheduler.step()
    for _ in range(per_epoch):
        x = torch.randn(16, 10, device=device)
        loss = nn.functional.mse_loss(model(x), x[:, :1])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(epoch, scheduler.get_last_lr()[0], loss.item())
