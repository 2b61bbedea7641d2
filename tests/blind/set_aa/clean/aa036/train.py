import torch
import torch.nn.functional as F

from amp_util import Precision
from model import ConditionalTCN


def micro_batches(n, bs=4, length=32):
    for _ in range(n):
        c = torch.randn(bs, 4)
        phase = torch.linspace(0, 6, length)[None, None]
        clean = torch.sin(phase * (1 + c[:, :1, None].abs()))
        yield clean + 0.2 * torch.randn_like(clean), c, clean


def train(device, accumulate=2, total=6):
    model = ConditionalTCN().to(device)
    params = list(model.parameters())
    opt = torch.optim.AdamW(params, lr=1e-3)
    precision = Precision(device)
    opt.zero_grad()
    for i, batch in enumerate(micro_batches(total), start=1):
        noisy, cond, clean = (t.to(device) for t in batch)
        with precision.forward():
            loss = F.mse_loss(model(noisy, cond), clean) / accumulate
        precision.backward(loss)
        if i % accumulate == 0:
            norm = precision.step(opt, params, max_norm=1.0)
            opt.zero_grad()
            print(i, f"{accumulate * loss.item():.4f} {norm.item():.4f}")


train(torch.device("cuda" if torch.cuda.is_available() else "cpu"))
