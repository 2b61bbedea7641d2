import torch
from torch import nn


class NTM(nn.Module):
    """Controller with an external memory kept on the module between calls."""

    def __init__(self, d_in=3, slots=5, width=4):
        super().__init__()
        self.controller = nn.Linear(d_in + width, 8)
        self.key, self.erase, self.add = nn.Linear(8, width), nn.Linear(8, width), nn.Linear(8, width)
        self.out = nn.Linear(8 + width, d_in)
        self.slots, self.width = slots, width
        self.memory, self.read = None, None

    def reset(self, batch, device):
        self.memory = torch.full((batch, self.slots, self.width), 1e-3, device=device)
        self.read = torch.zeros(batch, self.width, device=device)

    def forward(self, x):
        h = torch.tanh(self.controller(torch.cat([x, self.read], -1)))
        w = torch.softmax((self.memory * self.key(h).unsqueeze(1)).sum(-1), -1).unsqueeze(-1)
        self.memory = self.memory * (1 - w * torch.sigmoid(self.erase(h)).unsqueeze(1)) + w * self.add(h).unsqueeze(1)
        self.read = (w * self.memory).sum(1)
        return self.out(torch.cat([h, self.read], -1))

    def detach(self):
        self.memory, self.read = self.memory.detach(), self.read.detach()


def main(steps=3):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = NTM().to(device)
    optimizer = torch.optim.RMSprop(model.parameters(), lr=1e-3)
    model.reset(4, device)
    for _ in range(steps):
        model.detach()
        x = torch.randn(4, 3, device=device)
        loss = nn.functional.mse_loss(model(x), x)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(loss.item())


if __name__ == "__main__":
    main()
