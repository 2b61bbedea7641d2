import torch
from torch import nn


class LinearChain(nn.Module):
    def __init__(self, n_tags):
        super().__init__()
        self.n_tags = n_tags
        self.trans = nn.Parameter(torch.randn(n_tags, n_tags) * 0.1)
        self.start = nn.Parameter(torch.zeros(n_tags))

    def log_partition(self, emissions):
        alpha = self.start + emissions[:, 0]
        for t in range(1, emissions.size(1)):
            scores = alpha.unsqueeze(2) + self.trans + emissions[:, t].unsqueeze(1)
            alpha = torch.logsumexp(scores, dim=1)
        return torch.logsumexp(alpha, dim=1)

    def path_score(self, emissions, tags):
        b, n = tags.shape
        score = torch.zeros(b, 1)
        first = tags[:, :1]
        for t in range(n):
            cur = tags[:, t : t + 1]
            score = score + emissions[:, t].gather(1, cur)
            if t:
                score = score + self.trans[tags[:, t - 1], tags[:, t]].unsqueeze(1)
        return (score + self.start[first]).squeeze(1)

    def forward(self, emissions, tags):
        return (self.log_partition(emissions) - self.path_score(emissions, tags)).mean()
