import torch
import torch.nn as nn
import torch.nn.functional as F


class ActorCritic(nn.Module):
    def __init__(self, obs=4, actions=3):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(obs, 24), nn.Tanh())
        self.pi = nn.Linear(24, actions)
        self.v = nn.Linear(24, 1)

    def forward(self, obs):
        h = self.trunk(obs)
        return torch.distributions.Categorical(logits=self.pi(h)), self.v(h).squeeze(-1)


@torch.no_grad()
def collect(model, steps, device):
    obs = torch.randn(4, device=device)
    seen, taken, logps, rewards, values = [], [], [], [], []
    for _ in range(steps):
        dist, value = model(obs)
        action = dist.sample()
        seen.append(obs)
        taken.append(action)
        logps.append(dist.log_prob(action))
        values.append(value)
        rewards.append((action == obs[:3].argmax()).float())
        obs = torch.randn(4, device=device)
    return [torch.stack(x) for x in (seen, taken, logps, rewards, values)]


def ppo_loss(model, obs, actions, old_logp, rewards, old_values, clip=0.2):
    dist, values = model(obs)
    advantage = rewards - old_values
    ratio = (dist.log_prob(actions) - old_logp).exp()
    policy = -torch.min(ratio * advantage, ratio.clamp(1 - clip, 1 + clip) * advantage).mean()
    return policy + 0.5 * F.mse_loss(values, rewards) - 0.01 * dist.entropy().mean(), dist


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = ActorCritic().to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    for it in range(4):
        batch = collect(model, 24, device)
        for _ in range(3):
            loss, dist = ppo_loss(model, *batch)
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 0.5)
            optimizer.step()
        greedy = dist.probs.argmax(dim=1)
        agree = (greedy == batch[0][:, :3].argmax(dim=1)).float().mean()
        print(it, loss.item(), agree.item())


if __name__ == "__main__":
    main()
