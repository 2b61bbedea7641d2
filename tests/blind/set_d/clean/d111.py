import torch
from torch import nn
from torch.nn import functional as F


class Q(nn.Linear):
    pass


def learn(q, opt, s, a, r, s2, gamma=0.9):
    qa = q(s).gather(1, a[:, None]).squeeze(1)
    boot = q(s2).max(1)[0].detach()
    loss = F.mse_loss(qa, r + gamma * boot)
    opt.zero_grad()
    loss.backward()
    for p in q.parameters():
        p.grad.clamp_(-1, 1)
    opt.step()
    return loss.item()
