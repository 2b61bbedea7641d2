import torch
import torch.nn as nn
import torch.nn.functional as F

from moe import MoE

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Model(nn.Module):
    def __init__(self, d=16, layers=2):
        super().__init__()
        self.inp = nn.Linear(6, d)
        self.moes = nn.ModuleList(MoE(d, experts=4, k=2) for _ in range(layers))
        self.out = nn.Linear(d, 3)

    def forward(self, x):
        h = self.inp(x)
        for m in self.moes:
            h = h + m(h)
        return self.out(h)

    def pop_aux(self):
        return sum(m.pop_aux() for m in self.moes)


def main():
    model = Model().to(device)
    opt = torch.optim.Adam(model.parameters(), lr=3e-3)
    for step in range(12):
        x = torch.randn(64, 6).to(device)
        y = (x[:, :3] * x[:, 3:]).argmax(1)
        loss = F.cross_entropy(model(x), y)
        loss = loss + 0.01 * model.pop_aux()
        opt.zero_grad()
        loss.backward()
        opt.step()
    model.eval()
    with torch.no_grad():
        model(torch.randn(32, 6, device=device))
        model.pop_aux()
    usage = torch.stack([m.usage for m in model.moes])
    print(loss.item(), (usage / usage.sum(1, keepdim=True)).cpu().numpy().round(2).tolist())


if __name__ == "__main__":
    main()
