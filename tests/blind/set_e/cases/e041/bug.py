import torch
from torch import nn
from torch.nn import functional as F


class SupCon(nn.Module):
    def __init__(self, d=6, k=4):
        super().__init__()
        self.enc = nn.Linear(d, k)

    def forward(self, x):
        return F.normalize(self.enc(x), dim=-1)


def supervised_contrastive(z, labels, tau=0.1):
    sim = z @ z.t() / tau
    eye = torch.eye(len(z), dtype=torch.bool, device=z.device)
    logp = sim.masked_fill(eye, -1e9).log_softmax(1)
    per_anchor = []
    for i in range(len(z)):
        positive = (labels == labels[i]) & ~eye[i]
        if positive.any():
            per_anchor.append(-logp[i][positive].mean().item())
    return torch.tensor(sum(per_anchor) / max(1, len(per_anchor)), requires_grad=True)


def main(steps=2):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = SupCon().to(device)
    start = model.enc.weight.detach().cpu().clone()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(steps):
        x, y = torch.randn(10, 6, device=device), torch.randint(0, 3, (10,), device=device)
        loss = supervised_contrastive(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(loss.item())
    return model, start


if __name__ == "__main__":
    main()
