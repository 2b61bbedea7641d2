import argparse
import itertools
import torch
from torch import nn


def si_sdr(est, ref, eps=1e-8):
    ref = ref - ref.mean(-1, keepdim=True)
    est = est - est.mean(-1, keepdim=True)
    proj = (est * ref).sum(-1, keepdim=True) / (ref.pow(2).sum(-1, keepdim=True) + eps) * ref
    noise = est - proj
    return 10 * torch.log10(proj.pow(2).sum(-1) / (noise.pow(2).sum(-1) + eps) + eps)


class PITLoss(nn.Module):
    def __init__(self, speakers):
        super().__init__()
        perms = torch.tensor(list(itertools.permutations(range(speakers))))
        self.register_buffer("perms", perms, persistent=False)

    def forward(self, est, ref):
        table = torch.stack([-si_sdr(est[:, i:i + 1], ref) for i in range(est.size(1))], dim=1)
        rows = torch.arange(est.size(1), device=est.device)
        scores = table[:, rows, self.perms].mean(-1)
        with torch.no_grad():
            best = scores.argmin(1)
        return scores.gather(1, best[:, None]).mean(), self.perms[best]


class Net(nn.Module):
    def __init__(self, hid=24):
        super().__init__()
        self.rnn = nn.GRU(8, hid, batch_first=True, bidirectional=True)
        self.out = nn.Linear(2 * hid, 16)

    def forward(self, mix):
        frames = mix.unfold(-1, 8, 8)
        h, _ = self.rnn(frames)
        o = self.out(h).view(*frames.shape[:2], 2, 8)
        return o.permute(0, 2, 1, 3).flatten(2)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--steps", type=int, default=10)
    args = p.parse_args()
    dev = "cuda" if torch.cuda.is_available() else "cpu"
    net, crit = Net().to(dev), PITLoss(2)
    crit.to(dev)
    opt = torch.optim.Adam(net.parameters(), 1e-3)
    history = []
    for _ in range(args.steps):
        ref = torch.randn(4, 2, 80, device=dev)
        loss, order = crit(net(ref.sum(1)), ref)
        opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 5.0)
        opt.step()
        history.append(loss.detach())
    print(torch.stack(history).mean().item())


if __name__ == "__main__":
    main()
