import torch
import torch.nn as nn
import torch.nn.functional as F


class Accumulator:
    def __init__(self, model, optimizer, every, max_norm):
        self.model, self.optimizer = model, optimizer
        self.every, self.max_norm = every, max_norm
        self.pending = 0

    def add(self, loss):
        (loss / self.every).backward()
        self.pending += 1
        if self.pending == self.every:
            self.flush()

    def flush(self):
        if not self.pending:
            return
        nn.utils.clip_grad_norm_(self.model.parameters(), self.max_norm)
        self.optimizer.step()
        self.optimizer.zero_grad(set_to_none=True)
        self.pending = 0


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = nn.Sequential(nn.Linear(6, 24), nn.Mish(), nn.Linear(24, 2)).to(device)
    critic = nn.Linear(2, 1).to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    critic_optimizer = torch.optim.AdamW(critic.parameters(), lr=1e-3)
    accumulator = Accumulator(model, optimizer, every=3, max_norm=1.0)
    for step in range(8):
        x = torch.randn(16, 6, device=device)
        y = x[:, :2] * x[:, 2:4]

        with torch.no_grad():
            guess = model(x)
        critic_loss = F.softplus(-critic(y)).mean() + F.softplus(critic(guess)).mean()
        critic_loss.backward()
        critic_optimizer.step()

        out = model(x)
        accumulator.add(F.mse_loss(out, y) + 0.1 * F.softplus(-critic(out)).mean())
        critic_optimizer.zero_grad()
    accumulator.flush()
    print(critic_loss.item())


if __name__ == "__main__":
    main()
