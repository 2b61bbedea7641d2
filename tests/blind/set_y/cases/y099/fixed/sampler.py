import torch


class EpisodeSampler:
    def __init__(self, cfg):
        self.cfg = cfg
        self.centers = torch.randn(20, cfg.dim) * 3

    def episode(self):
        c = self.cfg
        classes = torch.randperm(len(self.centers))[: c.n_way]
        per = c.k_shot + c.queries
        x = self.centers[classes].unsqueeze(1) + torch.randn(c.n_way, per, c.dim)
        support, query = x[:, : c.k_shot], x[:, c.k_shot:]
        labels = torch.arange(c.n_way).repeat_interleave(c.queries)
        return support.to(c.device), query.flatten(0, 1).to(c.device), labels
