import torch
import torch.nn.functional as F


class Engine:
    def __init__(self, net, lr=1e-3):
        self.net = net
        self.device = next(net.parameters()).device
        self.opt = torch.optim.Adam(net.parameters(), lr=lr)
        self.modes = []

    def fit_epoch(self, batches):
        self.net.train()
        total = 0.0
        for x, y in batches:
            self.modes.append(self.net.training)
            logit = self.net(x.to(self.device))
            loss = F.binary_cross_entropy_with_logits(logit, y.to(self.device))
            self.opt.zero_grad()
            loss.backward()
            self.opt.step()
            total += loss.item()
        return total

    @torch.no_grad()
    def validate(self, batches):
        self.net.eval()
        right = count = 0
        for x, y in batches:
            guess = self.net(x.to(self.device)) > 0
            right += (guess.float().cpu() == y).sum().item()
            count += len(y)
        return right / count
