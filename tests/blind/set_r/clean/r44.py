import argparse

import torch
import torch.nn as nn
import torch.nn.functional as F

parser = argparse.ArgumentParser()
parser.add_argument("--accumulate", type=int, default=2)
parser.add_argument("--rounds", type=int, default=6)
args = parser.parse_args()
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

body = nn.Sequential(nn.Linear(5, 16), nn.LeakyReLU(0.1)).to(device)
task = nn.Linear(16, 1).to(device)
adversary = nn.Linear(16, 2).to(device)
main_params = [*body.parameters(), *task.parameters()]
opt_main = torch.optim.Adam(main_params, lr=1e-3)
opt_adv = torch.optim.Adam(adversary.parameters(), lr=1e-3)


def batch(n=24):
    x = torch.randn(n, 5, device=device)
    return x, x.sum(1, keepdim=True), (x[:, 0] > 0).long()


opt_main.zero_grad()
for i in range(1, args.rounds + 1):
    x, y, group = batch()
    h = body(x)
    confusion = -F.cross_entropy(adversary(h), group)
    loss = F.mse_loss(task(h), y) + 0.1 * confusion
    (loss / args.accumulate).backward()

    # the share of the adversary in that backward pass is not wanted
    opt_adv.zero_grad()
    adv_loss = F.cross_entropy(adversary(h.detach()), group)
    adv_loss.backward()
    opt_adv.step()

    if i % args.accumulate == 0 or i == args.rounds:
        norm = nn.utils.clip_grad_norm_(main_params, 1.0)
        opt_main.step()
        opt_main.zero_grad(set_to_none=True)
        print(i, loss.item(), adv_loss.item(), norm.item())
