import torch
from torch import nn

from net import Backbone, FineTuned


def pretrain(backbone, steps=2):
    """Stands for loading published weights."""
    opt = torch.optim.Adam(backbone.parameters(), lr=1e-3)
    for _ in range(steps):
        x = torch.randn(16, 12)
        loss = backbone(x).pow(2).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
    return backbone


def finetune(model, steps=4):
    model.freeze(upto=2)
    params = [p for p in model.parameters() if p.requires_grad]
    opt = torch.optim.SGD(params, lr=0.1)
    criterion = nn.CrossEntropyLoss()
    model.train()
    for _ in range(steps):
        x, y = torch.randn(16, 12), torch.randint(0, 5, (16,))
        opt.zero_grad()
        criterion(model(x), y).backward()
        opt.step()
    return model


model = FineTuned(pretrain(Backbone()), classes=5)
start = model.backbone.embed.weight.detach().clone()
finetune(model)
print(sum(p.numel() for p in model.parameters()))
