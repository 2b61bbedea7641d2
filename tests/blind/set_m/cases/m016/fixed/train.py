import torch
from torch import nn
from loss import ContrastiveLoss


class TwoTower(nn.Module):
    def __init__(self, device):
        super().__init__()
        self.image = nn.Linear(32, 16)
        self.text = nn.EmbeddingBag(50, 16)
        self.criterion = ContrastiveLoss(device)

    def forward(self, images, tokens):
        return self.criterion(self.image(images), self.text(tokens))


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = TwoTower(device).to(device)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
for step in range(4):
    images = torch.randn(8, 32, device=device)
    tokens = torch.randint(0, 50, (8, 6), device=device)
    loss = model(images, tokens)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(step, loss.item())
torch.save(model.state_dict(), "/dev/null")
