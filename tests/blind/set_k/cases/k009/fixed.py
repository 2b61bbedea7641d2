import copy
import torch
import torch.nn as nn
import torch.nn.functional as F


class QNet(nn.Module):
    def __init__(self, obs, actions):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(obs, 32), nn.Tanh(), nn.Linear(32, actions))

    def forward(self, obs):
        return self.net(obs)


class Actor:
    """Chooses actions on the host, one observation at a time."""

    def __init__(self, policy, epsilon=0.1):
        self.policy = policy
        self.epsilon = epsilon

    @torch.no_grad()
    def act(self, obs):
        if torch.rand(()) < self.epsilon:
            return int(torch.randint(3, ()))
        return int(self.policy(obs.unsqueeze(0)).argmax(-1))


class Learner:
    def __init__(self, device):
        self.device = device
        self.q = QNet(4, 3).to(device)
        self.target = copy.deepcopy(self.q).requires_grad_(False)
        self.opt = torch.optim.SGD(self.q.parameters(), lr=1e-2)

    def make_actor(self):
        return Actor(copy.deepcopy(self.q).to("cpu").eval())

    def update(self, batch):
        obs, act, rew, nxt = (t.to(self.device) for t in batch)
        with torch.no_grad():
            goal = rew + 0.99 * self.target(nxt).amax(-1)
        value = self.q(obs).gather(1, act[:, None]).squeeze(1)
        loss = F.smooth_l1_loss(value, goal)
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        return loss.item()


def rollout(actor, n=16):
    rows = []
    obs = torch.randn(4)
    for _ in range(n):
        a = actor.act(obs)
        nxt = obs + 0.1 * torch.randn(4)
        rows.append((obs, torch.tensor(a), -nxt.abs().sum(), nxt))
        obs = nxt
    return [torch.stack(col) for col in zip(*rows)]


def main():
    learner = Learner(torch.device("cuda" if torch.cuda.is_available() else "cpu"))
    for rnd in range(3):
        actor = learner.make_actor()
        batch = rollout(actor)
        print(rnd, round(learner.update(batch), 4))


if __name__ == "__main__":
    main()
