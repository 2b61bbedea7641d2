import numpy as np
import torch
from torch import nn


class Pendulum:
    def __init__(self):
        self.state = np.array([np.pi, 0.0], dtype=np.float32)

    def step(self, torque):
        th, om = self.state
        om = om + 0.05 * (-9.8 * np.sin(th) + np.clip(torque, -2, 2).item())
        self.state = np.array([th + 0.05 * om, om], dtype=np.float32)
        return self.state, float(-(th ** 2) - 0.1 * om ** 2)


class Dynamics(nn.Module):
    def __init__(self):
        super().__init__()
        self.f = nn.Sequential(nn.Linear(3, 24), nn.Tanh(), nn.Linear(24, 2))

    def forward(self, s, a):
        return s + self.f(torch.cat([s, a], -1))


class ShootingMPC:
    """Plans by gradient descent on an open loop action sequence."""

    def __init__(self, model, horizon=6, iters=4, lr=0.1):
        self.model, self.horizon, self.iters, self.lr = model, horizon, iters, lr
        self.plan = None

    def cost(self, s, actions):
        total = 0.0
        for a in actions:
            s = self.model(s, a)
            total = total + s[0] ** 2 + 0.1 * s[1] ** 2 + 1e-3 * a.pow(2).sum()
        return total

    def __call__(self, obs):
        s = torch.from_numpy(obs)
        if self.plan is None:
            init = torch.zeros(self.horizon, 1)
        else:
            init = torch.cat([self.plan[1:], self.plan[-1:]])
        actions = init.clone().requires_grad_(True)
        opt = torch.optim.Adam([actions], lr=self.lr)
        for _ in range(self.iters):
            opt.zero_grad()
            self.cost(s, actions).backward()
            opt.step()
        self.plan = actions.detach()
        return actions[0]


def rollout(env, controller, steps):
    total, obs, log = 0.0, env.state, []
    for _ in range(steps):
        u = controller(obs)
        log.append(u.numpy())
        obs, r = env.step(log[-1])
        total += r
    return total, np.stack(log)


net = Dynamics()
net.requires_grad_(False)
score, torques = rollout(Pendulum(), ShootingMPC(net), steps=3)
print(score, torques.shape)
