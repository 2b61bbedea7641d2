import torch
import torch.nn as nn
import torch.nn.functional as F


class ProtoNet(nn.Module):
    def __init__(self, d=10, z=16):
        super().__init__()
        self.enc = nn.Sequential(nn.Linear(d, 32), nn.ReLU(), nn.Linear(32, z))

    def forward(self, support, query, way, shot):
        protos = self.enc(support).view(way, shot, -1).mean(1)
        return -torch.cdist(self.enc(query), protos).pow(2)


class EpisodeSampler:
    def __init__(self, means, way=3, shot=2, query=4):
        self.means, self.way, self.shot, self.query = means, way, shot, query

    def __iter__(self):
        while True:
            cls = torch.randperm(len(self.means))[:self.way]
            n = self.shot + self.query
            x = self.means[cls].unsqueeze(1) + 0.5 * torch.randn(self.way, n, self.means.shape[1])
            labels = torch.arange(self.way).repeat_interleave(self.query)
            yield x[:, :self.shot].flatten(0, 1), x[:, self.shot:].flatten(0, 1), labels


class Reptile:
    def __init__(self, model, outer=0.2, inner=0.05, k=3):
        self.model, self.outer, self.inner, self.k = model, outer, inner, k

    def step(self, batch):
        support, query, labels = batch
        before = {n: p.detach().clone() for n, p in self.model.named_parameters()}
        opt = torch.optim.SGD(self.model.parameters(), lr=self.inner)
        for _ in range(self.k):
            logits = self.model(support, query, 3, 2)
            loss = F.cross_entropy(logits, labels)
            opt.zero_grad()
            loss.backward()
            opt.step()
        with torch.no_grad():
            for n, p in self.model.named_parameters():
                p.copy_(before[n] + self.outer * (p - before[n]))
        return loss.detach(), (logits.detach().argmax(1) == labels).float().mean()


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    meta = Reptile(ProtoNet().to(device))
    episodes = iter(EpisodeSampler(torch.randn(12, 10) * 2))
    losses, accs = [], []
    for _, batch in zip(range(10), episodes):
        l, a = meta.step([t.to(device) for t in batch])
        losses.append(l)
        accs.append(a)
    print(torch.stack(losses).cpu().numpy().round(3), torch.stack(accs).mean().item())


if __name__ == "__main__":
    main()
