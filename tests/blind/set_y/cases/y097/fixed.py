import numpy as np
import torch
from torch import nn


class AlphaNet(nn.Module):
    def __init__(self, cells=9):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(cells, 32), nn.ReLU(), nn.Linear(32, 32), nn.ReLU())
        self.policy, self.value = nn.Linear(32, cells), nn.Linear(32, 1)

    def forward(self, board):
        h = self.body(board)
        return self.policy(h), torch.tanh(self.value(h)).squeeze(-1)


class Player:
    def __init__(self, net, device, seed=0):
        self.net, self.device = net, device
        self.rng = np.random.default_rng(seed)

    def policy(self, board):
        legal = torch.from_numpy(board == 0).to(self.device)
        with torch.no_grad():
            logits, value = self.net(torch.from_numpy(board).float().to(self.device))
        probs = logits.masked_fill(~legal, float("-inf")).softmax(0)
        return probs.cpu(), value.item()

    def move(self, board, explore):
        probs, value = self.policy(board)
        p = np.asarray(probs, dtype=np.float64)
        p /= p.sum()
        choice = self.rng.choice(len(p), p=p) if explore else int(p.argmax())
        return choice, p, value


def winner(b):
    g = b.reshape(3, 3)
    sums = [*g.sum(0), *g.sum(1), np.trace(g), np.trace(g[::-1])]
    return 1 if 3 in sums else -1 if -3 in sums else 0


def self_play(player):
    board, turn, rows = np.zeros(9, dtype=np.int64), 1, []
    while winner(board) == 0 and (board == 0).any():
        cell, p, _ = player.move(board * turn, explore=True)
        rows.append((board * turn, p, turn))
        board[cell] = turn
        board = board.copy()
        turn = -turn
    result = winner(board)
    return [(b, p, result * t) for b, p, t in rows]


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = AlphaNet().to(device)
opt = torch.optim.Adam(net.parameters(), lr=3e-3, weight_decay=1e-4)
player = Player(net, device)
for game in range(4):
    boards, pis, zs = map(np.array, zip(*self_play(player)))
    boards, pis, zs = (torch.tensor(a, dtype=torch.float32, device=device) for a in (boards, pis, zs))
    logits, v = net(boards)
    loss = -(pis * logits.log_softmax(1)).sum(1).mean() + (v - zs).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(game, len(zs), loss.item())
