import torch
import torch.nn.functional as F
from torch import nn

from config import Config
from sampler import EpisodeSampler


class ProtoNet(nn.Module):
    def __init__(self, dim, out=16):
        super().__init__()
        self.enc = nn.Sequential(nn.Linear(dim, 32), nn.ReLU(), nn.Linear(32, out))

    def forward(self, support, query):
        prototypes = self.enc(support).mean(1)
        return -torch.cdist(self.enc(query), prototypes).pow(2)


def run_episode(net, sampler, device):
    support, query, labels = sampler.episode()
    logits = net(support, query)
    loss = F.cross_entropy(logits, labels)
    accuracy = (logits.argmax(1) == labels).float().mean()
    return loss, accuracy.item()


def main():
    cfg = Config()
    net = ProtoNet(cfg.dim).to(cfg.device)
    opt = torch.optim.Adam(net.parameters(), lr=1e-3)
    sampler = EpisodeSampler(cfg)
    for e in range(cfg.episodes):
        loss, accuracy = run_episode(net, sampler, cfg.device)
        opt.zero_grad()
        loss.backward()
        opt.step()
        print(e, loss.item(), accuracy)


if __name__ == "__main__":
    main()
