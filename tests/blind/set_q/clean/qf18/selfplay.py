import torch
import torch.nn as nn
import torch.nn.functional as F

from mcts import MCTS
from game import Nim

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Net(nn.Module):
    def __init__(self, piles, moves):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(piles, 32), nn.ReLU())
        self.p, self.v = nn.Linear(32, moves), nn.Linear(32, 1)

    def forward(self, s):
        h = self.body(s)
        return self.p(h), torch.tanh(self.v(h)).squeeze(-1)

    def evaluate(self, game):
        with torch.no_grad():
            s = torch.tensor([game.piles], dtype=torch.float32, device=self.v.weight.device)
            p, v = self(s)
        return p.softmax(-1)[0].tolist(), v.item()


def play(net):
    game, history = Nim(), []
    while not game.over:
        pi = MCTS(net.evaluate).search(game, 12)
        history.append((game.piles[:], pi, game.player))
        game.play(int(torch.multinomial(torch.tensor(pi), 1)))
    return [(s, pi, 1.0 if who == game.winner else -1.0) for s, pi, who in history]


def main():
    net = Net(Nim.n, Nim.moves).to(device)
    opt = torch.optim.Adam(net.parameters(), lr=5e-3)
    examples = []
    for it in range(3):
        net.eval()
        for _ in range(3):
            examples += play(net)
        net.train()
        s, pi, z = (torch.tensor(c, dtype=torch.float32).to(device) for c in zip(*examples))
        for _ in range(4):
            logits, v = net(s)
            loss = F.mse_loss(v, z) - (pi * logits.log_softmax(-1)).sum(-1).mean()
            opt.zero_grad()
            loss.backward()
            opt.step()
    print(len(examples), loss.item())


if __name__ == "__main__":
    main()
