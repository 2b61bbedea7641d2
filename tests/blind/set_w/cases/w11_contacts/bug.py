import torch
from torch import nn


class PairStack(nn.Module):
    def __init__(self, alphabet=21, dim=16):
        super().__init__()
        self.emb = nn.Embedding(alphabet, dim)
        self.left, self.right = nn.Linear(dim, dim), nn.Linear(dim, dim)
        self.conv = nn.Conv2d(dim, 1, 5, padding=2)

    def forward(self, seq):
        e = self.emb(seq)
        pair = self.left(e)[:, :, None] * self.right(e)[:, None]
        z = self.conv(pair.permute(0, 3, 1, 2)).squeeze(1)
        return torch.sigmoid(0.5 * (z + z.transpose(1, 2)))


class ContactHead:
    """Turns raw pair probabilities into the score used for training and for ranking."""

    def __init__(self, min_gap=3):
        self.min_gap = min_gap

    def near(self, n, device):
        i = torch.arange(n, device=device)
        return (i[:, None] - i[None]).abs() < self.min_gap

    def __call__(self, prob):
        near = self.near(prob.size(-1), prob.device)
        prob[:, near] = 0.0
        return prob


def contact_loss(prob, contacts, weight=4.0):
    w = 1 + (weight - 1) * contacts
    return (w * (prob - contacts).pow(2)).mean()


def run(n_steps=3, length=24):
    dev = "cuda" if torch.cuda.is_available() else "cpu"
    net, head = PairStack().to(dev), ContactHead()
    opt = torch.optim.Adam(net.parameters(), 1e-3)
    for _ in range(n_steps):
        seq = torch.randint(0, 21, (2, length), device=dev)
        xyz = torch.randn(2, length, 3, device=dev)
        contacts = (torch.cdist(xyz, xyz) < 1.0).float()
        score = head(net(seq))
        loss = contact_loss(score, contacts)
        opt.zero_grad()
        loss.backward()
        opt.step()
        top = score.detach().flatten(1).topk(length, dim=1).indices
        print(contacts.flatten(1).gather(1, top).mean().item())


run()
