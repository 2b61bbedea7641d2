import torch
import torch.nn as nn
import torch.nn.functional as F

ANCHORS = [[10, 13], [16, 30], [33, 23], [30, 61]]
STRIDE = 8


class Quantiles(nn.Module):
    def __init__(self, levels=5):
        super().__init__()
        # 0.2, 0.4, ... as a trainable start
        self.tau = nn.Parameter(torch.arange(1, levels + 1) / (levels + 1))

    def forward(self, pred, target):
        err = target.unsqueeze(1) - pred
        tau = self.tau.detach()
        return torch.maximum(tau * err, (tau - 1) * err).mean() + (self.tau.diff() - 0.1).clamp(max=0).abs().sum()


class BoxHead(nn.Module):
    def __init__(self, width=12):
        super().__init__()
        self.prior = nn.Parameter(torch.tensor(ANCHORS) / STRIDE)
        self.slot = nn.Parameter(torch.arange(len(ANCHORS)), requires_grad=False)
        self.emb = nn.Embedding(len(ANCHORS), width)
        self.net = nn.Linear(width, 2)

    def forward(self, batch):
        delta = self.net(self.emb(self.slot)).tanh()
        wh = self.prior * delta.exp() * STRIDE
        return wh.unsqueeze(0).expand(batch, -1, -1)


dev = torch.device("cuda" if torch.cuda.is_available() else "cpu")
head, quant = BoxHead().to(dev), Quantiles().to(dev)
reg = nn.Linear(4, 5).to(dev)
trainable = [p for m in (head, quant, reg) for p in m.parameters() if p.requires_grad]
opt = torch.optim.Adam(trainable, lr=1e-2)
for _ in range(4):
    gt = torch.randint(8, 64, (6, len(ANCHORS), 2), device=dev).float()
    feats = torch.randn(6, 4, device=dev)
    loss = F.smooth_l1_loss(head(6), gt) + quant(reg(feats), gt[:, 0, 0] / 64)
    opt.zero_grad()
    loss.backward()
    opt.step()
print(head.prior.detach().cpu().tolist())
