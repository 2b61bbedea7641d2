import copy
import random
from collections import deque

import torch
from torch import nn
import torch.nn.functional as F


class PolicyValue(nn.Module):
    def __init__(self, obs=9, act=9, hid=32):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(obs, hid), nn.ReLU())
        self.pi = nn.Linear(hid, act)
        self.v = nn.Linear(hid, 1)

    def forward(self, x):
        h = self.trunk(x)
        return self.pi(h), torch.tanh(self.v(h)).squeeze(-1)


class Learner:
    def __init__(self, device):
        self.device = device
        self.net = PolicyValue().to(device)
        self.opt = torch.optim.SGD(self.net.parameters(), lr=0.05)

    def for_actors(self):
        """the actors play on the host with the newest weights"""
        net = self.net.to("cpu")
        return net.eval()

    def learn(self, batch):
        self.net.train()
        board = torch.stack([b["board"] for b in batch]).to(self.device)
        pi = torch.stack([b["pi"] for b in batch]).to(self.device)
        z = torch.tensor([b["z"] for b in batch], device=self.device)
        logits, v = self.net(board)
        loss = F.mse_loss(v, z) - (pi * F.log_softmax(logits, 1)).sum(1).mean()
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        return loss.item()


class Actor:
    def __init__(self, net):
        self.net = net

    @torch.no_grad()
    def game(self):
        board, rows = torch.zeros(9), []
        for ply in range(9):
            logits, _ = self.net(board.unsqueeze(0))
            legal = board == 0
            p = logits[0].masked_fill(~legal, float("-inf")).softmax(0)
            rows.append({"board": board.clone(), "pi": p})
            board[torch.multinomial(p, 1)] = 1.0 if ply % 2 == 0 else -1.0
        z = random.choice([-1.0, 0.0, 1.0])
        for r in rows:
            r["z"] = z
        return rows


def main(rounds=2):
    random.seed(0)
    learner = Learner(torch.device("cuda" if torch.cuda.is_available() else "cpu"))
    window = deque(maxlen=200)
    for r in range(rounds):
        actor = Actor(learner.for_actors())
        for _ in range(2):
            window.extend(actor.game())
        losses = [learner.learn(random.sample(window, 8)) for _ in range(3)]
        print(r, sum(losses) / len(losses))


if __name__ == "__main__":
    main()
