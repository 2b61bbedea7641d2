import torch
import torch.nn as nn
import torch.nn.functional as F


class ActorCritic(nn.Module):
    def __init__(self, obs=4, actions=3, hidden=32):
        super().__init__()
        self.shared = nn.Sequential(nn.Linear(obs, hidden), nn.Tanh(), nn.Linear(hidden, hidden), nn.Tanh())
        self.pi = nn.Linear(hidden, actions)
        self.v = nn.Linear(hidden, 1)

    def forward(self, x):
        h = self.shared(x)
        return self.pi(h), self.v(h).squeeze(-1)


def update(model, optimizer, batch, vf_coef=0.5, ent_coef=0.01):
    obs, act, ret = batch
    logits, value = model(obs)
    dist = torch.distributions.Categorical(logits=logits)
    advantage = (ret - value).detach()
    policy_loss = -(dist.log_prob(act) * advantage).mean() - ent_coef * dist.entropy().mean()
    value_loss = vf_coef * F.mse_loss(value, ret)
    optimizer.zero_grad()
    policy_loss.backward()
    value_loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 0.5)
    optimizer.step()
    return policy_loss.item(), value_loss.item()


def main(updates=3):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = ActorCritic().to(device)
    optimizer = torch.optim.RMSprop(model.parameters(), lr=7e-4, alpha=0.99)
    for i in range(updates):
        batch = (
            torch.randn(20, 4, device=device),
            torch.randint(0, 3, (20,), device=device),
            torch.randn(20, device=device),
        )
        print(i, update(model, optimizer, batch))


if __name__ == "__main__":
    main()
