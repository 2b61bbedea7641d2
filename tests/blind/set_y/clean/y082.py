import torch
from torch import nn


class HiddenTeacher(nn.Module):
    """The teacher must stay out of parameters() and state_dict(), yet follow every move."""

    def __init__(self, student, teacher):
        super().__init__()
        self.student = student
        self._teacher = (teacher.requires_grad_(False).eval(),)

    @property
    def teacher(self):
        return self._teacher[0]

    def _apply(self, fn, *args, **kwargs):
        super()._apply(fn, *args, **kwargs)
        self.teacher._apply(fn, *args, **kwargs)
        return self

    def forward(self, x):
        with torch.no_grad():
            goal = self.teacher(x)
        return nn.functional.mse_loss(self.student(x), goal)


class ResidualStack(nn.Module):
    def __init__(self, dim, depth):
        super().__init__()
        self.order = []
        for i in range(depth):
            block = nn.Sequential(nn.LayerNorm(dim), nn.Linear(dim, dim), nn.ReLU())
            self.add_module(f"block{i}", block)
            self.order.append(f"block{i}")
        self.out = nn.Linear(dim, 4)

    def forward(self, x):
        for name in self.order:
            x = x + getattr(self, name)(x)
        return self.out(x)


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    pair = HiddenTeacher(ResidualStack(10, 1), ResidualStack(10, 3)).to(device)
    assert not any("teacher" in k for k in pair.state_dict())
    opt = torch.optim.Adam(pair.parameters(), lr=1e-3)
    for step in range(4):
        loss = pair(torch.randn(16, 10, device=device))
        opt.zero_grad()
        loss.backward()
        opt.step()
    print(loss.item(), len(opt.param_groups[0]["params"]))


if __name__ == "__main__":
    main()
