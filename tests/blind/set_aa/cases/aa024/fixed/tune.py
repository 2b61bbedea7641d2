from types import SimpleNamespace

import torch
import torch.nn.functional as F

from prompting.lm import FrozenLM
from prompting.modules import PromptedLM, SoftPrompt

cfg = SimpleNamespace(length=4, lr=0.3, steps=6, train_bias=True)
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def assemble():
    lm = FrozenLM().to(device)
    model = PromptedLM(lm, SoftPrompt(cfg.length, lm.embed.embedding_dim, device))
    if cfg.train_bias:
        lm.head.bias.requires_grad_(True)
    return model


def train(model, ids, target):
    params = [p for p in model.parameters() if p.requires_grad]
    opt = torch.optim.Adam(params, lr=cfg.lr)
    for step in range(cfg.steps):
        loss = F.cross_entropy(model(ids), target)
        opt.zero_grad()
        loss.backward()
        opt.step()
        print(step, loss.item())


model = assemble()
before = model.prompt.vectors.detach().clone()
train(model, torch.randint(0, 30, (8, 5)).to(device), torch.randint(0, 30, (8,)).to(device))
