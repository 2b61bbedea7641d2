import torch
import torch.nn.functional as F

from optim import ExpDecay, PlainSGD


def init_params(sizes, seed=0):
    g = torch.Generator().manual_seed(seed)
    params = []
    for a, b in zip(sizes, sizes[1:]):
        w = torch.randn(a, b, generator=g) / a ** 0.5
        params += [w.requires_grad_(), torch.zeros(b, requires_grad=True)]
    return params


def forward(params, x):
    for i in range(0, len(params), 2):
        x = x @ params[i] + params[i + 1]
        if i + 2 < len(params):
            x = torch.relu(x)
    return x


def main():
    opt = PlainSGD(init_params([5, 16, 1]), lr=0.05, decay=1e-4)
    sched = ExpDecay(opt, 0.95)
    x = torch.randn(64, 5)
    y = x.prod(1, keepdim=True)
    for epoch in range(6):
        loss = F.mse_loss(forward(opt.params, x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        sched.step()
        print(epoch, loss.item())


if __name__ == "__main__":
    main()
