import torch
import torch.nn.functional as F


class Agent:
    def __init__(self, make_net, gamma=0.95, lr=1e-3, tau=None):
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.q = make_net().to(self.device)
        self.opt = torch.optim.Adam(self.q.parameters(), lr=lr)
        self.gamma = gamma
        self.target = None

    def bootstrap(self, batch):
        nxt = self.q(batch.next_obs).max(dim=1).values
        return batch.reward + self.gamma * (1 - batch.done) * nxt

    def update(self, batch):
        q = self.q(batch.obs).gather(1, batch.action[:, None]).squeeze(1)
        with torch.no_grad():
            self.target = self.bootstrap(batch)
        loss = F.smooth_l1_loss(q, self.target)
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        return loss.item()
