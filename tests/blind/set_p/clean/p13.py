import torch
import torch.nn as nn


class Regressor(nn.Module):
    def __init__(self, inputs, hidden=24):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(inputs, hidden), nn.Tanh(), nn.Linear(hidden, 1))

    def forward(self, x):
        return self.layers(x).squeeze(1)


class Experiment:
    def __init__(self, lr=2e-3):
        self.model = Regressor(3)
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=lr)
        self.schedule = torch.optim.lr_scheduler.StepLR(self.optimizer, step_size=2, gamma=0.5)
        self.device = torch.device("cpu")

    def place(self, device):
        self.device = device
        self.model.to(device)
        return self

    def resume(self, states):
        self.model.load_state_dict(states["model"])
        self.optimizer.load_state_dict(states["optimizer"])

    def snapshot(self):
        return {"model": self.model.state_dict(), "optimizer": self.optimizer.state_dict()}

    def epoch(self, steps=5):
        self.model.train()
        for _ in range(steps):
            x = torch.randn(16, 3, device=self.device)
            y = x.prod(dim=1)
            self.optimizer.zero_grad()
            loss = nn.functional.mse_loss(self.model(x), y)
            loss.backward()
            self.optimizer.step()
        self.schedule.step()
        return loss.item()


def main():
    target = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    first = Experiment()
    print("host", first.epoch())
    second = Experiment().place(target)
    second.resume(first.snapshot())
    for _ in range(3):
        print(target.type, second.epoch())


if __name__ == "__main__":
    main()
